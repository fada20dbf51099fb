"""Waiting for something to become true. Limits are many times what a quiet machine needs, by a clock that shows less on a busy one."""

import time

import pressure

CLOCK = pressure.Clock()
PROMISED = pressure.Clock(pressure.stolen)
"""The clock for what is promised in seconds: the computer's host may keep a promise from being held, and nothing else."""
LIMIT = 180.0
"""Seconds for whatever is not promised in seconds: whoever hangs is found, and nobody fails for being slow."""
MOST = 5.0
"""Seconds that count of what passes from one look to the next. A computer that stood meanwhile, as a virtual machine that is copied does, has looked once."""


def until(ask, good, what, limit=LIMIT, pause=0.05):
    """Asks until good(answer); returns the answer and the seconds it took, without what the host took. Raises AssertionError with the last answer."""
    begin, passed, last = pressure.moment(), 0.0, CLOCK.now()
    while True:
        answer = ask()
        if good(answer):
            return answer, pressure.passed(begin, pressure.moment())
        if passed > limit:
            raise AssertionError(f"{what}: not within {limit:g} s of a machine that is not busy, {time.monotonic() - begin:.0f} s of the day; last seen: {answer}")
        time.sleep(pause)
        now = CLOCK.now()
        passed, last = passed + min(now - last, MOST), now


def stay(since, seconds):
    """Sleeps until so many seconds have passed since a moment, without what the host takes: for who looks what happens in that time."""
    while (left := seconds - pressure.passed(since, pressure.moment())) > 0:
        time.sleep(max(left, 0.01))


def rest(seconds):
    """Sleeps, on a busy machine as much longer as it lacks processors: for what has no event that could be waited for."""
    since = CLOCK.now()
    while CLOCK.now() - since < seconds:
        time.sleep(min(seconds, 0.1))
