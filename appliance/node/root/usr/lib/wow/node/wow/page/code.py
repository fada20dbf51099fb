"""The code that lets a browser in: the agent makes it for whoever sits at the machine's screen or may log in to it, and keeps its hash for the web page, which
takes it once (web/guests.py). A newer one takes the place of the one before."""
import os

from wow.lib import console, files, paths

FILE = f"{paths.RUN}/web-code"
"""The hash of the newest code, and when it was made, in seconds since the machine started; for root and group wow."""
LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Digits and letters that nobody takes for another one (Crockford's base 32)."""
TAKEN_FOR = str.maketrans("OIL", "011")
LENGTH, LIFE = 10, 600
"""Characters of a code, 5 bits each, and seconds for which it is good. The page answers some thousand guesses a second: who guesses all that time gets in by one code of
300 million."""


class Made:
    """A code that was made: its hash, and when, in seconds since the machine started."""

    __slots__ = ("digest", "when")

    def __init__(self, kept: str, when: float) -> None:
        self.digest, self.when = kept, when


def make(path: str = FILE) -> str:
    """A new code as people read it, XXXXX-XXXXX. OSError: it cannot be kept."""
    text = "".join(LETTERS[byte % len(LETTERS)] for byte in os.urandom(LENGTH))
    files.write(path, f"{digest(text)} {console.uptime():.2f}\n", 0o640)
    return f"{text[:LENGTH // 2]}-{text[LENGTH // 2:]}"


def plain(said: str) -> str:
    """What somebody typed as a code is kept: without blanks and dashes, in capitals, with letters that look like digits as those."""
    return "".join(said.split()).replace("-", "").upper().translate(TAKEN_FOR)


def is_code(text: str) -> bool:
    """Whether it can be a code."""
    return len(text) == LENGTH and not set(text) - set(LETTERS)


def digest(text: str) -> str:
    """What is kept of a secret: its SHA-256. A code has 50 bits and ten minutes, and what reads the hash may ask for a code of its own."""
    # Here, for the agent, which starts often and mostly for something else: the module loads OpenSSL.
    import hashlib
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def made(path: str = FILE) -> Made | None:
    """The newest code; None where there is none."""
    try:
        found, when = files.read(path).split()
        return Made(found, float(when))
    except (OSError, ValueError):
        return None
