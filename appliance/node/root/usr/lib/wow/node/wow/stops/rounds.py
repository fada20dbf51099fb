"""What wow-jobs does for the owner's pause, and the hours (limits/hours.py), in each of its rounds, and at once where the agent wakes it: ends a pause whose time is
over, keeps its time by the clock as it is, and tells HTCondor what it does not know yet. So what the agent began and did not end is put right here."""
import time

from wow.lib.errors import WowError
from wow.pause import state
from wow.slots import freeze
from wow.stops import holding, tell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

DRIFT = 60
"""Seconds by which the wall clock may go away from the time since boot until the file is written anew."""
LOOKS, MOMENT = 70, 0.1
"""So often, and after so many seconds each, the kernel is told once more when HTCondor was: it looks at its rules every 5 s, and begins a job meanwhile
that it had taken before, or stops one that it had decided to stop. A job that takes less than such a moment may slip through."""


class Pausing:
    """One round after the other. While nothing is paused that is a look for one file and into two small ones."""

    def __init__(self, pause: "Callable[[float], None]" = time.sleep) -> None:
        self._pause = pause

    def round(self, _: float) -> None:
        """WowError: HTCondor does not take it now, or the file is no good."""
        kept, wrong = load()
        if kept is not None:
            with state.alone():
                kept, wrong = load()
                kept = None if kept is None else renewed(kept, state.now())
        pause = holding.over(kept.pause if kept else None)
        tell.write(pause)
        if not tell.is_told():
            apply(pause)
            tell.tell()
            self._settle(pause)
        if wrong is not None:
            raise wrong

    def _settle(self, pause: state.Pause | None) -> None:
        """Has the kernel do as was asked while HTCondor takes it up, until somebody asks otherwise."""
        wrong = None
        for _ in range(LOOKS):
            kept = load()[0]
            if _does(holding.over(kept.pause if kept else None)) != _does(pause):
                return
            try:
                apply(pause)
                wrong = None
            except OSError as error:
                wrong = error  # a job that just begins or ends; the next look sees
            self._pause(MOMENT)
        if wrong is not None:
            raise wrong


def _does(pause: state.Pause | None) -> bool | None:
    """What a pause does to jobs that run: nothing, or it lets them end or not."""
    return None if pause is None else pause.finish


def load() -> tuple[state.Kept | None, WowError | None]:
    """The pause that is kept, and what is wrong with its file."""
    try:
        return state.load(), None
    except WowError as error:
        return None, error


def at_start() -> state.Pause | None:
    """The pause that holds when HTCondor is started."""
    kept = load()[0]
    return holding.over(kept.pause if kept is not None and not kept.has_ended(state.now()) else None)


def renewed(kept: state.Kept, clock: state.Clock) -> state.Kept | None:
    """The pause as it holds by the clock now; None where its time is over. Its file is written anew where it says otherwise by much."""
    if kept.has_ended(clock):
        wrong = end()
        print("the pause has ended by itself" + (f"; {state.FILE} cannot be removed: {wrong.strerror}" if wrong else ""), flush=True)
        return None
    if not kept.is_settled(clock):
        return kept
    shifted = kept.shifted(clock)
    if kept.boot == clock.boot and abs(shifted.pause.since - kept.pause.since) <= DRIFT:
        return kept
    try:
        state.keep(shifted)
        state.sync()
    except OSError:
        return kept  # a full disk; what is kept is as good as it was, and the next round tries again
    return shifted


def end() -> OSError | None:
    """Ends the owner's own pause: whatever becomes of its file, jobs go on, unless something else stops them. Returns why the file cannot be removed."""
    is_gone, wrong = False, None
    try:
        is_gone = state.forget()
    except OSError as error:
        wrong = error
    apply(holding.outside())
    if is_gone:
        state.sync()
    return wrong


def apply(pause: state.Pause | None) -> None:
    """Stops the jobs, or has them go on."""
    if pause is not None and not pause.finish:
        freeze.freeze()
    else:
        freeze.thaw()
