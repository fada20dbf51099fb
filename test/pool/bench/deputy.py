"""The manager that matches loses its power: seconds until the next job is matched, and whether jobs that run go on. Where there is one manager it gets its
power back at once, else when another one has matched."""

import time

from jobs import Job
from looking import events, is_matched, rounded, seconds_until, starts, text
from pool import ZONE

ROUNDS, FEW = 5, 1
SLEEP = "sleep 3000"
RUNNING = 2
"""Jobs that run meanwhile; as many slots as beta has at least."""
LIMIT = 180.0
NEGOTIATOR = "/var/log/condor/.negotiator_address"


def measure(pool, asked):
    """{next: seconds from the manager's end to the next match, a round; lost: running jobs that did not go on; managers: how many there are}."""
    found, lost = [], 0
    for _ in range(asked.rounds or (FEW if asked.short else ROUNDS)):
        running = [Job(pool.alpha, "alice", SLEEP, on=f"beta.{ZONE}").started() for _ in range(RUNNING)]
        every = pool.managers
        gone = next((machine for machine in every if text(machine, NEGOTIATOR)), pool.manager)
        gone.kill()
        since = time.monotonic()
        if len(every) == 1:
            gone.start()
        waiting = Job(pool.alpha, "alice", "true", on=f"alpha.{ZONE}")
        found.append(seconds_until(lambda waiting=waiting: is_matched(pool, waiting), "the next job is matched", LIMIT, since))
        waiting.result()
        if not gone.is_on:
            gone.start()
        gone.wait()
        pool.listed([machine.name for machine in pool.workers])
        lost += sum(starts(job) != 1 or any(events(job, event) for event in ("004", "005", "012", "022")) for job in running)
        for job in running:
            job.remove()
    return {"next": rounded(found), "lost": lost, "managers": len(pool.managers)}
