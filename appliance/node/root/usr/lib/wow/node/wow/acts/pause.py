"""What the agent does for `wow pause`, `wow finish` and `wow resume`: the kernel stops or goes on with the jobs at once (slots/freeze.py), what was asked is kept
(pause/state.py), and wow-jobs is woken, which tells HTCondor (stops/tell.py). Should this end in the midst, the next round of wow-jobs does the rest."""
import os
import pwd
import time

from wow.agent import allowed
from wow.config import facts, users
from wow.lib import system
from wow.lib.errors import WowError
from wow.pause import state
from wow.stops import holding, rounds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, TypeVar

    Kept = TypeVar("Kept")

MORNING, NIGHT = 6, 4
"""What `tomorrow` means: that hour of the machine's own time zone, and so many hours away at least."""
KEEPER = "wow-jobs.service"


def pause(fields: dict[str, str], uid: int) -> None:
    """Pauses the machine, or gives the pause that it has another end."""
    length, finish = seconds(fields.get("for"), time.time()), fields.get("finish")
    if finish not in (None, "yes"):
        raise WowError('"finish" is "yes" where it is given', 'Leave it out, or say "finish":"yes"', code=allowed.BAD_REQUEST)
    must_run_jobs()
    clock = state.now()
    until = None if length is None else clock.wall + length
    asked = state.Pause(clock.wall, until, finish is not None, name(uid))
    try:
        with state.alone():
            state.keep(state.Kept(asked, clock.boot, clock.uptime))
    except OSError as error:
        what = "no new pause is kept"
        if os.path.exists(state.SPARE):
            what = "the pause ends when the machine is started again"
            rounds.apply(holding.over(asked))
            wake()
        elif not asked.finish:
            # Whoever pauses the machine needs the computer now.
            what = "jobs that run stand still, but others may begin"
            rounds.apply(asked)
        raise WowError(f"{state.FILE} cannot be written, so {what}: {error.strerror}", "Make room in /home (df -h /home; df -i /home) and ask again, or shut the machine "
                       "down", code=allowed.FAILED) from None
    rounds.apply(holding.over(asked))
    state.sync()
    wake()


def resume(_: dict[str, str], __: int) -> None:
    """Ends the owner's own pause, if there is one; outside of the hours jobs stand still all the same."""
    must_run_jobs()
    with state.alone():
        wrong = rounds.end()
    wake()
    if wrong:
        raise WowError(f"the pause is over, but {state.FILE} cannot be removed, so it may come back when the machine is started again: {wrong.strerror}",
                       "Type `wow resume` again then; `wow doctor` says what is wrong with /home", code=allowed.FAILED)


def must_run_jobs(what: str = "pause") -> None:
    """WowError on a machine without slots."""
    try:
        has_slots = facts.read().has_slots
    except (OSError, ValueError, KeyError):
        raise facts.missing() from None
    if not has_slots:
        raise WowError(f"this machine runs no jobs of the pool, so there is nothing to {what}", "Ask on a machine of the role worker", code=allowed.NO_JOBS)


def former(load: "Callable[[], Kept]", none: "Callable[[], Kept]", says_all: bool) -> "Kept":
    """What the owner chose before a change, as its file has it. WowError where that is no good, and the change leaves some of it as it is: nobody would hear that it
    is lost. One that says all begins with none."""
    try:
        return load()
    except WowError as error:
        if says_all:
            return none()
        error.code = allowed.FAILED
        raise


def seconds(text: str | None, wall: float) -> int | None:
    """How long a pause lasts for which this was asked; None: until it is ended."""
    if text is None:
        return None
    if text == state.TOMORROW:
        return until_morning(wall)
    if text.isascii() and text.isdigit() and len(text) <= 9 and 0 < int(text) <= state.LONGEST:
        return int(text)
    raise WowError(f'"for" is seconds from 1 to {state.LONGEST}, or "{state.TOMORROW}"', "Leave it out for a pause until `wow resume`", code=allowed.BAD_REQUEST)


def until_morning(wall: float) -> int:
    """Seconds until the next morning that is not within the night's last hours."""
    begin = time.localtime(wall + NIGHT * 3600)
    day = begin.tm_mday + (1 if begin.tm_hour >= MORNING else 0)
    return int(time.mktime((begin.tm_year, begin.tm_mon, day, MORNING, 0, 0, 0, 0, -1)) - wall)


def name(uid: int) -> str:
    """Who asks, for people: root is whoever sits at the console, as the page there is."""
    if uid in (0, users.CONSOLE_UID):
        return state.CONSOLE
    try:
        found = pwd.getpwuid(uid).pw_name
    except KeyError:
        found = ""
    return found if state.is_name(found) else f"number-{uid}"


def wake() -> None:
    """Has wow-jobs look now, not in its next round; it may not run yet."""
    system.run(["systemctl", "kill", "--kill-whom=main", "--signal=USR1", KEEPER], timeout=10.0)
