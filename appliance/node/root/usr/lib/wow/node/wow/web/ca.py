"""Asks the CA that serves on this machine, for an administrator whose browser shows the secret of a login. The CA knows the web page's account and does nothing for it
of itself; who is logged in, and for how long, the CA alone knows (decision 0062)."""
import json
import os

from wow.lib import agreed, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PATIENCE = 15.0
"""Seconds for each step: the CA may have to sign."""
NOT_ADMITTED = 4
"""The exit of an answer by which the CA says that nobody is logged in by that secret (AdminDesk.cs)."""
LONGEST = 200
"""Characters of a word of a command line; a key has 40, a name 63."""


class Refused(Exception):
    """The CA said no, and why."""


class NotIn(Refused):
    """By this browser nobody is logged in, or not any more."""


class Away(Exception):
    """The CA does not answer."""


def is_here(path: str = agreed.ADMIN_SOCKET) -> bool:
    """Whether this machine has the pool's CA and it serves."""
    return os.path.exists(path)


def login(code: str, path: str = agreed.ADMIN_SOCKET) -> str:
    """The secret for the cookie of who brings a code that `wow-ca page` printed."""
    return _ask({"code": code[:LONGEST]}, path).strip()


def logout(secret: str, path: str = agreed.ADMIN_SOCKET) -> None:
    """It is good no more."""
    _ask({"end": secret[:LONGEST]}, path)


def run(secret: str, *words: str, path: str = agreed.ADMIN_SOCKET) -> "dict[str, Any]":
    """Has a command line done, and returns what it says to programs."""
    try:
        said = json.loads(_ask({"page": secret[:LONGEST], "words": [*(word[:LONGEST] for word in words), "--json"]}, path))
        if not isinstance(said, dict):
            raise ValueError(said)
        return said
    except ValueError:
        raise Away("what it said cannot be read") from None


def _ask(request: "dict[str, Any]", path: str) -> str:
    try:
        reply = lines.exchange(path, request, PATIENCE)
        code, output, error = int(reply["exit"]), str(reply["output"]), str(reply["error"])
    except (OSError, ValueError, KeyError, TypeError) as wrong:
        raise Away(str(wrong)) from None
    if code:
        raise (NotIn if code == NOT_ADMITTED else Refused)(error.strip().removeprefix("wow-ca: "))
    return output
