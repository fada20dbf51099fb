"""Waiting for something to become true. Limits are many times what a quiet machine needs, by a clock that shows less on a busy one."""

import time

import pressure

CLOCK = pressure.Clock()


def until(ask, good, what, limit=30.0, pause=0.05):
    """Asks until good(answer); returns the answer and the seconds it took, by the day's clock. Raises AssertionError with the last answer."""
    begin, since = time.monotonic(), CLOCK.now()
    while True:
        answer = ask()
        if good(answer):
            return answer, time.monotonic() - begin
        if CLOCK.now() - since > limit:
            raise AssertionError(f"{what}: not within {limit:g} s of a machine that is not busy, {time.monotonic() - begin:.0f} s of the day; last seen: {answer}")
        time.sleep(pause)
