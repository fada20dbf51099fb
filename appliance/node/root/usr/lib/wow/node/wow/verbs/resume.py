"""wow resume"""
import json

from wow.agent import client
from wow.lib.verb import JSON, Given, Verb


def run(given: Given) -> int:
    """Ends the pause."""
    client.ask("resume")
    print(json.dumps({"paused": None}) if given.has(JSON) else "Not paused: jobs that were stopped go on, and others may come.")
    return 0


VERB = Verb("resume", "", "ends a pause of this machine: its jobs go on at once, and others may come", (JSON,), run)
