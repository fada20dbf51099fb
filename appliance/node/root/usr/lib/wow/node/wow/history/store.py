"""The history's file: core seconds and jobs by person, project and machine's owner, in slices of ten minutes for 30 days and of an hour for two years, and
of each name the sum since ever. SQLite; 50 MB at most.

Power can go at any time. Each sample is one transaction of a write-ahead log that is on the disk when it ends (journal_mode=WAL, synchronous=FULL), so what
is lost is the sample under way. A file that the disk has damaged, or cannot read, is put aside, and a new one begun.

What bounds it: a slice that has ended keeps its largest names, so many of a kind, and the sum of the rest; so many slices are kept, by their number and not
by their age, since a clock that is wrong must not take the history away; names are so many of each kind, of which the least goes for a new one."""
import os
import sqlite3

from wow.history import machines as off
from wow.lib.names import OTHERS

PERSON, PROJECT, OWNER = KINDS = (0, 1, 2)
KIND_NAMES = ("person", "project", "owner")
TIERS = ((600, 30 * 144), (3600, 2 * 365 * 24))
"""Seconds of a slice, and how many slices are kept."""
KEPT = (36, 16, 36)
"""Names of each kind that an ended slice keeps beside the sum of the others."""
MOST_NAMES = 10_000
"""Names of each kind."""
NEW_NAMES = 200
"""Names of each kind that a sample may bring."""
NEW_OF_ONE, HOUR = 10, 3600
"""Names of each kind that one machine may bring in an hour: people and projects by its queue, owners by itself."""
STAYS = 86400
"""Seconds within which a name was used that gives place to no other."""
REMEMBERED = 2000
"""Names whose numbers are kept in memory."""
PAGE, LARGEST = 4096, 46 << 20
"""Bytes of a page, and of the file. Beside it the log has 4 MiB."""

SCHEMA = """
CREATE TABLE IF NOT EXISTS name (id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, text TEXT NOT NULL, seconds INTEGER NOT NULL, jobs INTEGER NOT NULL,
    used INTEGER NOT NULL DEFAULT 0, UNIQUE (kind, text));
CREATE TABLE IF NOT EXISTS slice (tier INTEGER, start INTEGER, name INTEGER, seconds INTEGER NOT NULL, jobs INTEGER NOT NULL,
    PRIMARY KEY (tier, start, name)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS span (tier INTEGER, start INTEGER, is_open INTEGER NOT NULL, PRIMARY KEY (tier, start)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS open_spans ON span (tier, start) WHERE is_open;
"""
ADD = "INSERT INTO slice VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET seconds = seconds + excluded.seconds, jobs = jobs + excluded.jobs"
RAISE = "UPDATE name SET seconds = seconds + ?, jobs = jobs + ? WHERE id = ?"
USE = "UPDATE name SET seconds = seconds + ?, jobs = jobs + ?, used = ? WHERE id = ?"
LEAST = "SELECT id, text, seconds, jobs FROM name WHERE kind = ? AND id >= 3 AND abs(used - ?) > ? ORDER BY seconds LIMIT ?"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Mapping

    from wow.history.ledger import Credit

    Name = tuple[int, str]
    Sums = dict[Name, tuple[int, int]]
    Bringers = dict[Name, list[str]]


