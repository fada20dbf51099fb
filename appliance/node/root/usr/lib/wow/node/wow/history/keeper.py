"""wow-pool: on each manager looks at that manager's collector every minute, keeps the history of who worked for whom (store.py), and hands out figures (figures.py) and
history to who shows the token. While somebody looks at the pool page it makes that page's snapshots (page.py)."""
import contextlib
import json
import os
import socket
import sqlite3
import threading
import time

from wow.condor import ads
from wow.config import facts
from wow.history import figures, page, server, store, token
from wow.history.ledger import Ledger
from wow.lib import paths, system
from wow.lib.errors import WowError
from wow.stops import drained

ROUND = 60.0
"""Seconds from one look to the next; the unit may say otherwise (WOW_POOL_ROUND)."""
QUICK = 30.0
"""Seconds that the collector may take to answer."""
MOST = 16 << 20
"""Bytes of its answer: a thousand machines have 2 MB."""
MOMENT = 1.0
FOLDER = f"{paths.STATE}/history"
FILE = f"{FOLDER}/history.db"
JOINED = f"{paths.RUN}/joined"
DAY = 86400
STAMP = "%Y-%m-%dT%H:%M:%SZ"
LONGEST = 731
"""Days that may be asked for."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterator


class Keeper:
    """The looks, and the pages that are made of the last one."""

    def __init__(self, kept: store.Store, path: str = FILE, clock: "Callable[[], float]" = time.time) -> None:
        self._kept, self._path, self._clock = kept, path, clock
        self._ledger, self._totals = Ledger(), figures.Totals()
        self._page = ""
        self._here: dict[str, str] = {}

    def round(self, said: str, passed: float) -> None:
        """Takes in what the collector said. passed: seconds, of a clock that nobody sets. sqlite3.Error: it is not in the history."""
        now = int(self._clock())
        sample = ads.read(said)
        counted = self._ledger.look(passed, sample)
        self._totals.look(sample, sum(credit.seconds for credit in counted), self._ledger.unconfirmed)
        self._page = figures.text(sample, self._totals, now)
        self._here = sample.here()
        self._kept.add(now, counted, self._here)

    def fail(self) -> None:
        """The collector did not answer."""
        self._totals.failures += 1

    def metrics(self, _: str) -> tuple[str, str]:
        """The page /metrics."""
        return "text/plain; version=0.0.4; charset=utf-8", self._page or figures.text(ads.Sample(), self._totals, 0)

    def history(self, query: str) -> tuple[str, str]:
        """The page /history?days=N, without the question mark since ever. It has a connection of its own to the file: threads share none."""
        days = days_of(query)
        with self._read() as read:
            sums = read.since(int(self._clock()) - days * DAY, int(self._clock())) if days else read.ever()
        told: dict[str, list[dict[str, object]]] = {kind: [] for kind in store.KIND_NAMES}
        for (kind, text), (seconds, jobs) in sorted(sums.items(), key=lambda one: (-one[1][0], one[0])):
            told[store.KIND_NAMES[kind]].append({"name": text, "core_hours": round(seconds / 3600, 3), "jobs": jobs})
        return "application/json", json.dumps({"days": days, **told, "drained": sorted(drained.read())}) + "\n"

    def machines(self, query: str) -> tuple[str, str]:
        """The page /machines: those that are there, and those that were within 30 days, who was seen last first."""
        if query:
            raise ValueError("ask for /machines")
        with self._read() as read:
            known = read.machines()
        since = self._clock() - page.OFF_DAYS * DAY
        shown = sorted((-seen, label) for label, (_, seen, _, _) in known.items() if seen > since or label in self._here)
        told = [{"name": label, "owner": owner, "here": label in self._here, "seen": time.strftime(STAMP, time.gmtime(seen)),
                 "core_hours": round(seconds / 3600, 3), "jobs": jobs} for _, label in shown for owner, seen, seconds, jobs in (known[label],)]
        return "application/json", json.dumps({"machines": told}) + "\n"

    @contextlib.contextmanager
    def _read(self) -> "Iterator[store.Reader]":
        """The history, to be read; server.Unavailable where it cannot be."""
        try:
            with contextlib.closing(store.Reader(self._path)) as read:
                yield read
        except sqlite3.Error as error:
            raise server.Unavailable(f"the history cannot be read: {error}") from None


def days_of(query: str) -> int | None:
    """N of days=N, None where nothing is asked for; ValueError where something else is."""
    if not query:
        return None
    name, _, value = query.partition("=")
    if name == "days" and value.isascii() and value.isdigit() and len(value) < 4 and 1 <= int(value) <= LONGEST:
        return int(value)
    raise ValueError(f"ask for /history, or for /history?days=N with N from 1 to {LONGEST}")


def main() -> int:
    """Runs until systemd ends it. Exit code 1: the machine has no address or key yet, or the history cannot be opened."""
    every = float(os.environ.get("WOW_POOL_ROUND", ROUND))
    while not os.path.exists(JOINED):
        time.sleep(MOMENT)  # HTCondor is started a moment before that
    try:
        with open(JOINED, encoding="ascii") as file:
            address, host = file.read().split()
        own = f"{host}.{facts.read().zone}"
        token.own()
        os.makedirs(FOLDER, 0o700, exist_ok=True)
        kept = store.Store(FILE)
    except (OSError, ValueError, sqlite3.Error) as error:
        print(f"{getattr(error, 'filename', None) or FILE}: {error}", flush=True)
        return 1
    keeper = Keeper(kept)
    with socket.create_server((address, paths.HISTORY_PORT)) as listener:
        shown = page.Page(lambda: page.ads_of(own), FILE)
        serve_page(shown)
        pages = {"/metrics": keeper.metrics, "/history": keeper.history, "/machines": keeper.machines}
        threading.Thread(target=server.Server(listener, token.own, token.renew, pages, shared=shown.packed).run, daemon=True).start()
        told = ""
        while True:
            told = look(keeper, told, own)
            time.sleep(every)


def serve_page(shown: page.Page) -> None:
    """Makes the pool page's snapshots from now on. Where that cannot be had, figures and history are there all the same."""
    try:
        listener = page.listen()
    except OSError as error:
        print(f"{paths.POOL_SOCKET}: {error.strerror}; the pool page shows nothing new", flush=True)
        return
    threading.Thread(target=shown.serve, args=(listener,), daemon=True).start()


def look(keeper: Keeper, told: str, collector: str) -> str:
    """One look at the collector of this name; returns what was wrong with it, which the journal gets once."""
    wrong = ""
    try:
        code, said = system.run(ads.question(collector), timeout=QUICK, most=MOST)
        if len(said) >= MOST:
            raise WowError(f"its answer has more than {MOST >> 20} MB", "Look who fills it with: condor_status -any -af Machine | sort | uniq -c | sort -n", "collector")
        if code:
            raise WowError("no answer in time" if code == system.TIMED_OUT else system.last_line(said) or "no answer", "It is asked again", "collector")
        keeper.round(said, time.monotonic())
    except WowError as error:
        keeper.fail()
        wrong = str(error)
    except sqlite3.Error as error:
        wrong = f"{FILE}: {error}. Free some room in /var/lib/wow (df -h); meanwhile nothing is kept"
    if wrong and wrong != told:
        print(wrong, flush=True)
    return wrong
