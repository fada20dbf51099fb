"""Files of a stack from origins, web servers that the pool's administrator names (named.py). They are asked before all others, for they were named so that the lines
of volunteers and of the CA are spared. They are believed in nothing: who is away, slow, busy, or sends something else is left for the rest of the run."""
import hashlib
import http.client
import os
import socket

from wow.lib import files, paths
from wow.lib.errors import WowError
from wow.lib.requests import printable
from wow.stack import fetch, kept, share
from wow.stack.lent import Lent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from wow.stack.text import Layer

SILENCE, PATIENCE = 20.0, 30.0
"""Seconds without a byte until an origin is left, and after which share.LEAST bytes a second must have come on the average; tls.PATIENCE ends before."""


class Here(http.client.HTTPConnection):
    """A connection to wow-origin@, which speaks TLS with the origin."""

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(paths.ORIGIN_SOCKET)


class At(fetch.Source):
    """One origin, by its number among those that are named, for files that come into a folder."""

    __slots__ = ("text", "_folder", "_lent")

    def __init__(self, number: int, text: str, folder: str, lent: Lent) -> None:
        super().__init__("", 0, str(number), "", fetch.Pace(SILENCE, share.LEAST, PATIENCE))
        self.text, self._folder, self._lent = text, folder, lent

    @property
    def who(self) -> str:
        return self.text.partition("#")[0]

    def part(self, wanted: "Layer", folder: str) -> str:
        """Named by the origin: after a power cut it is gone on with, and by no other one."""
        return f"{folder}/{wanted.digest}{kept.ORIGIN}{hashlib.sha256(self.text.encode()).hexdigest()[:8]}.part"

    def _connection(self) -> http.client.HTTPConnection:
        return Here("origin", timeout=self.pace.silence)

    def piece(self) -> int:
        return self._lent.piece(fetch.PIECE)

    def took(self, count: int) -> None:
        self.held += self._lent.took(count)

    def ask(self, wanted: "Layer", at: int) -> http.client.HTTPResponse:
        self._lent.opened()
        answer = super().ask(wanted, at)
        if answer.status in (200, 206):
            # One of them is begun at a time, so that not each leaves a part.
            for begun in kept.parts(self._folder, wanted.digest):
                if kept.ORIGIN in begun and begun != self.part(wanted, self._folder):
                    os.unlink(begun)
        elif answer.status not in (404, 503):
            answer.close()
            says = "redirects, which is not followed: name the place itself" if answer.status // 100 == 3 else f"answered {answer.status} {printable(answer.reason)}"
            raise WowError(f"{self.who} {says}", "", code="away")
        return answer


class Origins:
    """Those of one run, in the order in which they are named."""

    __slots__ = ("_named", "_left", "_lent")

    def __init__(self, named: "Sequence[str]", lent: Lent | None = None) -> None:
        self._named, self._lent = named, lent or Lent()
        self._left: dict[str, str] = {}
        if os.path.exists(paths.ORIGINS_LEFT):
            os.unlink(paths.ORIGINS_LEFT)

    def bring(self, wanted: "Layer", folder: str) -> bool:
        """Whether one of them brought a file, whole. WowError: home has no room, or the owner lends no more of the line this month."""
        there = [At(number, text, folder, self._lent) for number, text in enumerate(self._named) if text not in self._left]
        for origin in sorted(there, key=lambda one: not kept.size_of(one.part(wanted, folder))):
            try:
                fetch.layer(origin, wanted, folder)
                print(f"{wanted.name} came from {origin.who}", flush=True)  # for the journal
                return True
            except fetch.Busy:
                self._leave(origin, f"{origin.who} is busy")
            except WowError as error:
                if error.code in ("no-room", "month"):
                    raise
                self._leave(origin, error.what)
                if error.code == "lies" and os.path.exists(part := origin.part(wanted, folder)):
                    os.unlink(part)
            finally:
                self._lent.keep()
        return False

    def _leave(self, origin: At, why: str) -> None:
        """Asks it no more in this run, and says so."""
        print(f"{origin.who} is asked no more: {why}", flush=True)
        self._left[origin.text] = f"{origin.who} {why}\n"
        files.write(paths.ORIGINS_LEFT, "".join(self._left.values()))
