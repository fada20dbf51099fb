"""A clock for waits and promises: it shows how long machines have had a processor, or had no use for one.

On a computer that others use, a guest waits for a processor that somebody else has. The guest cannot help it, and within a hypervisor that time is called steal. The
kernel counts it for each thread (/proc/PID/task/TID/schedstat). Of a second in which the worst off of the machines waited for 0.7, 0.3 pass here.
"""

import glob
import threading
import time

SLOWEST = 0.1
"""Of each second at least this passes, so that a wait ends."""


def delays(pid):
    """{thread: seconds that it has waited for a processor} of a process; none of one that has ended."""
    found = {}
    for path in glob.glob(f"/proc/{pid}/task/*/schedstat"):
        try:
            with open(path, encoding="ascii") as file:
                found[path] = int(file.read().split()[1]) / 1e9
        except (OSError, IndexError):
            pass
    return found


class Clock:
    """`now` is in seconds since any moment, as time.monotonic's. Several threads may ask. read(pid) and real() are what a test replaces."""

    def __init__(self, read=delays, real=None):
        self._read = read
        self._real = real or (lambda: time.monotonic())
        self._lock = threading.Lock()
        self._seen = {}
        self._last = self._passed = self._real()

    def watch(self, pid):
        """From now on this process is one of the machines, until it ends."""
        with self._lock:
            self._seen[pid] = self._read(pid)

    def now(self):
        """What has passed."""
        with self._lock:
            real = self._real()
            gone = max(0.0, real - self._last)
            stolen = max((self._stolen(pid) for pid in list(self._seen)), default=0.0)
            self._last = real
            self._passed += max(gone - stolen, gone * SLOWEST)
            return self._passed

    def _stolen(self, pid):
        """Seconds that its thread that waited most has waited since the last look."""
        before, now = self._seen[pid], self._read(pid)
        if now:
            self._seen[pid] = now
        else:
            del self._seen[pid]
        return max((waited - before.get(thread, 0.0) for thread, waited in now.items()), default=0.0)


CLOCK = Clock()
"""The lab's. Each machine that is switched on is watched."""


def now():
    """The lab's clock."""
    return CLOCK.now()
