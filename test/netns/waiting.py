"""Waiting for something to become true. Limits are many times what a quiet machine needs."""

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
