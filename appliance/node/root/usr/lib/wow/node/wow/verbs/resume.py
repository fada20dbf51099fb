"""wow resume"""
import json

from wow.agent import client
from wow.lib.verb import Given, JSON, Verb
from wow.pause import state
from wow.stops import holding, words


def run(given: Given) -> int:
    """Ends the pause."""
    client.ask("resume")
    found = holding.read()
    if given.has(JSON):
        print(json.dumps({"paused": state.facts(found)}))
    else:
        print(words.told(found) if found else "Not paused: jobs that were stopped go on, and others may come.")
    return 0


VERB = Verb("resume", "", "ends a pause of this machine: its jobs go on at once, and others may come", (JSON,), run)
