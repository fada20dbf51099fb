"""The pause that holds now: the owner's own, or that of a machine that is outside of its hours."""
import time

from wow.limits import hours, state
from wow.pause import state as pauses
from wow.pause.state import Pause


def read() -> Pause | None:
    """As pauses.read, with the hours."""
    return over(pauses.read())


def over(pause: Pause | None) -> Pause | None:
    """What holds where the owner's own pause is this. One that lets jobs end stands behind the hours, which stop them."""
    if pause is not None and not pause.finish:
        return pause
    return outside() or pause


def outside() -> Pause | None:
    """The pause of the hours; None within them, and where there are none."""
    said = state.read().hours
    return hours.pause(hours.read(said), time.time()) if said else None
