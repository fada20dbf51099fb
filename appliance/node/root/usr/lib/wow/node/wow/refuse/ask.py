"""`wow refuse` and `wow accept`: one question to the agent, and what is refused then."""
import json
import sys

from wow.agent import client
from wow.lib import errors
from wow.lib.verb import JSON, Given
from wow.refuse import state


def ask(given: Given, command: str) -> int:
    """Without a name it only says what is refused. A name may have blanks, with quotation marks or without. WowError: what is said may not be all."""
    if given.words:
        trouble = errors.trouble(state.load)
        client.ask(command, project=" ".join(given.words))
        if trouble:
            print(f"{trouble}. Now it is made anew of what could be read: refuse again what is missing.", file=sys.stderr)
    refused = state.read()
    if given.has(JSON):
        print(json.dumps({"refused": refused}))
    else:
        print("\n".join(["This machine refuses jobs of:", *(f"  {name}" for name in refused)]) if refused else "This machine refuses no project.")
    state.load()
    return 0
