"""wow place"""
import json

from wow.agent import client
from wow.lib.verb import JSON, Given, UsageError, Verb
from wow.place import state


def run(given: Given) -> int:
    """Says where the machine is, or shows what was said."""
    if given.words == ["none"]:
        client.ask("place", latitude="none", longitude="none")
    elif len(given.words) == 2:
        client.ask("place", latitude=given.words[0], longitude=given.words[1])
    elif given.words:
        raise UsageError("say latitude and longitude in degrees, like 47.4N 8.5E, or none")
    place = state.load()
    if given.has(JSON):
        print(json.dumps({"place": None if place is None else dict(zip(state.NAMES, place))}))
    else:
        print("This machine tells no place." if place is None else f"This machine tells the pool that it is at {state.words(place)}.")
    return 0


VERB = Verb("place", "[LATITUDE LONGITUDE | none]", "where this machine is on the map of the pool, as its owner says it: degrees like 47.4N 8.5E, of which it tells "
            "the pool whole ones; without words what it tells", (JSON,), run, choices=("none",))
