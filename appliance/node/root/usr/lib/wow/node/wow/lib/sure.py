"""Asks the person at the terminal whether what a verb is about to do is meant. A program says --yes. The question goes to standard error, for standard output
may be a file, or another program."""
import sys

from wow.lib.errors import WowError
from wow.lib.verb import JSON, Given, Option, UsageError

YES = Option("--yes", "", "do not ask whether that is meant")


def ask(given: Given, question: str, what: str = "go on", undone: str = "nothing was changed") -> None:
    """Returns where the answer is yes. WowError where it is not, UsageError where nobody can give one. what: what a yes is for; undone: what is told without it."""
    if given.has(YES):
        return
    if given.has(JSON):
        raise UsageError("--json goes with --yes, for a program answers no question")
    print(f"{question}\nType yes to {what}: ", end="", file=sys.stderr, flush=True)
    try:
        answer = sys.stdin.readline().strip()
    except KeyboardInterrupt:
        raise KeyboardInterrupt(undone) from None
    if answer != "yes":
        raise WowError(undone, "Type yes when asked, or use --yes")
