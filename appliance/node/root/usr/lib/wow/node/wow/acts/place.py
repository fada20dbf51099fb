"""What the agent does for `wow place`: rounds what people type to a whole degree before it is kept, and has wow-pace tell it in the machine's ad at once."""
import math
import re

from wow.acts import pause as pausing
from wow.agent import allowed
from wow.lib import system
from wow.lib.errors import WowError
from wow.place import state

NONE = "none"
TYPED = re.compile("([-+\N{MINUS SIGN}]?)([0-9]{1,3}(?:[.,][0-9]{0,20})?) ?\N{DEGREE SIGN}? ?([NSEW]?),?")
PACE = "wow-pace.service"


def place(fields: dict[str, str], _: int) -> None:
    """Keeps the place, or forgets it where both are none."""
    pausing.must_run_jobs("show on the map")
    asked = [fields.get(name, "") for name in state.NAMES]
    found = None if asked == [NONE, NONE] else (degrees(asked[0], 0), degrees(asked[1], 1))
    try:
        state.keep(found)
    except OSError as error:
        raise WowError(f"{state.FILE} cannot be written, so nothing was changed: {error.strerror}", "Make room in /home", code=allowed.FAILED) from None
    # One that runs already may have looked before this was kept.
    system.must(["systemctl", "restart", "--no-block", PACE], todo=f"Look with: systemctl status {PACE}", timeout=10.0)


def degrees(text: str, which: int) -> int:
    """The whole number next to what was typed; WowError where that is no latitude (0) or longitude (1)."""
    most, sides = state.MOST[which], state.SIDES[which]
    typed = TYPED.fullmatch(text.strip().upper())
    if typed is None or typed[3] not in ("", *sides) or (typed[1] and typed[3]):
        raise _refused(f'"{text[:20]}" is no number of degrees', which)
    value = float(typed[2].replace(",", "."))
    if value > most:
        raise _refused(f"there are {most} degrees at most", which)
    found = math.floor((-value if typed[1] not in ("", "+") or typed[3] == sides[1] else value) + 0.5)
    # The same meridian has one name.
    return most if (which, found) == (1, -most) else found


def _refused(what: str, which: int) -> WowError:
    name, sides = state.NAMES[which], state.SIDES[which]
    return WowError(f"{name}: {what}", f"Give the {name} as 0 to {state.MOST[which]} with {sides[0]} or {sides[1]}, like 33.9 {sides[1]}, or {NONE} for both to tell no "
                    "place", code=allowed.BAD_REQUEST)
