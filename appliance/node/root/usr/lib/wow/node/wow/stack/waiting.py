"""Looks whether a stack waits for the next start, and only then loads what has the machine start again for it (restart.py). A part of wow-jobs: while nothing waits a
round is one look at a file's time."""
import os

from wow.lib import files
from wow.stack import said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Collection

    from wow.stack.restart import Restart


class Waiting:
    """One round after the other. shadows: the jobs of this machine's queue that run."""

    def __init__(self, is_manager: bool, shadows: "Callable[[], Collection[int]]") -> None:
        self._is_manager, self._shadows = is_manager, shadows
        self._seen = (0, 0)
        self._restart: Restart | None = None

    def round(self, now: float) -> None:
        """now: seconds since the machine started, of a clock that nobody sets. WowError: it is time, and systemd does not do it."""
        try:
            status = os.stat(said.FILE)
        except FileNotFoundError:
            return
        if self._seen != (status.st_mtime_ns, status.st_ino):
            self._seen = status.st_mtime_ns, status.st_ino
            text = files.read(said.FILE)
            if not any(f'"code": "{code}"' in text for code in said.CODES):
                self._restart = None
            elif self._restart is None:
                from wow.stack import restart
                self._restart = restart.Restart(self._is_manager, self._shadows)
        if self._restart is not None:
            self._restart.round(now)
