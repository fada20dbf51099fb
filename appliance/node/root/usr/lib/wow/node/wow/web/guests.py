"""Who is in: the code that was used, and those who logged in, of whose cookie a hash is kept. All of it lies in memory (/run), so that it outlives the program, which
ends when nobody asks, and not the machine's next start.

Each code that somebody types is looked at, however many wrong ones came before: what keeps a guess away would keep the owner away, too. Behind a NAT or a forwarded port
both have one address, and who guesses may have many. What keeps guesses out is the code's length (page/code.py)."""
import hmac
import json
import os
import threading

from wow.lib import console, files
from wow.page import code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

FOLDER = "/run/wow-web"
MOST = 8
"""Browsers that are in at a time; one more takes the place of the one that has been in for longest."""
LIFE = 7 * 86400
"""Seconds that a login lasts, of the time since the machine started."""
SCREEN = "Press N at the machine's screen, or type `wow page` in a login there, for a new one."


class Refused(Exception):
    """A code that was not taken, and why."""


class Guests:
    """For all threads of the program. now: seconds since the machine started."""

    def __init__(self, folder: str = FOLDER, asked: str = code.FILE, now: "Callable[[], float]" = console.uptime) -> None:
        self._file, self._asked, self._now = f"{folder}/guests.json", asked, now
        self._lock = threading.Lock()
        self._used = ""
        self._in: dict[str, float] = {}
        self._load()

    def login(self, said: str) -> str:
        """The secret for the cookie of who shows the newest code; Refused if it is not that one."""
        with self._lock:
            now, made = self._now(), code.made(self._asked)
            if made is None:
                raise Refused(f"No code was asked for. {SCREEN}")
            if not hmac.compare_digest(code.digest(code.plain(said)), made.digest):
                raise Refused(f"That is not the code. It has {code.LENGTH} letters and digits; the newest one counts.")
            if made.digest == self._used:
                raise Refused(f"That code was used: each is for one login. {SCREEN}")
            if not 0 <= now - made.when < code.LIFE:
                raise Refused(f"That code is too old: each is good for {code.LIFE // 60} minutes. {SCREEN}")
            self._used = made.digest
            secret = os.urandom(32).hex()
            self._in[code.digest(secret)] = now
            for digest in sorted(self._in, key=lambda one: self._in[one])[:-MOST]:
                del self._in[digest]
            self._keep()
            return secret

    def knows(self, secret: str) -> bool:
        """Whether a cookie is of somebody who is in."""
        with self._lock:
            since = self._in.get(code.digest(secret))
            return since is not None and 0 <= self._now() - since < LIFE

    def logout(self, secret: str) -> None:
        """Its cookie is good no more."""
        with self._lock:
            if self._in.pop(code.digest(secret), None) is not None:
                self._keep()

    def _keep(self) -> None:
        files.write(self._file, json.dumps({"used": self._used, "in": self._in}) + "\n", 0o600)

    def _load(self) -> None:
        try:
            kept = json.loads(files.read(self._file))
            self._used, self._in = str(kept["used"]), {str(digest): float(since) for digest, since in kept["in"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            pass  # nobody is in, and no code was used


def form_key(secret: str) -> str:
    """What stands in each form that a browser got which is in, so that another site's form does nothing (CSRF)."""
    return code.digest(f"form {secret}")[:32]
