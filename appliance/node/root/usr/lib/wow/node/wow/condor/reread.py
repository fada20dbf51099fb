"""Has a running HTCondor read the list of managers again (managers.py), until it did.

Its master takes no command while it starts, and then goes on with the list that it read before. So what it has read is noted in a file of its own: the unit
copies the list there before it starts the master, and each command that the master took writes it. Whoever makes a new list tries once; wow-jobs compares
both files in each of its rounds and tries again."""
import time

from wow.condor import managers
from wow.lib import files, paths, system
from wow.lib.errors import WowError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

READ = f"{paths.RUN}/condor-managers.read"
"""The list that HTCondor has read."""
UNIT = "condor.service"
QUICK = 20.0
"""Seconds that a command may take."""
ENDING = 30
"""Seconds that a negotiator may take to end."""
AGAIN = 30.0
"""Seconds from one try to the next."""


def reread(pause: "Callable[[float], None]" = time.sleep) -> bool:
    """Has HTCondor read the list, if it has read another one; whether that was so. Where the last other manager was taken off the list, the master ends HAD, and
    HAD's end the negotiator, which nobody would start any more. WowError: HTCondor does not take it now."""
    present, former = files.find(managers.FILE), files.read(READ)
    if present is None or present == former or not (master := main_process()):
        return False
    system.must(["condor_reconfig"], timeout=QUICK)
    if managers.TURNS in former and managers.ALONE in present and managers.TURNS not in present:
        for _ in range(ENDING):
            # The master's own children: anybody's program may have such a name.
            if system.run(["pgrep", "-P", master, "-x", "condor_had|condor_negotiat"])[0]:
                break
            pause(1.0)
        system.must(["condor_on", "-negotiator"], timeout=QUICK)
    files.write(READ, present)
    return True


def main_process() -> str:
    """The number of HTCondor's master; empty while there is none."""
    said = system.run(["systemctl", "show", "-P", "MainPID", UNIT])[1]
    return said if said.isdigit() and said != "0" else ""


def tried() -> None:
    """The first try; what keeps it is for the journal, as wow-jobs tries again."""
    try:
        reread()
    except WowError as error:
        print(f"{error}. It is tried again", flush=True)


class Retry:
    """The further ones, by rounds of wow-jobs."""

    def __init__(self) -> None:
        self._next = float("-inf")
        self._wrong: WowError | None = None

    def round(self, now: float) -> None:
        """now: seconds, of a clock that nobody sets. WowError in each round while the last try failed, so that it is told once."""
        if files.read(managers.FILE) == files.read(READ):
            self._wrong = None
        elif now >= self._next:
            self._next, self._wrong = now + AGAIN, None
            try:
                reread()
            except WowError as error:
                self._wrong = error
        if self._wrong is not None:
            raise self._wrong
