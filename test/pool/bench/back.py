"""A machine that runs a job loses its power and has it back at once: seconds until the job runs again."""

import time

from jobs import Job
from looking import has, rounded, seconds_until, starts
from pool import ZONE

ROUNDS, FEW = 5, 2
SLEEP = "sleep 3000"
LOOK = 6.0
"""Seconds: wow-jobs looks every 5, and has seen the job then."""
LIMIT = 180.0


def measure(pool, asked):
    """{on: seconds from power on to the job's second start, address: of those, from the machine's address on}, one of each a round."""
    beta, found = pool.beta, {"on": [], "address": []}
    for _ in range(asked.rounds or (FEW if asked.short else ROUNDS)):
        job = Job(pool.alpha, "alice", SLEEP, on=f"beta.{ZONE}").started()
        time.sleep(LOOK)
        beta.kill()
        since = time.monotonic()
        beta.start()
        joined = seconds_until(lambda: has(beta, "/run/wow/joined"), "beta has its address", LIMIT, since)
        again = seconds_until(lambda job=job: starts(job) == 2, "the job runs again", LIMIT, since)
        found["on"].append(again)
        found["address"].append(again - joined)
        job.remove()
        pool.listed([machine.name for machine in pool.workers])
    return {name: rounded(numbers) for name, numbers in found.items()}
