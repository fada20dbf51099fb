"""The command line of `wow pool`. Exit codes: 0 done, 1 it could not be done (the message says why and what to do), 2 wrong usage."""

import json
import os
import sys

from help import plain
from pool import here, steps
from pool.clone import Clone
from pool.node import WowError, agreed
from pool.programs import AGAIN
from pool.progress import Progress
from pool.verbs import admin, backup, create, drain, manager, project, restore, show, stamp, ticket, upgrade, user

VERBS = {"create": create, "ticket": ticket, "user": user, "admin": admin, "project": project, "manager": manager, "stamp": stamp, "show": show, "drain": drain,
         "upgrade": upgrade, "backup": backup, "restore": restore}


class Context:
    """What a verb is given: the clone, where progress is told, and whether a program reads what it prints. `reached` is told of each step. `changed` is the folder, as
    it is typed, in which the verb has kept the change that was asked for, None before that: what is left to do then is not the same command, which would ask for
    another change. `left` is what people do once that is done."""

    def __init__(self, clone, say, as_json, out, reached):
        self.clone = clone
        self.say = say
        self.as_json = as_json
        self.changed = None
        self.left = ""
        self._is_told = False
        self._out = out
        self._reached = reached

    def kept(self, go_on="Go on"):
        """What to say where the run ends before all is made of the change."""
        left = f" When the images are made: {self.left}." if self.left else ""
        return f"The change is kept.{left} {go_on} with: {here.typed()} stamp {self.changed}"

    def run(self, made):
        """Runs the steps that are not done."""
        steps.run(made, self.say, self._reached)

    def warn(self, doubts):
        """Tells what may be wrong."""
        for doubt in doubts:
            self.say(f"WARNING: {doubt}")

    def plain(self, text):
        """Prints a line for people."""
        if not self.as_json:
            print(text, file=self._out, flush=True)

    def tell(self, told):
        """Prints the result for programs, once: where it has a recovery key, that was told before its backup counted."""
        if self.as_json and not self._is_told:
            self._is_told = True
            print(json.dumps(told), file=self._out, flush=True)


def parser():
    """The parser of all verbs."""
    whole = plain.Parser(prog="wow pool", description="Makes a pool in one folder, and keeps it.", allow_abbrev=False)
    verbs = whole.add_subparsers(dest="verb", required=True, metavar="VERB")
    for name, verb in VERBS.items():
        one = verbs.add_parser(name, help=verb.SUMMARY, description=verb.__doc__, allow_abbrev=False)
        verb.add(one)
        one.add_argument("--json", action="store_true", help="print the result as JSON, progress to standard error")
    return whole


def main(words, clone=None, out=None, err=None, reached=lambda name: None):
    """Runs one verb; the tests give a clone, streams, and `reached`, which is called with each step's name before it is begun."""
    out, err = out or sys.stdout, err or sys.stderr
    try:
        try:
            given = parser().parse_args(words)
        finally:
            _flush(out)  # what --help prints
    except OSError as error:
        _give_up(out)
        if not isinstance(error, BrokenPipeError):
            print(f"wow pool: what it prints cannot be written: {error.strerror}. Print it to a place with room", file=err)
        return agreed.FAILED
    # All that is made is the owner's alone.
    former = os.umask(0o077)
    context = Context(clone or Clone(), Progress(err if given.json else out), given.json, out, reached)
    try:
        code = VERBS[given.verb].run(given, context) or 0
        _flush(out)
        return code
    except (WowError, OSError) as error:
        if isinstance(error, OSError) and error.filename is None:
            _give_up(out)
        told = error if isinstance(error, WowError) else WowError(error.strerror or str(error), AGAIN, str(error.filename or ""))
        if context.changed:
            told.todo = f"{'' if told.todo == AGAIN else told.todo + '. '}{context.kept('When that is mended, go on')}"
        print(f"wow pool {given.verb}: {told}", file=err)
        return agreed.FAILED
    except KeyboardInterrupt:
        kept = context.kept() if context.changed else "What is done stays: type the same command again to go on"
        print(f"wow pool {given.verb}: ended by you. {kept}", file=err)
        return agreed.INTERRUPTED
    except EOFError:
        print(f"\nwow pool {given.verb}: the input ended before the question was answered. Type the same command again, and an answer", file=err)
        return agreed.FAILED
    finally:
        os.umask(former)


def _flush(out):
    """OSError where what was printed cannot be written. There may be no standard output."""
    if out:
        out.flush()


def _give_up(out):
    """Prints no more to standard output: Python would write the rest once more at its end, and tell that it cannot."""
    if out and out is sys.stdout:
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())
