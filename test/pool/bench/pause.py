"""A machine's owner pauses it and has it go on while a job burns processor time: seconds from the verb's beginning to no processor time, and to some."""

import time

import pausing
from jobs import Job
from looking import rounded
from pool import ZONE
from waiting import until

ROUNDS, FEW = 20, 3
APART = 3.0
"""Seconds between two."""


def measure(pool, asked):
    """{stops, goes_on: seconds, one of each a round}."""
    beta, found = pool.beta, {"stops": [], "goes_on": []}
    job = Job(pool.alpha, "alice", pausing.BURNS, on=f"beta.{ZONE}").started()
    until(lambda: pausing.burnt(beta), bool, "the job burns processor time", 30)
    for _ in range(asked.rounds or (FEW if asked.short else ROUNDS)):
        for name, act, verb in (("stops", pausing.stops, "pause"), ("goes_on", pausing.goes_on, "resume")):
            found[name].append(act(beta, lambda verb=verb: beta.sh(f"wow {verb}", "alice")))
            time.sleep(APART)
    job.remove()
    return {name: rounded(numbers) for name, numbers in found.items()}
