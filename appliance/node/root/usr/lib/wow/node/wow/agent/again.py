"""Asks the person, then root, for a start in another mode: what `wow boot` and `wow module develop` do."""
import json
import sys

from wow.agent import client
from wow.lib.errors import WowError
from wow.lib.verb import JSON, Given, Option, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

YES = Option("--yes", "", "do not ask whether that is meant")


def start(given: Given, mode: str, **fields: str) -> int:
    """Exit code."""
    if given.has(JSON) and not given.has(YES):
        raise UsageError("--json goes with --yes, for a program answers no question")
    if not given.has(YES) and not agreed(mode):
        raise WowError("nothing was changed", "Type yes when asked, or use --yes")
    client.ask("boot", mode=mode, **fields)
    print(json.dumps({"starts": mode, **fields}) if given.has(JSON) else f"This machine starts again, in {mode}. The start after that is in release.")
    return 0


def agreed(mode: str, lines: "TextIO | None" = None) -> bool:
    """Whether the person at the terminal says yes."""
    print(f"This starts the machine again, in {mode}. Its jobs have 20 s to save what they have, and go elsewhere.")
    print("Type yes to go on: ", end="", flush=True)
    return (lines or sys.stdin).readline().strip() == "yes"
