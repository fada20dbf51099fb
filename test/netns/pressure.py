"""A clock for limits: it shows how long the computer had a processor for everybody who wanted one.

Beside other tests, or on a computer that others use, what is waited for takes as much longer as it has less of a processor. The kernel counts the time in which
somebody waited for one (/proc/pressure/cpu, `some`; Documentation/accounting/psi.rst). Of a second of which that is 0.7, 0.3 pass here. So a limit is for who hangs,
not for who is slow. What is promised in seconds is measured by time.monotonic, as ever."""

import threading
import time

PATH = "/proc/pressure/cpu"
SLOWEST = 0.1
"""Of each second at least this passes, so that a wait ends."""


def waited(path=PATH):
    """Seconds since the computer started in which somebody waited for a processor; 0 where the kernel does not count them, so that all time passes."""
    try:
        with open(path, encoding="ascii") as file:
            line = file.readline()
    except OSError:
        return 0.0
    return int(line.rpartition("total=")[2]) / 1e6


class Clock:
    """`now` is in seconds since any moment, as time.monotonic's. Several threads may ask. wanted() and real() are what a test replaces."""

    def __init__(self, wanted=waited, real=time.monotonic):
        self._wanted, self._real = wanted, real
        self._lock = threading.Lock()
        self._stood = wanted()
        self._last = self._passed = real()

    def now(self):
        """What has passed."""
        with self._lock:
            last, stood = self._last, self._stood
            self._last, self._stood = self._real(), self._wanted()
            gone = self._last - last
            self._passed += max(gone - (self._stood - stood), gone * SLOWEST)
            return self._passed
