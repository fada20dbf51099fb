"""What the overlay carried in each calendar month of the machine's time zone, and what came from origins beside it, both ways, and the owner's share of it: a
small file beside that of the limits, which wow-jobs keeps (line.py). A month that its share is used up in is the owner's pause under another name.

The month is the newest that is kept, not the clock's: a clock set wrong gives no fresh share. The clock's counts when it has said another one for a while
(Ledger); was it ahead before, then what was counted in months to come is of this one. So no clock ends a share for ever either."""
import time

from wow.lib import files
from wow.lib.errors import WowError
from wow.lib.whole import is_whole
from wow.pause import state as pauses
from wow.pause.state import Pause

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FILE = f"{pauses.FOLDER}/month.json"
WHO = "wow-month"
"""Stands where a pause has the name of who asked for it."""
GIGABYTE = 1_000_000_000
KEPT = 3
"""Months that are kept."""
MOST = 1 << 60
"""No figure is larger."""
SURE, UNSURE = 60.0, 3600.0
"""Seconds for which the clock says another month until that counts: where something vouches for the clock, and where nothing does."""


class Run:
    """A run of ipopd as it was last seen: the boot, its age in seconds by its own word, and what it had sent and received.

    When it began is not worked out: this machine may take seconds from the answer to its own look at a clock, and the run would seem to be another one."""

    __slots__ = ("boot", "age", "sent", "received")

    def __init__(self, boot: str, age: int, sent: int, received: int) -> None:
        self.boot, self.age, self.sent, self.received = boot, age, sent, received

    def grown(self, former: "Run | None") -> tuple[int, int]:
        """What it carried since that look; all of it where that was another run, which is younger or has carried less."""
        if former is None or former.boot != self.boot or former.age > self.age or former.sent > self.sent or former.received > self.received:
            return self.sent, self.received
        return self.sent - former.sent, self.received - former.received


class Book:
    """months: bytes sent and received by month, YYYY-MM. run: ipopd's, as last counted; beside: the same of what origins sent past the overlay.
    full: since when this month's share is used up, seconds since 1970."""

    __slots__ = ("months", "run", "beside", "full")

    def __init__(self) -> None:
        self.months: dict[str, tuple[int, int]] = {}
        self.run: Run | None = None
        self.beside: Run | None = None
        self.full: int | None = None

    @property
    def month(self) -> str:
        """The one that is counted now; empty where none is yet."""
        return max(self.months, default="")

    @property
    def carried(self) -> tuple[int, int]:
        """Bytes of this month, sent and received."""
        return self.months.get(self.month, (0, 0))

    def add(self, sent: int, received: int) -> None:
        """Counts bytes of this month."""
        self.months[self.month] = (self.carried[0] + sent, self.carried[1] + received)

    def turn(self, month: str) -> None:
        """Begins or goes back to a month; what was counted in later ones is of it."""
        later = [self.months.pop(name) for name in list(self.months) if name >= month]
        self.months[month] = (sum(one[0] for one in later), sum(one[1] for one in later))
        for old in sorted(self.months)[:-KEPT]:
            del self.months[old]

    def is_used(self, share: int | None) -> bool:
        """Whether so many GB went in this month."""
        return share is not None and sum(self.carried) >= share * GIGABYTE

    def facts(self) -> dict[str, object]:
        """For programs."""
        return {"month": self.month or None, "sent_bytes": self.carried[0], "received_bytes": self.carried[1]}


class Ledger:
    """Counts, look after look. Seconds are of a clock that nobody sets."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self._other = ("", 0.0)

    def count(self, run: Run) -> bool:
        """Adds what went since the last look; whether anything did."""
        sent, received = run.grown(self.book.run)
        self.book.run = run
        return self._add(sent, received)

    def count_beside(self, run: Run) -> bool:
        """The same of what went past the overlay."""
        sent, received = run.grown(self.book.beside)
        self.book.beside = run
        return self._add(sent, received)

    def _add(self, sent: int, received: int) -> bool:
        if sent or received:
            self.book.add(sent, received)
        return bool(sent or received)

    def turn(self, now: float, month: str, is_sure: bool) -> bool:
        """Takes what month the clock says; whether another one counts from here on."""
        if month == self.book.month:
            self._other = ("", 0.0)
            return False
        if self._other[0] != month:
            self._other = (month, now)
        if self.book.month and now - self._other[1] < (SURE if is_sure else UNSURE):
            return False
        self.book.turn(month)
        self._other = ("", 0.0)
        return True

    def look(self, share: int | None, wall: float) -> bool:
        """Notes whether the month's share is used up; whether that is news."""
        was = self.book.full is not None
        if was != self.book.is_used(share):
            self.book.full = None if was else int(wall)
            return True
        return False


def name(wall: float) -> str:
    """The month of the machine's zone."""
    time.tzset()  # the zone may have been set since this program began
    now = time.localtime(wall)
    return f"{now.tm_year:04}-{now.tm_mon:02}"


def end(month: str) -> int:
    """When it is over, in seconds since 1970."""
    time.tzset()
    return int(time.mktime((int(month[:4]), int(month[5:]) + 1, 1, 0, 0, 0, 0, 0, -1)))


def pause(share: int | None, wall: float) -> Pause | None:
    """The pause of a machine whose share of this month is used up."""
    if share is None:
        return None
    book = read()
    return Pause(book.full or int(wall), end(book.month), False, WHO) if book.is_used(share) else None


def read() -> Book:
    """What is kept; nothing where nothing is, or the file is no good."""
    try:
        return load()
    except WowError:
        return Book()


def load() -> Book:
    """As read; WowError if the file is no good."""
    found = pauses.from_file(FILE, _bad)
    book = Book()
    if found is None:
        return book
    try:
        book.months = {_month(month): (_whole(sent), _whole(received)) for month, (sent, received) in found["months"].items()}
        # A former release kept no word of what went beside the overlay.
        book.run, book.beside = _run(found["run"]), _run(found.get("beside"))
        book.full = None if found["full"] is None else _whole(found["full"], 0, pauses.LAST)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise _bad("is not as this program writes it") from None
    return book


def _run(kept: "Any") -> Run | None:
    if kept is None:
        return None
    # Former releases wrote when the run began, in seconds of the boot, where its age stands now.
    boot, age, sent, received = kept
    return Run(str(boot), _whole(age, -MOST), _whole(sent), _whole(received))


def _month(word: str) -> str:
    if not (len(word) == 7 and word.isascii() and word[4] == "-" and word[:4].isdigit() and word[5:].isdigit() and 1970 <= int(word[:4]) and 1 <= int(word[5:]) <= 12):
        raise ValueError(word)
    return word


def _whole(value: "Any", least: int = 0, most: int = MOST) -> int:
    if not is_whole(value, least, most - 1):
        raise ValueError(value)
    return value


def _bad(what: str) -> WowError:
    return WowError(f"{what}, so this month's bytes are counted anew", "Nothing is to be done; the next month is whole again", FILE, code="month-unreadable")


def keep(book: Book) -> None:
    """Writes the file as a whole, so that it outlives a power cut. OSError says why it cannot."""
    import json
    run, beside = (None if one is None else [one.boot, one.age, one.sent, one.received] for one in (book.run, book.beside))
    files.write(FILE, json.dumps({"months": book.months, "run": run, "beside": beside, "full": book.full}) + "\n", sync=True)
