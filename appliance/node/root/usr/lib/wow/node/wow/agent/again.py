"""Asks the person, then root, for a start in another mode: what `wow boot` and `wow module develop` do."""
import json

from wow.agent import client
from wow.lib import modes, sure
from wow.lib.verb import JSON, Given


def start(given: Given, mode: str, **fields: str) -> int:
    """Exit code."""
    sure.ask(given, f"This starts the machine again, in {mode}. Its jobs have 20 s to save what they have, and go elsewhere.")
    client.ask("boot", mode=mode, **fields)
    after = "" if mode == modes.RELEASE else " The start after that is in release."
    print(json.dumps({"starts": mode, **fields}) if given.has(JSON) else f"This machine starts again, in {mode}.{after}")
    return 0
