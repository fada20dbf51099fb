"""Whether a stage that computes may begin beside those that go by clocks: virtual machines, pools, networks. On a slow or busy machine they have no processor to spare,
and what guests and daemons promise each other in seconds would fail for no fault of theirs; then what computes waits until they are over. That costs nothing there:
both processors are busy all the time, and the same work is done later."""

import collections
import os
import pathlib
import time
from typing import Callable

STAT = pathlib.Path("/proc/stat")
SPARE = 0.25
"""Processors that must have been idle, in the mean of the last SECONDS."""
MUCH = 0.5
"""The same for one more than there are processors: those that run wait for a disk, or for programs that they start, most of the time."""
LEFT = 0.05
"""Processors that must have been idle for one to follow another one that has ended: it takes no more than that one did."""
SECONDS = 30.0
"""Also how long after the last begin nothing further begins, so that what that takes is seen."""
LOOK_SECONDS = 2.0


def idle(path: pathlib.Path = STAT) -> float:
    """Seconds for which processors of this machine were idle since it started, those of all added; waiting for a disk is idle (proc_stat(5))."""
    words = path.read_text(encoding="ascii").split("\n", 1)[0].split()
    return (int(words[4]) + int(words[5])) / os.sysconf("SC_CLK_TCK")


class Room:
    """Who asks it does so every LOOK_SECONDS or so, one thread at a time."""

    def __init__(self, idle_seconds: Callable[[], float] = idle, now: Callable[[], float] = time.monotonic, processors: int = os.cpu_count() or 1):
        self._idle, self._now, self._processors = idle_seconds, now, processors
        self._seen: collections.deque = collections.deque()
        self._began = now()
        self._places = 0

    def begins(self, computing: int) -> None:
        """A stage begins now; with it so many run that compute."""
        self._began = self._now()
        self._places = max(self._places, computing)

    def has(self, computing: int, others: int) -> bool:
        """Whether one that computes may begin. computing, others: how many of these, and of those that go by clocks, run. Beside none of the latter, one more may
        than there are processors, for those that compute wait for a disk now and then."""
        self._look()
        if not others:
            return computing <= self._processors
        (since, before), (until, now) = self._seen[0], self._seen[-1]
        if until - since < SECONDS or computing >= 2 * self._processors:
            return False
        mean = (now - before) / (until - since)
        if computing >= self._processors:
            return mean >= MUCH and self._now() - self._began >= SECONDS
        if computing < self._places:
            if mean >= LEFT:
                return True
            self._places = computing
        return mean >= SPARE and self._now() - self._began >= SECONDS

    def _look(self) -> None:
        """Keeps looks of the last SECONDS, and the one before these."""
        now = self._now()
        if not self._seen or now - self._seen[-1][0] >= LOOK_SECONDS:
            self._seen.append((now, self._idle()))
        while len(self._seen) > 1 and now - self._seen[1][0] >= SECONDS:
            self._seen.popleft()
