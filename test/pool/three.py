"""Three managers take each other's place in the order of their list: the first goes, the second matches; that goes too, and the third does. Who comes back takes nothing
away, and matches again when the last one has gone. It waits for several minutes, so it is among the long tests."""

import time

from jobs import Job
from looking import is_matched
from managers import matching, processes
from pool import Pool
from tally import must
from waiting import until

STEP = 26.0
"""Seconds of a step of HTCondor's HAD with three managers: 2 * (2 * 3 * 2 + 1)."""
AGREED = 3 * STEP + 40.0
"""Seconds that they may take to agree: three steps, and what a busy machine adds."""
STEADY = 2 * STEP
"""Seconds that nobody else begins to match."""


def make():
    """A pool for this part alone."""
    return Pool(("alpha",), managers=3)


def run(tally, pool):
    """Starts the pool, takes the managers away one after the other, and gives two of them back."""
    def case(name):
        return tally.case(name, pool.explain)

    first, second, third = pool.managers
    with case("of three managers the first one of the list matches, and no other"):
        pool.start()
        for manager in pool.managers:
            until(lambda manager=manager: processes(manager, "condor_had"), bool, f"{manager.name} has found the others", pause=1.0)
        only(pool, first)
        matched(pool)
    for gone, follower, words in ((first, second, "the first goes, and the second one of the list matches"), (second, third, "the second goes, too, and the third matches")):
        with case(words):
            gone.kill()
            only(pool, follower)
            matched(pool)
    with case("two come back, and the one that matches goes on"):
        for manager in (second, first):
            manager.start()
            manager.wait()
        for manager in (first, second):
            pool.listed(["alpha"], by=manager)
        steady(pool, third)
    with case("that goes, and the first one of the list matches again"):
        third.kill()
        only(pool, first)
        matched(pool)


def only(pool, manager):
    """Waits until this manager matches and no other, and that it stays so."""
    since = time.monotonic()
    until(lambda: matching([one for one in pool.managers if one.is_on]), lambda names: names == [manager.name], f"{manager.name} alone matches", AGREED, pause=1.0)
    print(f"     {manager.name} alone matches after {time.monotonic() - since:.0f} s", flush=True)
    steady(pool, manager)


def steady(pool, manager):
    """Fails if another manager matches within two steps."""
    end = time.monotonic() + STEADY
    while time.monotonic() < end:
        must((names := matching([one for one in pool.managers if one.is_on])) == [manager.name], f"{names} match")
        time.sleep(1.0)


def matched(pool):
    """A job is matched and runs."""
    job = Job(pool.alpha, "alice", "id")
    until(lambda: is_matched(pool, job), bool, "the job is matched", AGREED, pause=0.5)
    job.result()
