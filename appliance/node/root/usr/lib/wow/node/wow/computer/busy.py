"""How busy the owner's computer is, as a guest can tell: how much of the time in which it wants a processor it has to wait for one.

For a few milliseconds at a time this program wants a processor and asks the clock again and again. No job keeps it from that, for the kernel has it run before
everything else meanwhile (SCHED_FIFO); so a step of the clock that is too long is time in which the computer ran something else than this machine. Where the hypervisor
tells of such time itself (steal of proc(5)), that counts, too. A timer that wakes a processor which slept would tell of the hypervisor's own timers instead, of which
some are 15 ms late on a computer that does nothing (decision 0068)."""
import os
import time

from wow.lib import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

STEP = 0.001
"""Seconds between two looks at the clock; what takes longer was taken away."""
WANTS, LETS, TIMES = 0.005, 0.002, 10
"""Seconds of a processor that a look has at a time, and lets others have then, so often. What carries packets waits no longer than that."""
MOST = 1.0
"""Seconds that may be taken away in a look until it ends."""
HIGH, LOW = 0.20, 0.05
"""The share taken away from which the computer is busy, and under which it is no more."""
RISE, FALL = 60.0, 300.0
"""Seconds for which it must be that high, or that low."""
LOOKS = 6
"""The newest, of which the share is."""
LEAST = 20
"""Ticks that the machine ran, or wanted to, between two looks; of less its hypervisor's word says little."""


def look(clock: "Callable[[], float]" = time.monotonic, sleep: "Callable[[float], None]" = time.sleep) -> tuple[float, float] | None:
    """Seconds that it had, and seconds that were taken away; None where this program may not run before others."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))
    except OSError:
        return None
    had = taken = 0.0
    try:
        for _ in range(TIMES):
            until, last = had + WANTS, clock()
            while had < until and taken < MOST:
                now = clock()
                if now - last > STEP:
                    taken += now - last
                else:
                    had += now - last
                last = now
            sleep(LETS)
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    return had, taken


def ticks(path: str = "/proc/stat") -> tuple[int, int]:
    """Ticks that this machine's processors ran, and that the hypervisor says it took away, since it started."""
    words = files.read(path).partition("\n")[0].split()
    user, nice, system, _, _, irq, softirq, steal = (int(word) for word in words[1:9])
    return user + nice + system + irq + softirq, steal


class Level:
    """Whether it is busy: two thresholds, and time for which each must hold."""

    def __init__(self) -> None:
        self.is_busy = False
        self._since: float | None = None

    def take(self, share: float, now: float) -> bool:
        """The newest share."""
        wanted = share >= HIGH if not self.is_busy else share > LOW
        if wanted == self.is_busy:
            self._since = None
        elif self._since is None:
            self._since = now
        elif now - self._since >= (RISE if wanted else FALL):
            self.is_busy, self._since = wanted, None
        return self.is_busy


class Measure:
    """One look after the other, while jobs run or the computer is busy: else nothing is measured, and it costs nothing."""

    def __init__(self, looked: "Callable[[], tuple[float, float] | None]" = look, counted: "Callable[[], tuple[int, int]]" = ticks) -> None:
        self._look, self._ticks = looked, counted
        self._level = Level()
        self._kept: list[tuple[float, float]] = []
        self._before: tuple[int, int] | None = None
        self.share: float | None = None

    @property
    def is_busy(self) -> bool:
        """Whether the computer is."""
        return self._level.is_busy

    def round(self, works: bool, now: float) -> None:
        """Looks. works: whether jobs run."""
        seen = self._look() if works or self.is_busy else None
        if seen is None:
            self._level, self._kept, self._before, self.share = Level(), [], None, None
            return
        self._kept = [*self._kept[1 - LOOKS:], seen]
        had, taken = (sum(one[place] for one in self._kept) for place in (0, 1))
        self.share = max(taken / (had + taken) if had + taken else 0.0, self._told())
        self._level.take(self.share, now)

    def _told(self) -> float:
        """The share that the hypervisor says it took away since the last look."""
        try:
            ran, steal = self._ticks()
        except (OSError, ValueError):
            return 0.0
        before, self._before = self._before or (ran, steal), (ran, steal)
        took, wanted = steal - before[1], ran - before[0] + steal - before[1]
        return max(0.0, took / wanted) if wanted >= LEAST else 0.0
