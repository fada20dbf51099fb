"""The pause that holds now: the owner's own; that of a machine whose share of the month is used up, or that is outside of its hours; that of the owner's
computer (computer/seen.py); or the administrator's, who gives it no jobs (drained.py)."""
import time

from wow.computer import seen
from wow.limits import hours, month, state
from wow.pause import state as pauses
from wow.pause.state import Pause
from wow.stops import drained

BY_ITSELF = (hours.WHO, month.WHO, drained.WHO, *seen.WHO.values())
"""Who has a pause that nobody keeps, and that no `wow resume` ends."""


def read() -> Pause | None:
    """As pauses.read, with the others."""
    return over(pauses.read())


def over(pause: Pause | None) -> Pause | None:
    """What holds where the owner's own pause is this. One that lets jobs end stands behind the others, which stop them."""
    if pause is not None and not pause.finish:
        return pause
    return outside() or pause or drained.pause()


def outside() -> Pause | None:
    """The pause that nobody keeps: of the month, which lasts longer, of the hours, else of the owner's computer; None where none of them has one."""
    limits = state.read()
    return month.pause(limits.month, time.time()) or (hours.pause(hours.read(limits.hours), time.time()) if limits.hours else None) or seen.pause()
