"""What the owner lends of the line for what comes from origins, past the overlay: `wow limit speed` and `wow limit month` hold for it, too. What it carried since the
machine started stands in a small file, which only grows; wow-jobs counts for the month what that has grown by (limits/line.py)."""
import time

from wow.lib import files, paths
from wow.lib.errors import WowError
from wow.limits import line, month, state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

OPENED = (2_500, 6_500)
"""Bytes sent and received for one connection, about: a name, TCP, and TLS with a chain of certificates."""
SEGMENT, HEADS = 1448, 52
"""Bytes of a segment of TCP, and of its heads. Every second one is answered by heads alone."""
STEP = 1 << 20
"""Bytes after which the file is written, and the month looked at again."""
PIECES = 8
"""Of a second, in which so much comes as the owner lends."""


class Lent:
    """One run of wow-stack. now: seconds of a clock that nobody sets."""

    __slots__ = ("sent", "received", "_new", "_due", "_sleep", "_now")

    def __init__(self, sleep: "Callable[[float], None]" = time.sleep, now: "Callable[[], float]" = time.monotonic) -> None:
        self.sent, self.received = line.beside()
        self._new, self._due, self._sleep, self._now = 0, 0.0, sleep, now

    def opened(self) -> None:
        """A connection is about to be made. WowError: the month's share is used up."""
        check()
        self._add(*OPENED)

    def piece(self, most: int) -> int:
        """Bytes to take at once, so that the line is never busy for long."""
        speed = state.read().speed
        return most if speed is None else max(1, min(most, speed * 1000 // PIECES))

    def took(self, count: int) -> float:
        """So many bytes of an answer came. Waits as `wow limit speed` wants it; seconds of that. WowError: the month's share is used up."""
        self._add(count * HEADS // SEGMENT // 2, count + count * HEADS // SEGMENT)
        if self._new >= STEP:
            self.keep()
            check()
        speed, now = state.read().speed, self._now()
        self._due = max(self._due, now) + (count / (speed * 1000) if speed is not None else 0)
        if self._due > now:
            self._sleep(self._due - now)
        return max(0.0, self._due - now)

    def keep(self) -> None:
        """Writes what is not written yet."""
        if self._new:
            files.write(paths.BESIDE, f"{self.sent} {self.received}\n")
            self._new = 0

    def _add(self, sent: int, received: int) -> None:
        self.sent, self.received, self._new = self.sent + sent, self.received + received, self._new + sent + received


def check() -> None:
    """WowError where this month's share is used up."""
    if month.pause(state.read().month, time.time()) is not None:
        raise WowError("this month's share of the line is used up, so nothing that the pool published is fetched",
                       "It comes with the next month, or with a larger share: wow limit set month, or wow limit clear month", code="month")
