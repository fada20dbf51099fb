"""Runs the steps of making a pool. A step whose work is there is passed over, so a run that was ended at any moment is gone on with by the next one."""

import time
from typing import Callable, NamedTuple


class Step(NamedTuple):
    """`what` is told when it is done, with the seconds it took; `make` does it whole or not at all. `is_done` says whether the work is there; a
    sentence says why it is left alone."""
    name: str
    what: str
    is_done: Callable[[], bool | str]
    make: Callable[[], object]


def run(steps, say, reached=lambda name: None, clock=time.monotonic):
    """Runs what is not done. `reached` is called with a step's name before it is begun: the tests end runs there."""
    for step in steps:
        done = step.is_done()
        if done:
            if isinstance(done, str):
                say(f"WARNING: {done}")
            continue
        reached(step.name)
        began = clock()
        step.make()
        say(f"{step.what} ({clock() - began:.1f} s)")
