"""Asks the person at the terminal whether what a verb is about to do is meant. A program says --yes."""
import sys

from wow.lib.errors import WowError
from wow.lib.verb import JSON, Given, Option, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

YES = Option("--yes", "", "do not ask whether that is meant")


def ask(given: Given, question: str, lines: "TextIO | None" = None) -> None:
    """Returns where the answer is yes. WowError where it is not, UsageError where nobody can give one."""
    if given.has(YES):
        return
    if given.has(JSON):
        raise UsageError("--json goes with --yes, for a program answers no question")
    print(question)
    print("Type yes to go on: ", end="", flush=True)
    if (lines or sys.stdin).readline().strip() != "yes":
        raise WowError("nothing was changed", "Type yes when asked, or use --yes")
