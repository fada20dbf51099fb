"""wow limit"""
import json

from wow.agent import client
from wow.lib import table
from wow.lib.verb import JSON, Given, UsageError, Verb
from wow.limits import state, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

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
        print(json.dumps({"limits": limits.values(), "waits": waits}))
    else:
        print("\n".join([*table.columns([[name, words.value(limits, name)] for name in state.NAMES]), *waits]))
    return 0


def asked(name: str, said: "Sequence[str]") -> str:
    """What the agent takes for the words of a command line, as far as that can be told without asking it."""
    if name == "hours":
        return " ".join(said)
    if len(said) > 1:
        raise UsageError(f"{name} has one value")
    number = said[0].removesuffix("%") if name == "percent" else said[0]
    if name in ("memory", "disk") and number[-1:].upper() in UNITS and number[:-1].isascii() and number[:-1].isdigit() and len(number) <= 9:
        return str(int(number[:-1]) * UNITS[number[-1:].upper()])
    if name in ("memory", "disk") and number.isdigit():
        raise UsageError(f"{name} needs a unit: {number}M or {number}G")
    return number


VERB = Verb("limit", "[show | set NAME VALUE | clear [NAME]]", "what of this machine jobs may have: percent of a processor, processors, memory, disk, and the "
            "hours of the week when they may run", (JSON,), run, choices=("show", "set", "clear"))
