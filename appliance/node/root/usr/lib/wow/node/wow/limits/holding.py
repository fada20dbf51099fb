"""The pause that holds now: the owner's own, or that of a machine that is outside of its hours, or whose share of the month is used up."""
import time

from wow.limits import hours, month, state
from wow.pause import state as pauses
from wow.pause.state import Pause

STANDING = (hours.WHO, month.WHO)
"""Who asked for pauses that no `wow resume` ends, but another limit."""


def read() -> Pause | None:
    """As pauses.read, with the limits."""
    return over(pauses.read())


def over(pause: Pause | None) -> Pause | None:
    """What holds where the owner's own pause is this. One that lets jobs end stands behind the limits, which stop them."""
    if pause is not None and not pause.finish:
        return pause
    return outside() or pause


def outside() -> Pause | None:
    """The pause of the limits: of the month, which lasts longer, or of the hours; None within both, and where there are none."""
    limits = state.read()
    return month.pause(limits.month, time.time()) or (hours.pause(hours.read(limits.hours), time.time()) if limits.hours else None)
