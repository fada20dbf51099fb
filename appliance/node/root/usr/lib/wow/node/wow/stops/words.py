"""A pause in sentences, for `wow status`, `wow doctor` and the verbs; and how people say for how long."""
import time

from wow.computer import words as computer
from wow.lib import errors
from wow.limits import hours, month
from wow.pause import state
from wow.slots import freeze
from wow.stops import drained, holding

UNITS = {"m": 60, "h": 3600, "d": 86400}
PAGES = {state.CONSOLE: "the console", state.WEB: "the web page", hours.WHO: "the hours that its owner set",
         month.WHO: "the owner's limit of a month, which is used up", drained.WHO: "the pool's administrator, who gives it no jobs", **computer.BY_WHO}
RESUME = "Type `wow resume` to let jobs run again."
HOURS = "Type `wow limit clear hours` to let jobs run at any time."
MONTH = "Type `wow limit clear month`, or `wow limit set month` with more, to let jobs run before."
DRAINED = "The pool's administrator ends that: `wow pool drain NAME --end` on the manager."
USAGE = f"say for how long like 90m, 3h or 2d ({state.LONGEST // 86400}d at most), or tomorrow; nothing: until `wow resume`"


def length(word: str) -> str | None:
    """What the agent takes for the word of a command line; None for a word that is none."""
    if word == state.TOMORROW:
        return word
    number, unit = word[:-1], word[-1:]
    if unit not in UNITS or not (number.isascii() and number.isdigit() and len(number) <= 6):
        return None
    seconds = int(number) * UNITS[unit]
    return str(seconds) if 0 < seconds <= state.LONGEST else None


def day(moment: int) -> str:
    """A time in the machine's own zone, which it names."""
    try:
        return time.strftime("%Y-%m-%d %H:%M %Z", time.localtime(moment))
    except (OverflowError, ValueError, OSError):
        return "a time that is none"


def sentence(pause: state.Pause, jobs: int) -> str:
    """Who, since when, until when. jobs: how many are there."""
    until = f"until {day(pause.until)}" if pause.until is not None else "until that changes" if pause.who in holding.BY_ITSELF else "until somebody ends that"
    if pause.finish and jobs:
        how = f"Takes no new jobs, and is paused when the {'one that runs has' if jobs == 1 else f'{jobs} that run have'} ended"
    else:
        how = "Paused: " + ("no job runs" if not jobs else "its job stands still" if jobs == 1 else f"its {jobs} jobs stand still")
    return f"{how}; by {PAGES.get(pause.who, pause.who)}, since {day(pause.since)}, {until}."


def todo(pause: state.Pause) -> str:
    """What to type."""
    return {hours.WHO: HOURS, month.WHO: MONTH, drained.WHO: DRAINED, **computer.TYPES}.get(pause.who, RESUME)


def told(pause: state.Pause) -> str:
    """The same of this machine, and what to type."""
    return f"{sentence(pause, freeze.running())} {todo(pause)}"


def trouble() -> str | None:
    """What is wrong with the file in which a pause is kept; None if nothing is."""
    return errors.trouble(state.load)
