"""Has this machine start again by itself for a stack that waits for its next start: at a moment of its own, and when nobody and nothing needs it (docs/decisions/0071).
After the pool's deadline no job holds it any more, and people who are logged in have ten minutes. The owner's word holds it always.

It cannot go round: after a start nothing waits, for this one has the stack, or has left it, which the initrd notes."""
import json
import os
import time

from wow.computer import seen, settings, words
from wow.lib import files, modes, system
from wow.pause import state as pauses
from wow.slots import running
from wow.stack import people, said, told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Collection

    from wow.stack.told import Told

WINDOW = 6 * 3600.0
"""Seconds within which machines start again that take a stack at one time, each at a moment of its own; less where the deadline comes sooner."""
LATE = 120.0
"""Seconds after the deadline within which those start again that wait for it."""
UP, IDLE = 300.0, 300.0
"""Seconds since the last start, and for which nothing needed the machine, until it starts again by itself."""
LEAVE = 600.0
"""Seconds that people have who are logged in when the deadline comes."""
EVERY = 30.0
"""Seconds from one look to the next."""


def draw() -> float:
    """From 0 to 1, by chance. The module random takes more memory than all else here."""
    return int.from_bytes(os.urandom(4), "big") / (1 << 32)


class Restart:
    """One round after the other, while a stack waits. clock: Unix time, for the deadline alone."""

    def __init__(self, is_manager: bool, shadows: "Callable[[], Collection[int]]", clock: "Callable[[], float]" = time.time,
                 chance: "Callable[[], float]" = draw) -> None:
        self._is_manager, self._shadows, self._clock = is_manager, shadows, clock
        self._share = chance()
        self._number, self._at, self._next = -1, 0.0, float("-inf")
        self._idle: float | None = None
        self._leave: float | None = None
        self._warned: set[str] = set()

    def round(self, now: float) -> None:
        """now: seconds since the machine started, of a clock that nobody sets. WowError: it is time, and systemd does not do it."""
        if now < self._next:
            return
        self._next = now + EVERY
        found = told.read()
        if found is None or found["code"] not in said.CODES or found["number"] is None:
            return
        second, wall = found["restart_by"], self._clock()
        if found["number"] != self._number:
            self._number = found["number"]
            window = WINDOW if second is None else min(WINDOW, second - wall)
            # What was chosen before wow-jobs was started anew stays.
            self._at = found["restart"]["at"] if found["restart"] else now + self._share * window
        is_over = second is not None and wall >= second + self._share * LATE
        never = self._never(found)
        why = never or self._holds(now, is_over)
        files.write_if_changed(told.AGAIN_FILE, json.dumps({"number": self._number, "at": self._at, "never": bool(never), "why": why}) + "\n")
        if not why and (is_over or now >= self._at):
            print(f"this machine starts again by itself, for the pool's stack {self._number}", flush=True)
            system.must(["systemctl", "reboot", "--no-block"], todo="Look with: systemctl list-jobs", timeout=10.0)

    def _never(self, found: "Told") -> str:
        """Why it does not come by itself, whoever needs the machine; "" if it may."""
        if self._is_manager:
            return "a manager waits for its administrator"
        mode = modes.read()[0]
        if mode != modes.RELEASE:
            return f"this start is in {mode}"
        # Another system the one before leaves; how often it is tried GRUB counts.
        if found["code"] == "next" and found["left"] == found["number"] and not found["system"]:
            return "this start left that stack"
        return "" if settings.read().restart else "its owner chose so (`wow computer set restart yes` lets it)"

    def _holds(self, now: float, is_over: bool) -> str:
        """What keeps it from starting again now; "" for nothing."""
        there = people.look()
        needs = self._needs(bool(there))
        if needs:
            self._idle = None
        elif self._idle is None:
            self._idle = now
        if pauses.read() is not None:
            return "its owner paused it"
        if now < UP:
            return "it has just started"
        if is_over:
            return self._asks_to_leave(there, now)
        return needs or ("" if self._idle is not None and now - self._idle >= IDLE else "it was needed until just now")

    def _needs(self, is_somebody_there: bool) -> str:
        """Who needs the machine, before the deadline. Outside of its hours nobody does: that is a good time."""
        if is_somebody_there:
            return "somebody is logged in, or has a program running"
        if why := seen.read().why:
            return f"jobs stand still for {words.BY[why]}"
        if running.look():
            return "a job runs here"
        return "a job of its own queue runs" if self._shadows() else ""

    def _asks_to_leave(self, there: dict[int, str], now: float) -> str:
        """Tells people who are logged in, once each, when it starts again."""
        if not there:
            return ""
        if self._leave is None:
            self._leave = now + LEAVE
        for terminal in set(there.values()) - self._warned - {""}:
            people.tell(terminal, f"This machine starts again in {max(0.0, self._leave - now) / 60:.0f} min, for new modules of its pool. Save your work, and log out.")
            self._warned.add(terminal)
        return "" if now >= self._leave else "people who are logged in have ten minutes to leave"
