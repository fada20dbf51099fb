"""Finds and runs a verb. Exit codes of every verb: 0 done, 1 it could not be done (the message says why and what to do), 2 wrong usage."""
import importlib
import os
import sys

from errors import WowError

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "verbs")


class UsageError(Exception):
    """The command line is wrong; the text says how it is right."""


def verbs():
    """The names of all verbs, in order."""
    return sorted(name[:-3] for name in os.listdir(FOLDER) if name.endswith(".py") and name != "__init__.py")


def load(verb):
    """The module of a verb: USAGE (one line), SUMMARY (one sentence), run(arguments) -> exit code or None."""
    return importlib.import_module(f"verbs.{verb}")


def main(arguments):
    """Runs the verb that the arguments name; returns the exit code."""
    verb = arguments[0] if arguments else "help"
    if verb in ("-h", "--help"):
        verb = "help"
    if verb not in verbs():
        print(f'wow: "{verb}" is not a verb. One of: {", ".join(verbs())}', file=sys.stderr)
        return 2
    try:
        if arguments[1:2] in (["--help"], ["-h"]):
            return load("help").run([verb]) or 0
        return load(verb).run(arguments[1:]) or 0
    except UsageError as error:
        print(f"wow {verb}: {error}\nusage: {load(verb).USAGE}", file=sys.stderr)
        return 2
    except WowError as error:
        print(f"wow {verb}: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        return 1
    except KeyboardInterrupt:
        return 130


def options(arguments, flags=(), values=()):
    """({option: True or value}, the other words) of a command line; UsageError for what the verb does not know."""
    found, words, rest = {}, [], list(arguments)
    while rest:
        word = rest.pop(0)
        key, equals, value = word.partition("=")
        if word in flags:
            found[word] = True
        elif key in values:
            if not equals and not rest:
                raise UsageError(f"{key} needs a value")
            found[key] = value if equals else rest.pop(0)
        elif word.startswith("-"):
            raise UsageError(f"{word} is not an option")
        else:
            words.append(word)
    return found, words


def no_words(words):
    """UsageError if words stand where none belong."""
    if words:
        raise UsageError(f"nothing belongs after the options: {' '.join(words)}")
