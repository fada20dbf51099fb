"""What who reads the pool's figures shows. It follows from the manager's key, which the manager and the folder of `wow pool` alone have: so it needs no
place of its own, and one key's is another's no more (decision 0038).

A token that came into wrong hands is followed by the next (`wow history token --new`). Which one holds is a number, and no secret: who has a token cannot tell
the next, and who has the key can tell all. So whoever shows the one that holds may end it: a thief would take from himself alone."""
import hashlib
import hmac

from wow.lib import files, paths
from wow.lib.errors import WowError

PURPOSE = "wow-pool figures"
FIRST, LAST = 1, 9999
NUMBER = f"{paths.STATE}/history/token-number"
"""The number of the token that holds; there is no such file while it is the first."""


class Token:
    """A token. option: what `wow pool show FOLDER --token` takes beside to print this one."""

    __slots__ = ("secret", "number")

    def __init__(self, secret: str, number: int) -> None:
        self.secret, self.number = secret, number

    @property
    def option(self) -> str:
        """With a blank before it; nothing for the first."""
        return f" --number {self.number}" if self.number != FIRST else ""


def from_key(key: bytes, number: int = FIRST) -> str:
    """64 hexadecimal digits, from the bytes of node.key."""
    return hmac.new(key, f"{PURPOSE} {number}".encode(), hashlib.sha256).hexdigest()


def own(key: str = f"{paths.STATE}/node.key", number: str = NUMBER) -> Token:
    """The token of this manager. OSError or WowError: it cannot be told."""
    with open(key, "rb") as file:
        which = number_of(number)
        return Token(from_key(file.read(), which), which)


def number_of(path: str = NUMBER) -> int:
    """Which token holds. WowError where the file says nothing of the kind: then none holds, for one that was followed must not come back."""
    text = (files.find(path) or str(FIRST)).strip()
    if not (text.isascii() and text.isdigit() and len(text) < 5 and int(text) >= FIRST):
        raise WowError("is no number of a token", f"Write there how often `wow history token --new` was typed, and {FIRST} more", path)
    return int(text)


def renew(path: str = NUMBER) -> int:
    """Has the next token hold from now on; its number. OSError or WowError: the one before holds."""
    following = number_of(path) + 1
    if following > LAST:
        raise WowError(f"there were {LAST} tokens", "Give the manager another key", path)
    files.write(path, f"{following}\n", 0o600, sync=True)
    return following


def is_right(shown: str, wanted: str) -> bool:
    """Compares in a time that does not tell how much is right."""
    return hmac.compare_digest(shown.encode(), wanted.encode())
