"""wow reset"""
import json

from wow.agent import client
from wow.lib import sure
from wow.lib.verb import JSON, Given, Verb

QUESTION = "This ends this machine's membership: its key, certificate, address and queued jobs are lost. Files in /home stay."


def run(given: Given) -> int:
    """Asks the person, then asks root."""
    sure.ask(given, QUESTION)
    client.ask("reset")
    print(json.dumps({"resets": True}) if given.has(JSON)
          else "This machine forgets who it was and starts again. Without the disk WOWCFG it then waits for a pool.conf.")
    return 0


VERB = Verb("reset", "", "forgets this machine's identity (key, certificate, accepted pool.conf, queued jobs) and starts it again; /home stays", (sure.YES, JSON), run)
