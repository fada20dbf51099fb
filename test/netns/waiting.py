"""Waiting for something to become true, and measuring where others use the machine too. Limits are many times what a quiet machine needs."""

import time


def until(ask, good, what, limit=30.0, pause=0.05):
    """Asks until good(answer); returns the answer and the seconds it took. Raises AssertionError with the last answer."""
    begin = time.monotonic()
    while True:
        answer = ask()
        if good(answer):
            return answer, time.monotonic() - begin
        if time.monotonic() - begin > limit:
            raise AssertionError(f"{what}: not within {limit:g} s; last seen: {answer}")
        time.sleep(pause)


def calmest(measure, good, tries=3):
    """Measures until good(answer), at most so many times; returns the last answer. What else the machine does comes and goes, a fault is there each time."""
    for _ in range(tries):
        answer = measure()
        if good(answer):
            break
    return answer
