"""Keeps the file that the page on the console draws. A part of wow-jobs, for a program of its own would cost an idle machine as much memory as that one: each round
it looks at a few files, every other round it asks ipopd, and it writes where the text is another one, which the time of day in it makes so once a minute."""
import os
import time

from wow.config.facts import Facts as Pool
from wow.lib import control, files, modes, paths
from wow.lib.errors import WowError
from wow.limits import state as limits
from wow.limits import words as lent
from wow.page import text, where
from wow.page.doctor import Doctor
from wow.slots import running
from wow.stops import holding

FILE = f"{paths.RUN}/page"
ASK = 9.0
"""Seconds from one question to ipopd to the next."""
PATIENCE = 3.0
CONDOR = "/sys/fs/cgroup/system.slice/condor.service"
"""Is there while HTCondor's unit runs."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from wow.lib.answers import Status


def look(facts: text.Facts) -> None:
    """Adds what files of this machine say, without asking anybody: for the screen and for the web page."""
    facts.condor, facts.agent, facts.developed = os.path.isdir(CONDOR), os.path.exists(paths.AGENT), modes.developed()
    facts.pause, facts.jobs, facts.limits = holding.read(), running.look(), lent.sentence(limits.read())


class Keeper:
    """One round after the other."""

    def __init__(self, pool: Pool, clock: "Callable[[], float]" = time.time, page: str = FILE, doctor: Doctor | None = None) -> None:
        self._clock, self._page = clock, page
        self._facts = text.Facts(clock(), pool.name, pool.role)
        self._doctor = doctor or Doctor(clock)
        self._asked = float("-inf")
        self._shown: list[str] = []
        self._number = 0

    def round(self, now: float) -> None:
        """Looks, and writes what is new. now: seconds, of a clock that nobody sets."""
        facts = self._facts
        facts.now = self._clock()
        if now - self._asked >= ASK:
            self._asked = now
            self._ask()
        look(facts)
        self._doctor.round(now, self._hint())
        facts.findings, facts.looked = self._doctor.findings, self._doctor.looked
        self._write([text.mode(facts), *text.lines(facts)])

    @property
    def status(self) -> "Status | None":
        """What ipopd said last, None if it said nothing yet."""
        return self._facts.status

    def _ask(self) -> None:
        facts = self._facts
        own = where.found()
        facts.web, facts.ssh = where.url(own), where.ssh(own)
        try:
            facts.status = control.status(timeout=PATIENCE)
            facts.asked, facts.trouble = facts.now, ""
        except WowError as error:
            facts.trouble = error.what

    def _hint(self) -> object:
        """What the doctor's findings may hang on, of what is known without asking anybody."""
        status = self._facts.status
        known = (status["ring"]["joined"], status["address"], status["certified"], len(status["warnings"])) if status else None
        return known, bool(self._facts.trouble), self._facts.condor, bool(self._facts.pause)

    def _write(self, shown: list[str]) -> None:
        if shown != self._shown:
            self._number += 1
            files.write(self._page, "\n".join([f"{self._number} {shown[0]}", *shown[1:]]) + "\n")
            self._shown = shown
