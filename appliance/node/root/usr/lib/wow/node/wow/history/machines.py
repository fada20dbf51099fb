"""Which machines were in the pool, when each was seen last, and what it gave: a table of the history's file (store.py), which the pool's page reads for those that
are off.

A machine's name is what an ad says, so there are 4,000 at most. For a new one that goes which gave nothing and was seen longest ago, a day ago or more; one that
gave something goes after 30 days. Where there is none of these the new one is not kept. A row goes for another one alone and not by its age: a clock that is wrong
must not take all away."""
import itertools

MOST = 4000
"""Machines that are kept."""
NEW = 200
"""New ones of one look."""
EACH = 600
"""Seconds after which it is written again that a machine is there; when one goes it is written at once."""
STAYS, GIVER_STAYS = 86400, 30 * 86400
"""Seconds after which one that gave nothing, and any, may go."""

SCHEMA = """
CREATE TABLE IF NOT EXISTS machine (label TEXT PRIMARY KEY, owner TEXT NOT NULL, seen INTEGER NOT NULL, seconds INTEGER NOT NULL, jobs INTEGER NOT NULL) WITHOUT ROWID;
"""
SEEN = "UPDATE machine SET owner = ?, seen = ? WHERE label = ?"
GAVE = "UPDATE machine SET seconds = seconds + ?, jobs = jobs + ? WHERE label = ?"
LEAST = "DELETE FROM machine WHERE label IN (SELECT label FROM machine WHERE abs(seen - ?) > iif(seconds, ?, ?) ORDER BY seconds > 0, seen LIMIT ?)"

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from typing import Iterable, Mapping

    from wow.history.ledger import Credit


class Machines:
    """Writes the table, within the transactions of who has the file."""

    def __init__(self) -> None:
        self._written: dict[str, tuple[str, int]] = {}
        self._last = 0

    def forget(self) -> None:
        """What was written last may not be there."""
        self._written.clear()

    def note(self, file: "sqlite3.Connection", now: int, here: "Mapping[str, str]", counted: "Iterable[Credit]") -> None:
        """A look at the pool. now: seconds of Unix time; here: {machine: owner} of those that are there. sqlite3.Error: call `forget`."""
        new = []
        for label, owner in itertools.islice(here.items(), MOST):
            known, at = self._written.get(label, ("", now))
            if known != owner or abs(now - at) >= EACH:
                if file.execute(SEEN, (owner, now, label)).rowcount:
                    self._written[label] = owner, now
                else:
                    new.append((label, owner, now))
        for label in [label for label in self._written if label not in here]:
            file.execute(SEEN, (self._written.pop(label)[0], self._last, label))
        self._last = now
        if new := new[:NEW]:
            room = MOST - int(file.execute("SELECT count(*) FROM machine").fetchone()[0])
            if room < len(new):
                room += file.execute(LEAST, (now, GIVER_STAYS, STAYS, len(new) - room)).rowcount
            file.executemany("INSERT INTO machine VALUES (?, ?, ?, 0, 0)", new[:room])
            self._written.update((label, (owner, now)) for label, owner, _ in new[:room])
        file.executemany(GAVE, [(one.seconds, one.jobs, one.machine) for one in counted])


def read(file: "sqlite3.Connection") -> dict[str, tuple[str, int, int, int]]:
    """{machine: (owner, when it was seen last, core seconds, jobs)}. sqlite3.Error: it cannot be had."""
    return {label: (owner, seen, seconds, jobs) for label, owner, seen, seconds, jobs in file.execute("SELECT label, owner, seen, seconds, jobs FROM machine")}
