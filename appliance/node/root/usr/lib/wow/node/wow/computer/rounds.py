"""What wow-jobs does for the owner's computer in each of its rounds: reads what it told last, looks how busy it is, and says what follows (seen.py). The pause is the
next round's (stops/rounds.py)."""
import time

from wow.computer import busy, report, seen, settings
from wow.lib import console
from wow.lib.errors import WowError
from wow.slots import freeze

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

EVERY = 10.0
"""Seconds from one look at how busy it is to the next."""


class Watching:
    """One round after the other."""

    def __init__(self, measure: busy.Measure | None = None, uptime: "Callable[[], float]" = console.uptime, clock: "Callable[[], float]" = time.time) -> None:
        self._measure, self._uptime, self._clock = measure or busy.Measure(), uptime, clock
        self._looked = float("-inf")
        self._written = seen.read()

    def round(self, now: float) -> None:
        """WowError: the file of what the owner chose is no good."""
        chosen, wrong = load()
        if now - self._looked >= EVERY:
            self._looked = now
            self._measure.round(freeze.running() > 0, now)
        told = report.made(report.kept().get("report"))
        if told is not None and told.age(self._uptime()) is None:
            told = None
        why = seen.reason(chosen, told, self._measure.is_busy)
        was = self._written
        share = None if self._measure.share is None else min(100, round(100 * self._measure.share))
        found = seen.Seen(why, was.since if why == was.why else int(self._clock()) if why else 0, self._measure.is_busy, share, told)
        if found.facts() != was.facts():
            seen.write(found)
            self._written = found
        if wrong is not None:
            raise wrong


def load() -> tuple[settings.Settings, WowError | None]:
    """What the owner chose, and what is wrong with its file."""
    try:
        return settings.load(), None
    except WowError as error:
        return settings.Settings(), error
