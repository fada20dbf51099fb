"""What wow-jobs does for the limits in each of its rounds, and at once where the agent wakes it: the kernel and HTCondor go by them, also where the one or the other
was started anew. The hours are the pause's matter (stops/rounds.py)."""
import time

from wow.lib.errors import WowError
from wow.limits import share, state, tell


class Limiting:
    """One round after the other."""

    def round(self, _: float) -> None:
        """WowError: HTCondor does not take them now, or the file is no good; OSError: the kernel does not."""
        limits, wrong = load()
        tell.write(limits, time.time())
        if not tell.is_told():
            tell.tell()
        share.apply(limits.percent)
        if wrong is not None:
            raise wrong


def load() -> tuple[state.Limits, WowError | None]:
    """The limits that are kept, and what is wrong with their file."""
    try:
        return state.load(), None
    except WowError as error:
        return state.Limits(), error