def is_damage(error: sqlite3.Error) -> bool:
    """Whether an error says that the file is no good, or has a part that the disk cannot read; and not that the disk is full or busy."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
    return code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or code == sqlite3.SQLITE_IOERR_READ


class Store:
    """The open file. OSError or sqlite3.Error: the disk is full or broken; what was there before is there still, or was put aside where it was damaged."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._numbers: dict[Name, int] = {}
        self._places: dict[int, _Places] = {}
        self._newcomers, self._machines = _Newcomers(), off.Machines()
        try:
            self._file = self._open()
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            self._file = self._begin_anew()

    def _begin_anew(self) -> sqlite3.Connection:
        """Puts a damaged file aside."""
        os.replace(self._path, f"{self._path}.damaged")
        for end in ("-wal", "-shm"):
            if os.path.exists(self._path + end):
                os.unlink(self._path + end)
        return self._open()

    def _open(self) -> sqlite3.Connection:
        file = sqlite3.connect(self._path, isolation_level=None)
        file.execute(f"PRAGMA page_size = {PAGE}")
        file.execute("PRAGMA journal_mode = WAL")
        file.execute("PRAGMA synchronous = FULL")
        file.execute(f"PRAGMA journal_size_limit = {4 << 20}")
        file.execute(f"PRAGMA max_page_count = {LARGEST // PAGE}")
        file.execute("PRAGMA cache_size = -1024")
        if file.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
            file.close()
            raise sqlite3.DatabaseError("damaged")
        file.executescript(SCHEMA + off.SCHEMA)
        if "used" not in (row[1] for row in file.execute("PRAGMA table_info(name)")):
            # A file of before names had it.
            file.execute("ALTER TABLE name ADD COLUMN used INTEGER NOT NULL DEFAULT 0")
        return file

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def add(self, now: int, counted: "list[Credit]", here: "Mapping[str, str] | None" = None) -> None:
        """Adds what counts to the slices of now, which is Unix time in seconds, and ends those before. here: {machine: owner} of those that are there."""
        sums, bringers = _sums(counted)
        try:
            with _Transaction(self._file):
                for tier, (length, keep) in enumerate(TIERS):
                    self._end(tier, now // length, keep)
                if sums:
                    named = self._names(now, sums, bringers)
                    for tier, (length, _) in enumerate(TIERS):
                        start = now // length
                        self._file.execute("INSERT INTO span VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET is_open = 1", (tier, start))
                        self._file.executemany(ADD, [(tier, start, name, seconds, jobs) for name, (seconds, jobs) in named.items()])
                self._machines.note(self._file, now, here or {}, counted)
        except sqlite3.Error as error:
            self._numbers.clear()
            self._machines.forget()
            if is_damage(error):
                self._file.close()
                self._file = self._begin_anew()
            raise

    def _names(self, now: int, sums: "Sums", bringers: "Bringers") -> dict[int, tuple[int, int]]:
        """{number: sums} of these names, which are added to their sums since ever. A number modulo 3 is the name's kind; the first three are the others."""
        found: dict[int, tuple[int, int]] = {}
        unknown: list[tuple[int, str, int, int]] = []  # (seconds, name, kind, jobs)
        for (kind, text), (seconds, jobs) in sums.items():
            number = self._number(kind, text)
            if number is None:
                unknown.append((seconds, text, kind, jobs))
            else:
                found[number] = (seconds, jobs)
        self._file.executemany(USE, [(seconds, jobs, now, number) for number, (seconds, jobs) in found.items()])
        self._newcomers.begin(now)
        self._places.clear()
        for seconds, text, kind, jobs in sorted(unknown, reverse=True):
            number = self._new(now, kind, text) if self._newcomers.admits(kind, bringers[kind, text]) else None
            if number is None:
                number = self._others(kind)
            self._file.execute(RAISE, (seconds, jobs, number))
            former = found.get(number, (0, 0))
            found[number] = (former[0] + seconds, former[1] + jobs)
        return found

    def _number(self, kind: int, text: str) -> int | None:
        if len(self._numbers) >= REMEMBERED:
            self._numbers.clear()
        if (kind, text) not in self._numbers:
            row = self._file.execute("SELECT id FROM name WHERE kind = ? AND text = ?", (kind, text)).fetchone()
            if row is None:
                return None
            self._numbers[kind, text] = row[0]
        return self._numbers[kind, text]

    def _others(self, kind: int) -> int:
        self._file.execute("INSERT INTO name VALUES (?, ?, ?, 0, 0, 0) ON CONFLICT DO NOTHING", (kind, kind, OTHERS))
        return kind

    def _new(self, now: int, kind: int, text: str) -> int | None:
        """A number for a new name, which no name had before. Where there is no room, the name with the least goes of those that nobody used lately, and what it
        had is the others'; None where all were used."""
        if kind not in self._places:
            self._places[kind] = _Places(self._file, kind, now)
        places = self._places[kind]
        if places.count >= MOST_NAMES:
            row = places.least()
            if row is None:
                self._newcomers.close(kind)
                return None
            least, lost, seconds, jobs = row
            self._file.execute(RAISE, (seconds, jobs, self._others(kind)))
            self._file.execute("DELETE FROM name WHERE id = ?", (least,))
            self._numbers.pop((kind, lost), None)
            places.count -= 1
        number = places.take()
        self._file.execute("INSERT INTO name VALUES (?, ?, ?, 0, 0, ?)", (number, kind, text, now))
        return number

    def _end(self, tier: int, current: int, keep: int) -> None:
        """Folds the slices that have ended, and takes away the oldest of too many."""
        ended = self._file.execute("SELECT start FROM span WHERE tier = ? AND is_open AND start != ?", (tier, current)).fetchall()
        for (start,) in ended:
            for kind in KINDS:
                self._fold(tier, start, kind)
            self._file.execute("UPDATE span SET is_open = 0 WHERE tier = ? AND start = ?", (tier, start))
        if not ended:
            return
        for (start,) in self._file.execute("SELECT start FROM span WHERE tier = ? ORDER BY start DESC LIMIT -1 OFFSET ?", (tier, keep)).fetchall():
            self._file.execute("DELETE FROM slice WHERE tier = ? AND start = ?", (tier, start))
            self._file.execute("DELETE FROM span WHERE tier = ? AND start = ?", (tier, start))

    def _fold(self, tier: int, start: int, kind: int) -> None:
        rows = self._file.execute("SELECT name, seconds, jobs FROM slice WHERE tier = ? AND start = ? AND name % 3 = ? AND name >= 3 ORDER BY seconds DESC, name",
                                  (tier, start, kind)).fetchall()[KEPT[kind]:]
        if rows:
            self._file.executemany("DELETE FROM slice WHERE tier = ? AND start = ? AND name = ?", [(tier, start, name) for name, _, _ in rows])
            self._others(kind)
            self._file.execute(ADD, (tier, start, kind, sum(row[1] for row in rows), sum(row[2] for row in rows)))


class Reader:
    """The file, to be read while it is written. sqlite3.Error: it is not there, or is damaged."""

    def __init__(self, path: str) -> None:
        self._file = sqlite3.connect(f"file:{path}?mode=ro", uri=True)

    def close(self) -> None:
        """Closes it."""
        self._file.close()

    def since(self, first: int, now: int) -> "Sums":
        """{(kind, name): (core seconds, jobs)} of the slices that began between two moments of Unix time: of ten minutes where those are kept for so long,
        else of hours."""
        for tier, (length, _) in enumerate(TIERS):
            oldest = self._file.execute("SELECT min(start) FROM span WHERE tier = ?", (tier,)).fetchone()[0]
            if tier == len(TIERS) - 1 or (oldest is not None and oldest * length <= first):
                break
        rows = self._file.execute("SELECT slice.name % 3, coalesce(name.text, ?), sum(slice.seconds), sum(slice.jobs) FROM slice LEFT JOIN name ON name.id = slice.name "
                                  "WHERE tier = ? AND start BETWEEN ? AND ? GROUP BY 1, 2", (OTHERS, tier, first // length, now // length)).fetchall()
        return {(kind, text): (seconds, jobs) for kind, text, seconds, jobs in rows}

    def of_hours(self, kind: int, first: int, now: int) -> dict[str, tuple[int, int]]:
        """{name: (core seconds, jobs)} of the hours that began between two moments of Unix time."""
        length = TIERS[1][0]
        rows = self._file.execute("SELECT coalesce(name.text, ?), sum(slice.seconds), sum(slice.jobs) FROM slice LEFT JOIN name ON name.id = slice.name "
                                  "WHERE tier = 1 AND start BETWEEN ? AND ? AND slice.name % 3 = ? GROUP BY 1", (OTHERS, first // length, now // length, kind)).fetchall()
        return {text: (seconds, jobs) for text, seconds, jobs in rows}

    def course(self, step: int, first: int, now: int) -> dict[int, tuple[int, int]]:
        """{when it began: (core seconds, jobs)} of each step of so many seconds, whole hours, between two moments of Unix time."""
        length = TIERS[1][0]
        rows = self._file.execute("SELECT start * ? / ?, sum(seconds), sum(jobs) FROM slice WHERE tier = 1 AND start BETWEEN ? AND ? AND name % 3 = ? GROUP BY 1",
                                  (length, step, first // length, now // length, PERSON)).fetchall()
        return {at * step: (seconds, jobs) for at, seconds, jobs in rows}

    def ever_of(self, kind: int) -> dict[str, tuple[int, int]]:
        """{name: (core seconds, jobs)} of a kind since the history began."""
        return {text: (seconds, jobs) for text, seconds, jobs in self._file.execute("SELECT text, seconds, jobs FROM name WHERE kind = ? AND seconds > 0", (kind,))}

    def machines(self) -> dict[str, tuple[str, int, int, int]]:
        """As history/machines.py says."""
        return off.read(self._file)

    def ever(self) -> "Sums":
        """The same since the history began."""
        return {(kind, text): (seconds, jobs) for kind, text, seconds, jobs in self._file.execute("SELECT kind, text, seconds, jobs FROM name WHERE seconds > 0")}


class _Newcomers:
    """How many names of each kind may still come: in this sample, and in this hour from each machine. An hour has no more machines here than names."""

    def __init__(self) -> None:
        self._hour = 0
        self._room = [0] * len(KINDS)
        self._brought: dict[tuple[int, str], int] = {}

    def begin(self, now: int) -> None:
        """A sample of this moment of Unix time."""
        self._room = [NEW_NAMES] * len(KINDS)
        if now // HOUR != self._hour:
            self._hour = now // HOUR
            self._brought.clear()

    def admits(self, kind: int, machines: list[str]) -> bool:
        """Whether a name may come that these machines bring; it counts as that of the first which may bring one."""
        first = next((machine for machine in machines if self._brought.get((kind, machine), 0) < NEW_OF_ONE), None)
        if first is None or not self._room[kind]:
            return False
        self._room[kind] -= 1
        self._brought[kind, first] = self._brought.get((kind, first), 0) + 1
        return True

    def close(self, kind: int) -> None:
        """No more of this kind come in this sample."""
        self._room[kind] = 0


class _Places:
    """The places that names of a kind have while one sample is added: looked up once, for a sample may bring many names. count: names that there are."""

    def __init__(self, file: sqlite3.Connection, kind: int, now: int) -> None:
        self._file, self._kind, self._now = file, kind, now
        self._least: list[tuple[int, str, int, int]] | None = None
        top: int | None
        self.count: int
        self.count, top = file.execute("SELECT count(*), max(id) FROM name WHERE kind = ? AND id >= 3", (kind,)).fetchone()
        self._top = top if top is not None else kind

    def take(self) -> int:
        """A number that no name had before."""
        self._top += 3
        self.count += 1
        return self._top

    def least(self) -> tuple[int, str, int, int] | None:
        """(number, name, seconds, jobs) of the next that gives its place; None where there is none. It is not told again."""
        if self._least is None:
            self._least = self._file.execute(LEAST, (self._kind, self._now, STAYS, NEW_NAMES)).fetchall()[::-1]
        return self._least.pop() if self._least else None


class _Transaction:
    """All or nothing; sqlite3's own manager does not begin one."""

    def __init__(self, file: sqlite3.Connection) -> None:
        self._file = file

    def __enter__(self) -> None:
        self._file.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                self._file.execute("COMMIT")
        finally:
            # SQLite has done it by itself where the disk is full; what went wrong is to be told, and not that there is nothing to roll back.
            if self._file.in_transaction:
                self._file.execute("ROLLBACK")


def _sums(counted: "Iterable[Credit]") -> "tuple[Sums, Bringers]":
    """The sums of each name, and the machines that brought it."""
    sums: Sums = {}
    bringers: Bringers = {}
    for credit in counted:
        queue = credit.person.rpartition("@")[2]
        for kind, text, machine in ((PERSON, credit.person, queue), (PROJECT, credit.project, queue), (OWNER, credit.owner, credit.machine)):
            if text:
                seconds, jobs = sums.get((kind, text), (0, 0))
                sums[kind, text] = (seconds + credit.seconds, jobs + credit.jobs)
                brought = bringers.setdefault((kind, text), [])
                if machine not in brought[-1:]:
                    brought.append(machine)
    return sums, bringers
