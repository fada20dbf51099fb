"""Has a running HTCondor read again what changes while it runs, until it did: the list of managers (managers.py), and what is told of the machine (pace.py).

Its master takes no command while it starts, and then goes on with what it read before. And who gives the command may be ended before it was taken. So what
HTCondor has read is noted in files of their own: the unit copies each file there before it starts the master, and each command that the master took writes
them. Whoever makes a new file tries once; wow-jobs compares them in each of its rounds and tries again."""
import time

from wow.condor import managers
from wow.lib import files, paths, system
from wow.lib.errors import WowError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

PACE, PACE_READ = f"{paths.RUN}/condor-pace.conf", f"{paths.RUN}/condor-pace.read"
"""What pace.py writes, and the same as HTCondor has read it."""
UNIT = "condor.service"
QUICK = 20.0
"""Seconds that a command may take."""
ENDING = 30
"""Seconds that a negotiator may take to end."""
AGAIN = 30.0
"""Seconds from one try to the next."""


def reread(pause: "Callable[[float], None]" = time.sleep) -> bool:
    """Has HTCondor read the files of which it has read others; whether there was one. Where the last other manager was taken off the list, the master ends HAD, and
    HAD's end the negotiator, which nobody would start any more. WowError: HTCondor does not take it now."""
    found = changed()
    if not found or not (master := main_process()):
        return False
    former, present = files.read(managers.READ), found.get(managers.READ, "")
    system.must(["condor_reconfig"], timeout=QUICK)
    if managers.TURNS in former and managers.ALONE in present and managers.TURNS not in present:
        for _ in range(ENDING):
            # The master's own children: anybody's program may have such a name.
            if system.run(["pgrep", "-P", master, "-x", "condor_had|condor_negotiat"])[0]:
                break
            pause(1.0)
        system.must(["condor_on", "-negotiator"], timeout=QUICK)
    for path, text in found.items():
        files.write(path, text)
    return True


def changed() -> dict[str, str]:
    """What HTCondor has not read yet, by the file that notes what it has read."""
    there = {read: files.find(path) for path, read in ((managers.FILE, managers.READ), (PACE, PACE_READ))}
    return {read: text for read, text in there.items() if text is not None and text != files.find(read)}


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
    """The further ones, by rounds of wow-jobs. is_read: whether HTCondor has read what there is; again: has it read that, WowError where it does not take it now."""

    def __init__(self, is_read: "Callable[[], bool]" = lambda: not changed(), again: "Callable[[], object]" = reread) -> None:
        self._is_read, self._again = is_read, again
        self._next = float("-inf")
        self._wrong: WowError | None = None

    def round(self, now: float) -> None:
        """now: seconds, of a clock that nobody sets. WowError in each round while the last try failed, so that it is told once."""
        if self._is_read():
            self._wrong = None
        elif now >= self._next:
            self._next, self._wrong = now + AGAIN, None
            try:
                self._again()
            except WowError as error:
                self._wrong = error
        if self._wrong is not None:
            raise self._wrong
