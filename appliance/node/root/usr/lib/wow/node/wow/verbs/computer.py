"""wow computer"""
import json

from wow.agent import client
from wow.computer import lines, seen, settings, words
from wow.lib import console, table
from wow.lib.errors import WowError
from wow.lib.verb import Given, JSON, UsageError, Verb
from wow.page import where
from wow.pause import state
from wow.stops import holding

USAGE = f"say show, set NAME VALUE, line SYSTEM or forget; a name is one of {', '.join(settings.NAMES)}, a system one of {', '.join(lines.SYSTEMS)}"


def run(given: Given) -> int:
    """Shows what is known of the owner's computer, or changes what follows from it and shows that then."""
    what, *rest = given.words or ["show"]
    if what == "line" and len(rest) == 1 and rest[0] in lines.SYSTEMS:
        return line(given, rest[0])
    if what == "set" and len(rest) == 2 and rest[0] in settings.NAMES:
        client.ask("computer", **{rest[0]: rest[1].removesuffix("m") if rest[0] == "used" else rest[1]})
    elif what == "forget" and not rest:
        client.ask("computer", token="forget")
    elif what != "show" or rest:
        raise UsageError(USAGE)
    chosen, found = settings.load(), seen.read()
    if given.has(JSON):
        print(json.dumps({"chosen": chosen.chosen(), "token": bool(chosen.token), **found.facts(), "paused": state.facts(holding.read())}))
        return 0
    rows = [[name if name == "restart" else f"pause: {name}", value + (" minutes" if name == "used" and chosen.used else "")]
            for name, value in words.chosen(chosen).items()]
    rows.append(["computer", words.heard(found.told, console.uptime()) if chosen.token else "tells nothing: wow computer line SYSTEM"])
    rows.append(["busy", words.load(found)])
    if found.why:
        rows.append(["jobs", f"stand still: {words.BY[found.why]}. {words.TYPES[seen.WHO[found.why]]}"])
    print("\n".join(table.columns(rows)))
    return 0


def line(given: Given, system: str) -> int:
    """Prints the line with a new token; the one before is good no more."""
    address = where.url(where.found())
    if not address:
        raise WowError("this machine has no address on its own network yet", "Wait until it has one")
    made = lines.line(system, address, str(client.ask("computer", token="new").get("token")))
    print(json.dumps({"line": made, "ends": lines.ENDS[system]}) if given.has(JSON) else made)
    return 0


VERB = Verb("computer", "[show | set NAME VALUE | line SYSTEM | forget]", "what is known of the computer that this machine is a guest of, and when jobs stand still "
            "for it: battery yes or no, used MINUTES or none, busy yes or no; restart yes or no, by itself for new modules; line makes what is pasted there "
            "(windows, macos, linux)", (JSON,), run, choices=("show", "set", "line", "forget"))
