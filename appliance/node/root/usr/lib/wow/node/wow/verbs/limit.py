"""wow limit"""
import json

from wow.agent import client
from wow.lib import table
from wow.lib.verb import JSON, Given, UsageError, Verb
from wow.limits import month, state, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

ROOM = ({"m": 1, "g": 1024, "t": 1024 * 1024}, "512M or 2G")
MEASURED = {"memory": ROOM, "disk": ROOM, "speed": ({"k": 1, "m": 1000}, "500kB/s or 2MB/s"), "month": ({"g": 1, "t": 1000}, "20GB or 1TB")}
"""Limits with a unit: what it is in that of the agent, and an example."""
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
    if name in MEASURED:
        return measured(name, "".join(said))
    number, *more = [word for word in said if word != "%" or name != "percent"] or [""]
    if more:
        raise UsageError(f"{name} has one value")
    return number.removesuffix("%") if name == "percent" else number


def measured(name: str, said: str) -> str:
    """The same for a number with a unit. 2G, 2GB and 2GiB are one. The unit is never left out; people say kbit, too, and mean it by a small b."""
    units, example = MEASURED[name]
    number = said.removesuffix("/s").removesuffix("B").lower() if name == "speed" else said.lower().removesuffix("b").removesuffix("i")
    if said != words.NONE and (number[-1:] not in units or not number[:-1].isascii() or not number[:-1].isdigit() or len(number) > 9):
        raise UsageError(f"{name} is a whole number with a unit, like {example}")
    return said if said == words.NONE else str(int(number[:-1]) * units[number[-1:]])


VERB = Verb("limit", "[show | set NAME VALUE | clear [NAME]]", "what of this machine jobs may have: percent of a processor, processors, memory, disk, the hours "
            "of the week when they may run; and what the pool's network sends a second and carries in a month", (JSON,), run, choices=("show", "set", "clear"))
