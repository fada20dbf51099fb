"""wow reset"""
import json
import sys

from wow.agent import client
from wow.lib.errors import WowError
from wow.lib.verb import JSON, Given, Option, UsageError, Verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

YES = Option("--yes", "", "do not ask whether that is meant")


def run(given: Given) -> int:
    """Asks the person, then asks root."""
    if given.has(JSON) and not given.has(YES):
        raise UsageError("--json goes with --yes, for a program answers no question")
    if not given.has(YES) and not agreed():
        raise WowError("nothing was changed", "Type yes when asked, or use --yes")
    client.ask("reset")
    print(json.dumps({"resets": True}) if given.has(JSON)
          else "This machine forgets who it was and starts again. Without the disk WOWCFG it then waits for a pool.conf.")
    return 0


def agreed(lines: "TextIO | None" = None) -> bool:
    """Whether the person at the terminal says yes."""
    print("This ends this machine's membership: its key, certificate, address and queued jobs are lost. Files in /home stay.")
    print("Type yes to go on: ", end="", flush=True)
    return (lines or sys.stdin).readline().strip() == "yes"


VERB = Verb("reset", "", "forgets this machine's identity (key, certificate, accepted pool.conf, queued jobs) and starts it again; /home stays", (YES, JSON), run)
