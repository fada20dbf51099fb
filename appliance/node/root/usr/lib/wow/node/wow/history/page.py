"""The snapshot that the pool page shows (web/pool.py), as looks.py has it made: while nobody looks nothing is asked. It lies in a file, so that the page shows what there
is while this program is away."""
import contextlib
import json
import os
import socket
import sqlite3
import threading
import time
import zlib

from wow.config import users
from wow.history import machines, members, server, store
from wow.history.looks import Looks
from wow.lib import console, control, files, paths, system
from wow.lib.errors import WowError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

QUICK = 5.0
"""Seconds that the collector may take to answer, for somebody waits."""
MOST = 16 << 20
"""Bytes of its answer."""
BACKLOG = 16
DAY = 86400
DAYS = 30
MOST_OWNERS = 1000
"""Owners that are told of, those who gave the most."""
OFF_DAYS = 30
"""Days for which a machine that is off is told of."""
OF_IPOPD = 3.0
"""Seconds for ipopd to answer."""
OF_OWNERS = 300.0
"""Seconds for which the history's part serves."""


class Page(Looks):
    """ask: gives what the collector prints, or raises WowError. uptime: seconds since the machine started, clock: Unix time."""

    def __init__(self, ask: "Callable[[], str]", history: str, file: str = paths.POOL_PAGE, uptime: "Callable[[], float]" = console.uptime,
                 clock: "Callable[[], float]" = time.time, owner: tuple[int, int] | None = (0, users.GROUP_ID)) -> None:
        super().__init__(file, uptime)
        self._ask, self._history, self._clock, self._owner = ask, history, clock, owner
        self._summed = float("-inf")
        self._packed, self._packing = (float("-inf"), b""), threading.Lock()
        self._seen: "dict[str, Any]" = {}
        self._sums: "dict[str, Any]" = {}

    def look(self) -> None:
        """Makes a snapshot. Where the collector does not answer the one before is kept, and says so. OSError: it cannot be written."""
        # Here, for nothing of it is to be in memory until somebody looks.
        from wow.history import looked
        trouble, now = "", self._clock()
        try:
            self._seen = {**looked.Looked(self._ask(), now).facts(), "when": int(now)}
            self._seen["off"] = self._known(self._seen["machines"], int(now), self._seen["beyond"] > 0)
        except WowError as error:
            trouble, self._seen = str(error), self._seen or self.left()
        if self._uptime() - self._summed >= OF_OWNERS:
            self._sums, self._summed = self._sum(int(now)), self._uptime()
        tried = self._uptime()
        files.write(self._file, json.dumps({**self._seen, **self._sums, "tried": tried, "trouble": trouble}, separators=(",", ":")) + "\n", 0o640, self._owner)
        self._tried = tried

    def _known(self, here: "list[list[Any]]", now: int, is_cut: bool) -> "list[list[Any]]":
        """[machine, owner, when it was seen last, core seconds, jobs] of each that is not here and was within so many days. Those that are here get what they
        gave behind what is known of them. is_cut: more are here than these, so only one that was not written for a while is off. The history's other part says
        where it cannot be read."""
        try:
            with contextlib.closing(store.Reader(self._history)) as read:
                known = read.machines()
        except sqlite3.Error:
            known = {}
        for row in here:
            row += known.pop(row[0], ("", 0, 0, 0))[2:]
        # Who was seen in a time to come was so while this clock was ahead.
        latest = now - 2 * machines.EACH if is_cut else now + DAY
        return [[label, *found] for label, found in known.items() if now - OFF_DAYS * DAY < found[1] <= latest]

    def _sum(self, now: int) -> "dict[str, Any]":
        """What the history has of days and owners."""
        try:
            with contextlib.closing(store.Reader(self._history)) as read:
                first = (now // DAY - DAYS + 1) * DAY
                lately, ever, course = read.of_hours(store.OWNER, first, now), read.ever_of(store.OWNER), read.course(DAY, first, now)
        except sqlite3.Error as error:
            return {"lost": f"The history cannot be read: {error}"}
        ranked = sorted(ever.items(), key=lambda one: (-one[1][0], one[0]))[:MOST_OWNERS]
        return {"owners": [[name, *lately.get(name, (0, 0)), *sums] for name, sums in ranked],
                "course": [[at, *course.get(at, (0, 0))] for at in range(first, now + 1, DAY)], "lost": ""}

    def packed(self) -> bytes:
        """What other machines get for their own pages (page_copy.py): the snapshot with this manager's ring, as JSON that zlib packed. It is made once of each snapshot.
        server.Unavailable: nothing was ever seen."""
        self.renew()
        with self._packing:
            if self._packed[0] != self._tried:
                told = self.left()
                if not told:
                    raise server.Unavailable("wow-pool has not seen the pool yet")
                try:
                    told["ring"] = members.facts(control.status(timeout=OF_IPOPD), control.peers(timeout=OF_IPOPD), told.get("at", {}))
                except WowError as error:
                    told["silent"] = error.what
                for own in ("at", "tried"):
                    told.pop(own, None)
                self._packed = self._tried, zlib.compress(json.dumps(told, separators=(",", ":")).encode())
            return self._packed[1]


def listen(path: str = paths.POOL_SOCKET, group: int = users.GROUP_ID) -> socket.socket:
    """The socket, which the people's group may connect to, as the web page is of it. OSError: it cannot be had."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    os.chown(path, -1, group)
    os.chmod(path, 0o660)
    listener.listen(BACKLOG)
    return listener


def ads_of(collector: str) -> str:
    """What the collector of this name prints; WowError says why it does not."""
    from wow.history import looked
    code, said = system.run(looked.question(collector), timeout=QUICK, most=MOST)
    if code:
        raise WowError("no answer in time" if code == system.TIMED_OUT else system.last_line(said)[:200] or "no answer", "", "collector")
    return said
