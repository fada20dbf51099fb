"""The way to a machine that runs twenty jobs is cut, its cards keep their carrier: which jobs are lost or begin anew. Half of them end while it is cut."""

import time

import cutting
import slots
from jobs import Job
from looking import events, starts
from pool import ZONE
from waiting import until

JOBS = 20
LONG, FEW = 700, 60
"""Seconds of the cut."""
BEGINS, AFTER = 40, 60
"""Seconds that all jobs may take to begin, and that the longer ones go on after the cut."""
HEALS = 400.0
"""Seconds after the cut within which TCP tries again and all output is there: it waits up to two minutes from one try to the next."""


def measure(pool, asked):
    """{seconds: of the cut, lost: jobs without their whole output, anew: jobs that began more than once, slowest: seconds from its end to the last output}."""
    beta, seconds = pool.beta, asked.cut or (FEW if asked.short else LONG)
    slots.offer(beta, JOBS)
    until(lambda: pool.ads("-startd", "TotalCpus", "-constraint", f'Machine == "beta.{ZONE}"'), lambda found: str(JOBS) in {said.partition(".")[0] for said in found},
          "beta has its slots", 60, pause=0.5)
    times = [BEGINS + (seconds // 2 if number % 2 else seconds + AFTER) for number in range(JOBS)]
    jobs = [Job(pool.alpha, "alice", f"sleep {length}; echo slept {length}", on=f"beta.{ZONE}") for length in times]
    for job in jobs:
        job.started(BEGINS)
    with cutting.cut(beta):
        time.sleep(seconds)
    healed = time.monotonic()
    try:
        until(lambda: sum(events(job, "005") for job in jobs), lambda ended: ended == JOBS, "all jobs end", AFTER + BEGINS + HEALS, pause=0.5)
    except AssertionError as error:
        print(error)  # those that are missing are counted
    slowest = time.monotonic() - healed
    lost = [job.name for job, length in zip(jobs, times) if job.machine.sh(f"cat {job.name}.out 2> /dev/null || :", job.user).strip() != f"slept {length}"]
    anew = [job.name for job in jobs if starts(job) != 1]
    slots.offer_own(beta)
    pool.listed([machine.name for machine in pool.workers])
    return {"seconds": seconds, "jobs": JOBS, "lost": len(lost), "anew": len(anew), "slowest": round(slowest, 1)}
