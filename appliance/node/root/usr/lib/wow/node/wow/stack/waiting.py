"""Looks whether a stack waits for the next start, and only then loads what has the machine start again for it (restart.py). A part of wow-jobs: while nothing waits a
round is one look at a file's time."""
import os

from wow.lib import files, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Collection

    from wow.stack.restart import Restart

FILE = f"{paths.RUN}/stack.json"
"""wow-stack's (told.py)."""
CODES = ("next", "off", "damaged")
"""Of what the next start brings, and this one has not."""


class Waiting:
    """One round after the other. shadows: the jobs of this machine's queue that run."""

    def __init__(self, is_manager: bool, shadows: "Callable[[], Collection[int]]") -> None:
        self._is_manager, self._shadows = is_manager, shadows
        self._seen = (0, 0)
        self._restart: Restart | None = None

    def round(self, now: float) -> None:
        """now: seconds since the machine started, of a clock that nobody sets. WowError: it is time, and systemd does not do it."""
        try:
            status = os.stat(FILE)
        except FileNotFoundError:
            return
        if self._seen != (status.st_mtime_ns, status.st_ino):
            self._seen = status.st_mtime_ns, status.st_ino
            said = files.read(FILE)
            if not any(f'"code": "{code}"' in said for code in CODES):
                self._restart = None
            elif self._restart is None:
                from wow.stack import restart
                self._restart = restart.Restart(self._is_manager, self._shadows)
        if self._restart is not None:
            self._restart.round(now)
