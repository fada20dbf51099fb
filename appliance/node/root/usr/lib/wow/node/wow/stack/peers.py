"""Files of a stack from others than the machine with the CA, which need not send each of them to everybody: from origins, where any are named (named.py), and
from other machines of the pool. The CA names some that said to have a file whole. They are asked before it, and believed in nothing: who is away, slow, or sends
something else is left for the rest of the run, and what nobody gives comes from the CA."""
import http.client
import os

from wow.lib import agreed, ipv4
from wow.lib.errors import WowError
from wow.stack import fetch, kept, share
from wow.stack.kept import size_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from wow.stack.origins import Origins
    from wow.stack.text import Layer

MOST_NAMED = 4
"""Machines of an answer of the CA that are asked."""
LONGEST = 1024
"""Bytes that are read of it."""
SILENCE = 10.0
"""Seconds without a byte until another machine is left; the CA has more, for behind it is nobody."""
PATIENCE = 20.0
"""Seconds after which share.LEAST bytes a second must have come from another machine on the average."""
MOST_LIES = 2
"""Files that came out wrong, after which a run has all else from the CA."""
MOST_TURNS, BREATH = 12, 20.0
"""How often a run waits for others that have a file and are busy, before it asks the CA; and seconds of each time, as at the CA itself: a
thousand machines that wait ask it 25 times a second so."""


class Peer(fetch.Source):
    """Another machine of the pool. One that closes without a word has other machines to serve (wow-share.socket)."""

    __slots__ = ()

    def __init__(self, address: str, own: str, port: int = agreed.SHARE_PORT) -> None:
        super().__init__(address, port, address, own, fetch.Pace(SILENCE, share.LEAST, PATIENCE))

    @property
    def who(self) -> str:
        return self.place[0]

    def part(self, wanted: "Layer", folder: str) -> str:
        """Not the CA's: a few wrong bytes would cost what that sent."""
        return f"{folder}/{wanted.digest}.other.part"

    def ask(self, wanted: "Layer", at: int) -> http.client.HTTPResponse:
        try:
            return super().ask(wanted, at)
        except (ConnectionResetError, BrokenPipeError):
            raise fetch.Busy(BREATH) from None


class Nowhere(fetch.Source):
    """The machine with the CA, where it has no address. why: what is told of that."""

    __slots__ = ("_why",)

    def __init__(self, why: str, name: str, own: str) -> None:
        super().__init__("", agreed.LAYERS_PORT, name, own)
        self._why = why

    def say(self, method: str, path: str, more: "dict[str, str] | None" = None) -> http.client.HTTPResponse:
        raise OSError(self._why)


class Way:
    """Where one run has its files from: origins, machines that the CA names, and the CA. gives: whether this machine hands on what it has."""

    __slots__ = ("ca", "_own", "_gives", "_origins", "_left", "_giver", "_lies", "_turns")

    def __init__(self, ca: fetch.Source, own: str, gives: "Callable[[], bool]" = share.is_wanted, origins: "Origins | None" = None) -> None:
        self.ca, self._own, self._gives, self._origins = ca, own, gives, origins
        self._left: set[str] = set()
        self._giver = ""
        self._lies = self._turns = 0

    def bring(self, wanted: "Layer", folder: str) -> None:
        """As fetch.layer."""
        # What the CA began it ends: a slow line has other machines left, and that is not to cost what came.
        is_begun = self.ca.place[0] and size_of(self.ca.part(wanted, folder))
        if is_begun or not (self._from_origins(wanted, folder) or self._from_others(wanted, folder)):
            fetch.layer(self.ca, wanted, folder)
            print(f"{wanted.name} came from the CA", flush=True)  # for the journal
        for begun in kept.parts(folder, wanted.digest):
            os.unlink(begun)
        if self._gives():
            self._tell(wanted)

    def _from_origins(self, wanted: "Layer", folder: str) -> bool:
        """Whether one of them brought it."""
        return self._origins is not None and self._origins.bring(wanted, folder)

    def _from_others(self, wanted: "Layer", folder: str) -> bool:
        """Whether one of them brought it. What one sent, he alone goes on with, so that a file which came out wrong is his. Busy: those that have it serve others just
        now."""
        is_busy = False
        part = f"{folder}/{wanted.digest}.other.part"
        begun = [self._giver] if size_of(part) else []
        for address in dict.fromkeys(begun + self._named(wanted)):
            if address in self._left or self._lies >= MOST_LIES:
                continue
            if address != self._giver:
                remove(part)
            self._giver = address
            try:
                fetch.layer(Peer(address, self._own), wanted, folder)
                print(f"{wanted.name} came from {address}", flush=True)  # for the journal
                return True
            except fetch.Busy:
                is_busy = True
            except WowError as error:
                if error.code == "no-room":
                    raise
                print(f"{address} is asked no more: {error.what}", flush=True)
                self._left.add(address)
                self._lies += error.code == "lies"
                remove(part)
        if is_busy and self._turns < MOST_TURNS:
            self._turns += 1
            raise fetch.Busy(BREATH)
        remove(part)
        return False

    def _named(self, wanted: "Layer") -> list[str]:
        """Machines that the CA names; none where it knows none, is of a former release, or cannot be asked: what comes of that is told when the file is asked of it."""
        try:
            with self.ca.say("GET", f"{agreed.SEEDERS_PATH}{wanted.digest}") as answer:
                lines = answer.read(LONGEST).decode("latin-1").split("\n") if answer.status == 200 else []
        except (OSError, http.client.HTTPException):
            return []
        return [line for line in lines[:MOST_NAMED] if is_address(line) and line not in (self._own, self.ca.place[0])]

    def _tell(self, wanted: "Layer") -> None:
        """Has the CA name this machine to others."""
        try:
            with self.ca.say("POST", f"{agreed.SEEDERS_PATH}{wanted.digest}"):
                pass
        except (OSError, http.client.HTTPException):
            pass


def layer(way: Way, wanted: "Layer", folder: str) -> None:
    """Brings one layer, whole, into the folder. Busy; WowError as of fetch.layer."""
    way.bring(wanted, folder)


def remove(path: str) -> None:
    """Removes a file that need not be there."""
    if os.path.exists(path):
        os.unlink(path)


def is_address(line: str) -> bool:
    """Whether it is an IPv4 address."""
    try:
        ipv4.parse_address(line)
    except ValueError:
        return False
    return True
