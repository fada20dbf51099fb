"""wow screen"""
import json
import sys

from wow.acts import screen as act
from wow.agent import client
from wow.lib.errors import WowError
from wow.lib.verb import Given, JSON, UsageError, Verb
from wow.screen import keyboard, password, state

USAGE = "say show, keyboard LAYOUT or none, or password, which asks for it, or password none"


def run(given: Given) -> int:
    """Changes what is named, and shows what counts then."""
    what, *rest = given.words or ["show"]
    if what == "keyboard" and len(rest) == 1:
        client.ask("screen", keyboard=rest[0])
    elif what == "password" and rest in ([], [act.NONE]):
        client.ask("screen", password=act.NONE if rest else typed())
    elif what != "show" or rest:
        raise UsageError(USAGE)
    layout = state.line(state.COUNTS) or keyboard.USUAL
    if given.has(JSON):
        print(json.dumps({"keyboard": layout, "locked": state.is_locked()}))
    else:
        says = keyboard.layouts().get(layout, ("",))[0]
        print(f"keyboard  {layout}{f', {says}' if says else ''}")
        print(f"keys      {'are taken when the password was typed' if state.is_locked() else 'are taken from whoever sits there: wow screen password'}")
    state.must_have_password()
    return 0


def typed() -> str:
    """A password, typed twice and not shown; from what is no terminal the one line that comes. WowError if it is none."""
    if not sys.stdin.isatty():
        return _sound(sys.stdin.readline().rstrip("\n"))
    # Here, for it is compiled anew at each call.
    import getpass
    first = _sound(getpass.getpass("New password of the screen: "))
    if getpass.getpass("The same again: ") != first:
        raise WowError("the two are not the same, so nothing was changed", "Type it again")
    return first


def _sound(text: str) -> str:
    password.must_be_one(text)
    return text


VERB = Verb("screen", "[show | keyboard LAYOUT | password [none]]", "the machine's screen: which keyboard stands there, like de, fr or gb (none: pool.conf's), and the "
            "password that it asks for before it takes a key (none: pool.conf's, or none at all)", (JSON,), run, choices=("show", "keyboard", "password"))
