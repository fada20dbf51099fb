"""A machine is switched on, and a job waits for it: seconds until the manager matches them."""

import time

from jobs import Job
from looking import has, is_matched, rounded, seconds_until
from pool import ZONE
from waiting import until

ROUNDS, FEW = 20, 3
LIMIT = 120.0


def measure(pool, asked):
    """{on: seconds from power on to the match, address: of those, from the machine's address on}, one of each a round."""
    beta, found = pool.beta, {"on": [], "address": []}
    for _ in range(asked.rounds or (FEW if asked.short else ROUNDS)):
        beta.kill()
        until(lambda: pool.ads("-any", "Name", "-constraint", f'Machine == "beta.{ZONE}"'), lambda left: not left, "the manager forgets beta", LIMIT, pause=0.5)
        job = Job(pool.alpha, "alice", "true", on=f"beta.{ZONE}")
        since = time.monotonic()
        beta.start()
        joined = seconds_until(lambda: has(beta, "/run/wow/joined"), "beta has its address", LIMIT, since)
        matched = seconds_until(lambda job=job: is_matched(pool, job), "the job is matched", LIMIT, since)
        found["on"].append(matched)
        found["address"].append(matched - joined)
        job.result()
    return {name: rounded(numbers) for name, numbers in found.items()}
