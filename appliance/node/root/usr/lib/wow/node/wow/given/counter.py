"""Counts what this machine gives. A part of wow-jobs: each round is a look at the notes of starters and, while jobs run, at their control groups; one in two
looks at the network cards. What a job has between the last look and its end, 5 s at most, is not counted, nor what was not written yet when the machine lost
its power."""
import os
import time

from wow.given import book
from wow.lib import console, control, files, paths
from wow.lib.errors import WowError
from wow.slots import running
from wow.slots import uses as kernel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

WRITE = 600.0
"""Seconds from one writing to the next."""
CARDS_EVERY = 9.0
ASK, PATIENCE = 60.0, 3.0
"""Seconds from one question for the clock to the next while days to come are kept, and until ipopd has answered."""
NET = "/sys/class/net"
OTHERS = ("lo", paths.TAP)
"""Cards that are none: what goes over the tap goes over a real one, too."""


class Counter:
    """One round after the other. clock: Unix time; uptime: seconds since the machine started, as starters note when they began."""

    def __init__(self, clock: "Callable[[], float]" = time.time, uptime: "Callable[[], float]" = console.uptime, path: str = book.FILE, net: str = NET) -> None:
        self._clock, self._path, self._net = clock, path, net
        self._book = book.open_book(path)
        self._since = uptime()
        self._seen: dict[int, tuple[float, float]] = {}
        self._cards: dict[str, tuple[int, int]] | None = None
        self._looked = self._asked = self._wrote = float("-inf")
        self._is_new = False

    def round(self, now: float) -> None:
        """Looks, and writes a few times an hour. now: seconds, of a clock that nobody sets. OSError: it cannot be written."""
        moment = time.localtime(self._clock())
        date = f"{moment.tm_year:04}-{moment.tm_mon:02}-{moment.tm_mday:02}"
        if self._book.has_later(date) and now - self._asked >= ASK:
            self._asked = now
            self._turn_back(date)
        day = self._book.day(date)
        self._count_jobs(day)
        if now - self._looked >= CARDS_EVERY:
            self._looked = now
            self._count_bytes(day)
        if self._wrote == float("-inf"):
            self._wrote = now
        if self._is_new and now - self._wrote >= WRITE:
            self._wrote = now
            self.close()

    def close(self) -> None:
        """Writes what is not written yet. OSError: it cannot be."""
        if self._is_new:
            book.keep(self._book, self._path)
            self._is_new = False

    def _turn_back(self, date: str) -> None:
        """A clock that was ahead leaves no day to come, once ipopd knows that it is right now: one that is behind may not take the days that were."""
        try:
            is_right = control.vouches(control.status(timeout=PATIENCE)["clock"])
        except WowError:
            return  # the doctor tells of an ipopd that is away
        if is_right:
            self._book.turn(date)
            self._is_new = True

    def _count_jobs(self, day: book.Day) -> None:
        jobs = running.look()
        if not jobs and not self._seen:
            return
        uses = kernel.look() if jobs else {}
        seen = {}
        for job in jobs:
            use = uses.get(job.account)
            begun, before = self._seen.get(job.account, (-1.0, 0.0))
            is_first = begun != job.begun
            # Its group may not be there yet, or not any more.
            spent = before if use is None or use.processor is None else use.processor
            if is_first:
                # What ran before this program did was counted by the one before, as far as it was.
                began_here = job.begun >= self._since
                spent = 0.0 if use is None or use.processor is None else use.processor
                before = 0.0 if began_here else spent
                self._add(day, job.project, 0.0, int(began_here))
            self._add(day, job.project, max(0.0, spent - before), 0)
            seen[job.account] = (job.begun, max(spent, before))
        self._seen = seen

    def _add(self, day: book.Day, project: str, seconds: float, jobs: int) -> None:
        if seconds or jobs:
            day.add(project, seconds, jobs)
            self._is_new = True

    def _count_bytes(self, day: book.Day) -> None:
        former, self._cards = self._cards, cards(self._net)
        if former is None:
            return
        for name, (sent, received) in self._cards.items():
            was_sent, was_received = former.get(name, (0, 0))
            # A card that was taken out and put back begins at nothing.
            grown = (sent - was_sent if sent >= was_sent else sent, received - was_received if received >= was_received else received)
            if any(grown):
                day.sent, day.received = day.sent + grown[0], day.received + grown[1]
                self._is_new = True


def cards(net: str = NET) -> dict[str, tuple[int, int]]:
    """Bytes that went out and came in by each network card since it is there."""
    found = {}
    try:
        names = [name for name in os.listdir(net) if name not in OTHERS]
    except OSError:
        return {}
    for name in names:
        try:
            found[name] = (int(files.read(f"{net}/{name}/statistics/tx_bytes")), int(files.read(f"{net}/{name}/statistics/rx_bytes")))
        except (OSError, ValueError):
            pass  # it was taken out meanwhile, or is no card (bonding_masters)
    return found
