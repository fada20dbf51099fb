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
    try:
        code = run(name, rest)
        if sys.stdout:
            sys.stdout.flush()
        return code
    except EOFError:
        print(f"\nwow {name}: the input ended before the question was answered. Type the command again, and an answer", file=sys.stderr)
        return agreed.FAILED
    except KeyboardInterrupt as ended:
        # Of what only shows something nothing is to be said.
        if ended.args:
            print(f"\nwow {name}: ended by you, {ended}", file=sys.stderr)
        return agreed.INTERRUPTED
    except OSError as error:
        is_broken = isinstance(error, BrokenPipeError)
        if not is_broken and (error.filename is not None or isinstance(error, (ConnectionError, TimeoutError))):
            raise
        # Python would write the rest once more at its end, and tell that it cannot.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not is_broken:
            print(f"wow {name}: what it prints cannot be written: {error.strerror}. Print it to a place with room", file=sys.stderr)
        return agreed.FAILED


def run(name: str, rest: list[str]) -> int:
    """The same, where a person answers each question, and what is printed can be written."""
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
