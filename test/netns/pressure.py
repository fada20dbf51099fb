"""A clock for limits: it shows how long the computer had a processor for everybody who wanted one.

Beside other tests, or on a computer that others use, what is waited for takes as much longer as it has less of a processor. The kernel counts the time in which
somebody waited for one (/proc/pressure/cpu, `some`; Documentation/accounting/psi.rst), and what the host took of the processors (/proc/stat, `steal`; proc(5)), which
is in none of that. Of a second of which both are 0.7, 0.3 pass here. So a limit is for who hangs, not for who is slow. What is promised in seconds holds
beside other programs, too: that is measured without the host's share alone, by Clock(stolen), or between two moments."""

import os
import threading
import time

PATH = "/proc/pressure/cpu"
STAT = "/proc/stat"
STEAL = 8
"""The place of steal in a line of /proc/stat, its name counted."""
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


def stolen(path=STAT):
    """Seconds since the computer started that its host took of a processor, in the mean of all; 0 where nothing counts them."""
    try:
        with open(path, encoding="ascii") as file:
            lines = [line.split() for line in file if line.startswith("cpu")]
    except OSError:
        return 0.0
    whole, processors = lines[0], len(lines) - 1
    return int(whole[STEAL]) / os.sysconf("SC_CLK_TCK") / max(1, processors)


def lacked():
    """Seconds since the computer started in which it had no processor for somebody who wanted one."""
    return waited() + stolen()


def counted(gone, stood):
    """What counts of seconds that have gone, of which the computer stood for so many."""
    return max(gone - stood, gone * SLOWEST)


class Moment(float):
    """A moment of time.monotonic, to which belongs what the host had taken until then. Calculated with it is a number as any other: only `passed` knows of the host."""

    def __new__(cls, at, taken):
        self = super().__new__(cls, at)
        self.taken = taken
        return self


def moment():
    """Now."""
    return Moment(time.monotonic(), stolen())


def passed(first, last):
    """Seconds from one moment to another without what the host took meanwhile. By a Clock it would be more where the kernel counts the host's share late, since that goes
    from one look to the next."""
    return counted(last - first, last.taken - first.taken)


class Clock:
    """`now` is in seconds since any moment, as time.monotonic's. Several threads may ask. wanted() and real() are what a test replaces."""

    def __init__(self, wanted=lacked, real=time.monotonic):
        self._wanted, self._real = wanted, real
        self._lock = threading.Lock()
        self._stood = wanted()
        self._last = self._passed = real()

    def now(self):
        """What has passed."""
        with self._lock:
            last, stood = self._last, self._stood
            self._last, self._stood = self._real(), self._wanted()
            self._passed += counted(self._last - last, self._stood - stood)
            return self._passed
