"""Finds and runs a verb. Exit codes of every verb: 0 done, 1 it could not be done (the message says why and what to do), 2 wrong usage."""
import os
import sys

from wow.lib import agreed
from wow.lib.errors import WowError
from wow.lib.verb import UsageError, Verb
from wow.lib.version import VERSION

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "verbs")
HELP = ("--help", "-h")


def verbs() -> list[str]:
    """The names of all verbs, in order. In the image they are compiled, and their sources are not there."""
    return sorted({name.rpartition(".")[0] for name in os.listdir(FOLDER) if name.endswith((".py", ".pyc"))} - {"__init__"})


def load(name: str) -> Verb:
    """The verb of a name. Its file alone is loaded, for that is what a call costs."""
    verb: Verb = __import__(f"wow.verbs.{name}", fromlist=["VERB"]).VERB
    return verb


def main(arguments: list[str]) -> int:
    """Runs the verb that the arguments name; returns the exit code."""
    name, *rest = arguments or ["help"]
    if name == "--version":
        print(f"wow {VERSION}")
        return agreed.DONE
    if name in HELP:
        name = "help"
    if name not in verbs():
        print(f'wow: "{name}" is not a verb. One of: {", ".join(verbs())}', file=sys.stderr)
        return agreed.USAGE
    verb = load(name)
    try:
        if any(word in HELP for word in (rest[:1] if verb.takes_all else rest)):
            verb, rest = load("help"), [name]
        return verb.run(verb.read(rest))
    except UsageError as error:
        print(f"wow {name}: {error}\nusage: {verb.usage()}", file=sys.stderr)
        return agreed.USAGE
    except WowError as error:
        print(f"wow {name}: {error}", file=sys.stderr)
        return agreed.FAILED
    except BrokenPipeError:
        return agreed.FAILED
    except KeyboardInterrupt:
        return agreed.INTERRUPTED
