"""What this machine gave, by day and project, as it is kept: one file in the home's state, written as a whole. Days are those of the machine's time zone.

It has a bound: so many days, and so many projects a day; what is over the one is forgotten, the oldest day first, what is over the other counts as one."""
import json
import os

from wow.config import facts
from wow.lib import files, names, paths
from wow.lib.whole import is_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterable

FOLDER = f"{paths.STATE}/given"
FILE = f"{FOLDER}/given.json"
BAD = f"{FOLDER}/given.bad"
"""Where a file is put that is no good."""
DAYS, PROJECTS = 400, 16
"""Days that are kept, and projects of a day that are told apart."""
LARGEST = 1 << 20
"""Bytes of the file at most."""
MOST = 1 << 53
"""No figure is larger: JSON's numbers are exact up to there."""
NONE = "-"
"""The project of a job that names none."""


class Sum:
    """What a project had: seconds of a processor, and jobs that began."""

    __slots__ = ("seconds", "jobs")

    def __init__(self, seconds: float = 0.0, jobs: int = 0) -> None:
        self.seconds, self.jobs = seconds, jobs

    def add(self, seconds: float, jobs: int) -> None:
        """Adds."""
        self.seconds, self.jobs = self.seconds + seconds, self.jobs + jobs

    def facts(self) -> dict[str, object]:
        """For programs."""
        return {"processor_hours": round(self.seconds / 3600, 4), "jobs": self.jobs}


class Day:
    """A day: bytes that went out and came in by the machine's own network, and what each project had."""

    __slots__ = ("sent", "received", "projects")

    def __init__(self, sent: int = 0, received: int = 0) -> None:
        self.sent, self.received = sent, received
        self.projects: dict[str, Sum] = {}

    def add(self, project: str, seconds: float, jobs: int) -> None:
        """Counts work of a project, whose name a stranger gave."""
        name = names.clean(project) or NONE
        if name not in self.projects and len(self.projects) >= PROJECTS:
            name = names.OTHERS
        self.projects.setdefault(name, Sum()).add(seconds, jobs)


class Book:
    """All days, by their date, YYYY-MM-DD."""

    def __init__(self) -> None:
        self.days: dict[str, Day] = {}

    def day(self, date: str) -> Day:
        """A day, which begins with nothing; the oldest ones make room for it."""
        if date not in self.days:
            self.days[date] = Day()
            for old in sorted(self.days)[:-DAYS]:
                del self.days[old]
        # A clock that is behind all that is kept has its day counted nowhere.
        return self.days.get(date, Day())

    def has_later(self, date: str) -> bool:
        """Whether days are kept that come after this one: the clock was ahead then, or is behind now."""
        return max(self.days, default="") > date

    def turn(self, date: str) -> None:
        """Goes back to a day: what was counted in later ones is of it."""
        later = [(name, self.days.pop(name)) for name in sorted(self.days) if name >= date]
        into = self.day(date)
        into.sent, into.received = sum(one.sent for _, one in later), sum(one.received for _, one in later)
        for name, one in (entry for _, day in later for entry in day.projects.items()):
            into.add(name, one.seconds, one.jobs)

    def newest(self, count: int | None) -> list[tuple[str, Day]]:
        """The last days that there are, so many at most, the newest first."""
        return sorted(self.days.items(), reverse=True)[:count]


def total(days: "Iterable[tuple[str, Day]]") -> Day:
    """The sum of some days, the project with the most first."""
    found = Day()
    for _, day in days:
        found.sent, found.received = found.sent + day.sent, found.received + day.received
        for name, one in day.projects.items():
            found.projects.setdefault(name, Sum()).add(one.seconds, one.jobs)
    found.projects = dict(sorted(found.projects.items(), key=lambda one: (-one[1].seconds, -one[1].jobs, one[0])))
    return found


def text(book: Book) -> str:
    """The file's text."""
    days = {date: [day.sent, day.received, {name: [round(one.seconds, 1), one.jobs] for name, one in day.projects.items()}] for date, day in sorted(book.days.items())}
    return json.dumps({"days": days}, separators=(",", ":")) + "\n"


def parse(said: str) -> Book:
    """A file that was read. ValueError if it is not as this program writes it."""
    try:
        days = json.loads(said)["days"]
        book = Book()
        for date, (sent, received, projects) in sorted(days.items())[-DAYS:]:
            day = book.days[_date(date)] = Day(_count(sent), _count(received))
            for name, (seconds, jobs) in list(projects.items())[:PROJECTS + 1]:
                day.projects[str(name)] = Sum(float(_count(int(seconds))) + seconds % 1, _count(jobs))
        return book
    except (KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise ValueError(f"it is not as this program writes it: {error!r}") from None


def _date(word: str) -> str:
    if len(word) != 10 or word[4] != "-" or word[7] != "-" or not (word[:4] + word[5:7] + word[8:]).isdigit() or not word.isascii():
        raise ValueError("a day has no date")
    return word


def _count(value: "Any") -> int:
    if not is_whole(value, 0, MOST - 1):
        raise ValueError("a figure cannot be")
    return value


def read(path: str = FILE) -> Book:
    """What is kept; nothing where nothing is. OSError, or ValueError where the file is no good."""
    try:
        with open(path, "rb") as file:
            return parse(file.read(LARGEST + 1).decode())
    except FileNotFoundError:
        return Book()


def open_book(path: str = FILE, bad: str = BAD) -> Book:
    """What is kept, for who goes on with it. What is no good, or cannot be read, is put aside, and said: wow-jobs has more to do than this."""
    try:
        return read(path)
    except (OSError, ValueError) as error:
        print(f"{path} was no good; what this machine gave is counted anew: {error}", flush=True)
    try:
        os.replace(path, bad)
        print(f"{path} is {bad} now", flush=True)
    except OSError as error:
        print(f"{path} is written over: it cannot be put aside as {bad}: {error}", flush=True)
    return Book()


def keep(book: Book, path: str = FILE) -> None:
    """Writes the file as a whole. OSError says why it cannot."""
    files.write(path, text(book), sync=True)


def told(book: Book, days: int | None, projects: dict[str, dict[str, str]]) -> dict[str, object]:
    """For programs: the last days, and their sums. projects: what pool.conf says of some."""
    shown = book.newest(days)
    whole = total(shown)
    about: list[dict[str, object]] = []
    for name, one in whole.projects.items():
        known = projects.get(name, {})
        about.append({"name": name, **one.facts(), "says": known.get("says", ""), "link": known.get("link", "")})
    return {"sent_bytes": whole.sent, "received_bytes": whole.received, "projects": about, "days": [_told_day(date, day) for date, day in shown]}


def _told_day(date: str, day: Day) -> dict[str, object]:
    parts: list[dict[str, object]] = [{"name": name, **one.facts()} for name, one in total([(date, day)]).projects.items()]
    return {"day": date, "sent_bytes": day.sent, "received_bytes": day.received, "projects": parts}


def known_projects() -> dict[str, dict[str, str]]:
    """What pool.conf says of projects; nothing on a machine that has none."""
    try:
        return facts.read().projects
    except (OSError, ValueError, KeyError):
        return {}
