"""How long to wait for what, by the lab's clock (steal.py): ten times what a quiet machine needs, because some test machines are half as fast."""

import os

QUIET = {"boot": 25, "config": 30, "ring": 30, "address": 35, "certificate": 40, "pool": 75, "ready": 75, "login": 30, "table": 20, "jobs": 15,
         "command": 15, "console": 5}
"""Seconds that each wait takes on a quiet machine with two cores, three machines starting at once under TCG."""

LEAST, MOST, SHARE = 1.0, 10.0, 2.0
"""Seconds between two looks, at least and at most; and how many times as long as a look they are."""


def pause(took):
    """Seconds to wait before the next look, where one took so many. Most looks start a program in a guest, which under emulation is a second of processor: the
    machine that is waited for gets two thirds of the time for itself."""
    return min(MOST, max(LEAST, SHARE * took))


def seconds(wait):
    """The time limit of a wait. WOW_TIMEOUT_SCALE stretches all of them."""
    return QUIET[wait] * 10 * float(os.environ.get("WOW_TIMEOUT_SCALE", "1"))
