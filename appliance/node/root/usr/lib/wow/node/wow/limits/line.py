"""What wow-jobs does for the limits of the overlay: tells ipopd again how much may be sent, also one that was started anew, and counts what the month carried."""
import time

from wow.lib import control, files, paths
from wow.lib.errors import WowError
from wow.limits import month, state
from wow.pause import state as pauses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

ASK, WRITE = 30.0, 300.0
"""Seconds from one look at ipopd to the next while nothing is limited, and from one writing to the next."""
PATIENCE = 3.0


class Line:
    """One round after the other. clock: Unix time."""

    def __init__(self, clock: "Callable[[], float]" = time.time) -> None:
        self._clock = clock
        self._ledger = month.Ledger(open_book())
        self._told: int | None = None
        self._asked = self._wrote = float("-inf")
        self._is_new = False

    def round(self, now: float) -> None:
        """Looks, tells and writes. now: seconds, of a clock that nobody sets. WowError: ipopd does not take it; OSError: it cannot be written."""
        limits = state.read()
        is_calm = limits.speed is None and self._told is None and limits.month is None
        if is_calm and now - self._asked < ASK:
            return
        self._asked = now
        try:
            status = control.status(timeout=PATIENCE)
        except WowError:
            return  # the doctor and both pages tell of an ipopd that is away, which sends nothing
        carried, wall = status["carried"], self._clock()
        boot = pauses.now().boot
        is_urgent = self._ledger.turn(now, month.name(wall), control.vouches(status["clock"]))
        self._is_new |= self._ledger.count(month.Run(boot, status["uptime_s"], carried["sent_bytes"], carried["received_bytes"]))
        self._is_new |= self._ledger.count_beside(month.Run(boot, 0, *beside()))
        is_urgent |= self._ledger.look(limits.month, wall)
        if is_urgent or (self._is_new and now - self._wrote >= WRITE):
            self._wrote = now
            self.close(is_urgent)
        if carried["speed"] != limits.speed:
            control.ask("limit", timeout=PATIENCE, speed=limits.speed or 0)
        self._told = limits.speed

    def close(self, is_urgent: bool = False) -> None:
        """Writes what is not written yet. OSError: it cannot be."""
        if self._is_new or is_urgent:
            month.keep(self._ledger.book)
            self._is_new = False


def beside() -> tuple[int, int]:
    """Bytes sent and received since this start for what came from origins, as wow-stack says (stack/lent.py)."""
    words = (files.find(paths.BESIDE) or "").split()
    is_good = len(words) == 2 and all(word.isascii() and word.isdigit() and len(word) < 19 for word in words)
    return (int(words[0]), int(words[1])) if is_good else (0, 0)


def open_book() -> month.Book:
    """What is kept; said in the journal where it is no good."""
    try:
        return month.load()
    except WowError as error:
        print(error, flush=True)
        return month.Book()


def is_told(speed: int) -> bool:
    """Whether ipopd holds this speed."""
    try:
        return control.status(timeout=PATIENCE)["carried"]["speed"] == speed
    except WowError:
        return False
