"""What is wrong with the machine, for the page on the console: `wow doctor`, run now and then beside wow-jobs, which does not wait for it and keeps nothing of it
in memory but its findings. It asks HTCondor's tools, so it comes seldom, and soon after something has changed."""
import os
import signal

from wow.lib import files, paths, system

OUT = f"{paths.RUN}/doctor.json"
COMMAND = ["/usr/bin/nice", "-n", "10", "/usr/bin/wow", "doctor", "--json"]
WELL, ILL, SOON = 900.0, 120.0, 20.0
"""Seconds from one look to the next where all was well, where something was wrong, and from a change to the look at it."""
FIRST = 60.0
"""Seconds until the first look: HTCondor has just begun."""
LONGEST = 120.0
"""Seconds that it may take."""
LARGEST = 1 << 18
MOST, LONGEST_TEXT = 20, 500
"""Findings, and characters of each, that are kept."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable


class Doctor:
    """findings: (what is wrong, what to do) of the last look that came to an end, None before the first; looked: when that was, Unix time."""

    def __init__(self, clock: "Callable[[], float]", command: "list[str] | None" = None, out: str = OUT) -> None:
        self._clock, self._command, self._out = clock, command or COMMAND, out
        self._pid = 0
        self._begun = 0.0
        self._due: float | None = None
        self._hint: object = None
        self.findings: list[tuple[str, str]] | None = None
        self.looked = 0.0

    def round(self, now: float, hint: object) -> None:
        """Begins a look that is due, or takes in what one found. now: seconds, of a clock that nobody sets; hint: what the findings may hang on."""
        if self._pid:
            self._take(now)
        if self._due is None:
            self._due, self._hint = now + FIRST, hint
        if hint != self._hint:
            self._hint, self._due = hint, min(self._due, now + SOON)
        if not self._pid and now >= self._due:
            self._begin(now)

    def _begin(self, now: float) -> None:
        self._due = now + ILL
        descriptor = os.open(f"{self._out}.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o640)
        try:
            self._pid = os.posix_spawn(self._command[0], self._command, system.ENVIRONMENT, file_actions=[
                (os.POSIX_SPAWN_DUP2, descriptor, 1), (os.POSIX_SPAWN_OPEN, 2, "/dev/null", os.O_WRONLY, 0)])
            self._begun = now
        finally:
            os.close(descriptor)

    def _take(self, now: float) -> None:
        if os.waitpid(self._pid, os.WNOHANG)[0] == 0:
            if now - self._begun > LONGEST:
                os.kill(self._pid, signal.SIGKILL)
            return
        self._pid = 0
        os.rename(f"{self._out}.new", self._out)
        found = read(self._out)
        if found is not None:
            self.findings, self.looked = found, self._clock()
        self._due = now + (WELL if found == [] else ILL)


def read(path: str) -> list[tuple[str, str]] | None:
    """(What is wrong, what to do) of each finding; None where the doctor said nothing whole."""
    import json
    text = files.read(path)
    try:
        said = json.loads(text[:LARGEST])
        return [(str(one["what"])[:LONGEST_TEXT], str(one["todo"])[:LONGEST_TEXT]) for one in said["findings"] if one["state"] == "wrong"][:MOST]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
