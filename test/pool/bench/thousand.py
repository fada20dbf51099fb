"""A thousand machines tell one real manager of themselves, each with three slots, at the pace that a pool of that size has: what the manager's processors do.
The machines' ads are a real one's under other names; beta sends them. One job waits that no machine can
take, so that each cycle of the negotiator looks at all of them."""

import os
import pathlib
import time

from jobs import Job
from looking import programs
from pool import ZONE
from waiting import until

HERE = pathlib.Path(__file__).resolve().parent
MACHINES, SLOTS = 1000, 3
LONGEST, FEW = 300, 60
"""Seconds that are counted: in a large pool each ad comes once in so many."""
FILLS = 300.0
SETTLES = 20.0
SLEEP = "sleep 3000"
PARTS = {"condor_collecto": "collector", "condor_negotiat": "negotiator", "ipopd": "ipopd", "wow-jobs": "wow-jobs", "wow-pool": "wow-pool"}
"""What is told apart: programs by looking.programs' names."""
TICK = os.sysconf("SC_CLK_TCK")


def measure(pool, asked):
    """{machines, seconds: counted, core: of the manager's whole machine, by: {part: of a core}, megabytes}."""
    seconds = FEW if asked.short else LONGEST
    manager, alpha, beta = pool.manager, pool.alpha, pool.beta
    running = [Job(alpha, "alice", SLEEP, on=f"beta.{ZONE}").started() for _ in range(SLOTS - 1)]
    player = beta.begin(["python3", "-c", (HERE / "player.py").read_text(encoding="utf-8"), f"beta.{ZONE}", str(MACHINES), str(LONGEST)])
    try:
        until(lambda: slots(manager), lambda count: count >= MACHINES * SLOTS, "the manager lists them", FILLS, pause=3.0)
        for job in running:
            job.remove()
        waiting = Job(beta, "alice", SLEEP, on="nowhere")
        time.sleep(SETTLES)
        before, begun = used(manager), time.monotonic()
        time.sleep(seconds)
        after, took = used(manager), time.monotonic() - begun
        whole = slots(manager)
        if whole < MACHINES * SLOTS or player.poll() is not None:
            raise AssertionError(f"the manager lists {whole} slots, and the player has ended with {player.poll()}")
    finally:
        player.kill()
    waiting.remove()
    shares = {name: round((after[name] - before[name]) / took, 3) for name in after}
    return {"machines": MACHINES, "seconds": round(took), "core": shares.pop("all"), "by": shares, "megabytes": memory(manager)}


def slots(manager):
    """How many slots the manager lists."""
    return len(manager.run("condor_status", "-af", "Cpus", timeout=120).stdout.split())


def used(machine):
    """{part: seconds of processor time so far, with those of children that have ended}, and of the whole machine."""
    found = dict.fromkeys(PARTS.values(), 0.0)
    for name, folder in parts(machine):
        fields = (folder / "stat").read_text(encoding="ascii").rpartition(")")[2].split()
        found[name] += sum(int(field) for field in fields[11:15]) / TICK
    return {**found, "all": machine.processor}


def memory(machine):
    """MB that the same programs have, shared pages by their share (smaps_rollup)."""
    return round(sum(int(line.split()[1]) for _, folder in parts(machine) for line in (folder / "smaps_rollup").read_text(encoding="ascii").splitlines()
                     if line.startswith("Pss:")) / 1000)


def parts(machine):
    """(part, its folder in /proc) of those."""
    return [(PARTS[name], folder) for name, folder in programs(machine) if name in PARTS]
