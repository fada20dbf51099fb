"""`wow pause` and `wow finish`: one question to the agent, and what came of it."""
import json

from wow.agent import client
from wow.lib.verb import Given, JSON, UsageError
from wow.pause import state
from wow.stops import holding, words

CHOICES = ("3h", "8h", state.TOMORROW)


def pause(given: Given, finish: bool) -> int:
    """Has the machine paused for as long as the words say."""
    if len(given.words) > 1 or (given.words and words.length(given.words[0]) is None):
        raise UsageError(words.USAGE)
    wanted = words.length(given.words[0]) if given.words else None
    client.ask("pause", **({"for": wanted} if wanted else {}), **({"finish": "yes"} if finish else {}))
    found = holding.read()
    if given.has(JSON):
        print(json.dumps({"paused": state.facts(found)}))
    elif found is not None:
        print(words.told(found))
    return 0
