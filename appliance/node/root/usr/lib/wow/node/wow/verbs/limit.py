"""wow limit"""
import json

from wow.agent import client
from wow.lib import table
from wow.lib.verb import JSON, Given, UsageError, Verb
from wow.limits import month, state, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

LINE = {"speed": ({"k": 1, "m": 1000}, "500kB/s or 2MB/s"), "month": ({"g": 1, "t": 1000}, "20GB or 1TB")}
UNITS = {"M": 1, "G": 1024, "T": 1024 * 1024}
USAGE = f"say show, set NAME VALUE or clear [NAME]; a name is one of {', '.join(state.NAMES)}"


def run(given: Given) -> int:
    """Shows the limits, or changes them and shows them then."""
    what, *rest = given.words or ["show"]
    if what == "set" and len(rest) >= 2 and rest[0] in state.NAMES:
        client.ask("limit", **{rest[0]: asked(rest[0], rest[1:])})
    elif what == "clear" and len(rest) <= 1 and set(rest) <= set(state.NAMES):
        client.ask("limit", **dict.fromkeys(rest or state.NAMES, words.NONE))
    elif what != "show" or rest:
        raise UsageError(USAGE)
    limits = state.load()
    waits = words.waits(limits)
    if given.has(JSON):
        print(json.dumps({"limits": limits.values(), "month": month.read().facts(), "waits": waits}))
    else:
        print("\n".join([*table.columns([[name, words.value(limits, name)] for name in state.NAMES]), *waits]))
    return 0


def asked(name: str, said: "Sequence[str]") -> str:
    """What the agent takes for the words of a command line, as far as that can be told without asking it."""
    if name == "hours":
        return " ".join(said)
    if name in LINE:
        return carried(name, "".join(said))
    if len(said) > 1:
        raise UsageError(f"{name} has one value")
    number = said[0].removesuffix("%") if name == "percent" else said[0]
    if name in ("memory", "disk") and number[-1:].upper() in UNITS and number[:-1].isascii() and number[:-1].isdigit() and len(number) <= 9:
        return str(int(number[:-1]) * UNITS[number[-1:].upper()])
    if name in ("memory", "disk") and number.isdigit():
        raise UsageError(f"{name} needs a unit: {number}M or {number}G")
    return number


def carried(name: str, said: str) -> str:
    """The same for a limit of the overlay: its unit is never left out, for people say kbit, too."""
    units, example = LINE[name]
    number = said.lower().removesuffix("/s" if name == "speed" else "").removesuffix("b")
    if said != words.NONE and (number[-1:] not in units or not number[:-1].isascii() or not number[:-1].isdigit() or len(number) > 9):
        raise UsageError(f"{name} is said like {example}")
    return said if said == words.NONE else str(int(number[:-1]) * units[number[-1:]])


VERB = Verb("limit", "[show | set NAME VALUE | clear [NAME]]", "what of this machine jobs may have: percent of a processor, processors, memory, disk, the hours "
            "of the week when they may run; and what the pool's network sends a second and carries in a month", (JSON,), run, choices=("show", "set", "clear"))
