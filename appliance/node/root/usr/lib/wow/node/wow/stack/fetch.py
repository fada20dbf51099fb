"""Fetches layers from the machine with the CA, another one (peers.py) or an origin (origins.py): by HTTP, going on where a part is there. Who answers may be busy,
slow, cut off, or lie: a layer counts when size and SHA-256 are those that the CA signed, and not before; no more is read than its size; and who sends next to nothing
is left."""
import http.client
import os
import socket
import threading
import time

from wow.lib import agreed, files
from wow.lib.errors import WowError
from wow.lib.requests import printable
from wow.stack.kept import size_of
from wow.stack.text import Layer
from wow.stack.told import AGAIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO, Callable

PIECE = 1 << 18
"""Bytes that are read at once."""
WRITTEN = 16 << 20
"""Bytes after which what came is written to the disk, so that the memory of it is free again."""
WORTH = 1 << 16
"""Bytes: who was cut after so many goes on at once, for the CA bounds how long one machine has a place."""
SILENCE = 30.0
"""Seconds without a byte until the CA is left."""
LEAST, PATIENCE = 1024, 60.0
"""Bytes a second that must have come on the average, after so many seconds; within these an answer's head is whole."""
ANEW = f"{AGAIN}. The pool's administrator publishes it anew: wow-ca publish"


class Busy(Exception):
    """Who is asked serves others just now. seconds: when to ask again, as it says."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class Pace:
    """silence: seconds without a byte until a source is left; least: bytes a second that must have come on the average after `patience` seconds."""

    __slots__ = ("silence", "least", "patience")

    def __init__(self, silence: float, least: int, patience: float) -> None:
        self.silence, self.least, self.patience = silence, least, patience


class Source:
    """Where layers come from: the address and port of a machine, its name in the zone, and this machine's address. pace: the CA's, where none is given.
    held: seconds for which this machine took nothing, so that the source is not slow for it."""

    __slots__ = ("place", "pace", "held", "_name", "_own")

    def __init__(self, address: str, port: int, name: str, own: str, pace: Pace | None = None) -> None:
        self.place, self.held, self._name, self._own = (address, port), 0.0, name, own
        self.pace = pace or Pace(SILENCE, LEAST, PATIENCE)

    @property
    def who(self) -> str:
        """What to call it in a message."""
        return "the CA"

    def part(self, wanted: Layer, folder: str) -> str:
        """Where what came so far of a layer is."""
        return f"{folder}/{wanted.digest}.part"

    def piece(self) -> int:
        """Bytes to take at once."""
        return PIECE

    def took(self, count: int) -> None:
        """Called for each piece of an answer. It may wait, and notes that in `held`. WowError: no more is taken."""

    def ask(self, wanted: Layer, at: int) -> http.client.HTTPResponse:
        """The answer for a layer from a byte on. OSError, HTTPException, Busy."""
        return self.say("GET", f"{agreed.LAYERS_PATH}{wanted.digest}", {"Range": f"bytes={at}-"} if at else {})

    def _connection(self) -> http.client.HTTPConnection:
        """One that is not opened yet."""
        return http.client.HTTPConnection(*self.place, timeout=self.pace.silence, source_address=(self._own, 0))

    def say(self, method: str, path: str, more: "dict[str, str] | None" = None) -> http.client.HTTPResponse:
        """The answer to a request with these headers more. Its head has come whole. OSError, HTTPException."""
        connection = self._connection()
        over = threading.Event()
        timer = threading.Timer(self.pace.patience, _end, (connection, over))
        try:
            # First, for what ends the head ends the connection, which has to be there; silence bounds this.
            connection.connect()
            timer.start()
            connection.request(method, path, headers={"Host": self._name, "Connection": "close", **(more or {})})
            return connection.getresponse()
        except BaseException as error:
            connection.close()
            if over.is_set() and isinstance(error, (OSError, http.client.HTTPException)):
                raise TimeoutError from None
            raise
        finally:
            timer.cancel()


def _end(connection: http.client.HTTPConnection, over: threading.Event) -> None:
    """Ends a connection on which somebody sends a head byte by byte."""
    over.set()
    try:
        connection.sock.shutdown(socket.SHUT_RDWR)
    except (AttributeError, OSError):
        pass  # it is not there yet, or not any more


def layer(source: Source, wanted: Layer, folder: str, now: "Callable[[], float]" = time.monotonic) -> None:
    """Brings one layer, whole, into the folder. Busy; WowError says what is wrong, and what came stays where it may be gone on with."""
    part = source.part(wanted, folder)
    if size_of(part) > wanted.size:
        os.unlink(part)
    began, first = now() - source.held, size_of(part)
    while (at := size_of(part)) < wanted.size:
        try:
            _go_on(source, wanted, part, at, now)
        except (OSError, http.client.HTTPException) as error:
            if isinstance(error, OSError) and error.errno in NO_ROOM:
                raise WowError(f"home has no room for the module {wanted.name}", "Free some room there (df -h /home), or make the disk larger", folder,
                               code="no-room") from None
            # Who is worth going on with at once, again and again, may be slow all the same.
            if size_of(part) < at + WORTH or is_slow(source.pace, size_of(part) - first, now() - source.held - began):
                raise WowError(f"the layer of {wanted.name} was not brought: {words(error, source.pace)}", AGAIN, code="away") from None
    try:
        found = files.digest(part)
    except OSError as error:
        # A bad sector: at another place of the disk there may be none.
        os.unlink(part)
        raise WowError(f"what came of {wanted.name} cannot be read back: {error.strerror}", AGAIN, part, code="away") from None
    if found != wanted.digest:
        os.unlink(part)
        raise WowError(f"what {source.who} sent for {wanted.name} is not what was signed", ANEW, code="lies")
    os.rename(part, f"{folder}/{wanted.digest}")
    files.sync_folder(part)


def _go_on(source: Source, wanted: Layer, part: str, at: int, now: "Callable[[], float]") -> None:
    """Brings what is missing from a byte on; what came before something went wrong stays."""
    with source.ask(wanted, at) as answer:
        at = _begin(answer, source.who, wanted, at)
        with open(part, "r+b" if at else "wb") as file:
            os.fchmod(file.fileno(), 0o600)
            file.seek(at)
            file.truncate()
            _copy(answer, file, wanted.size - at, source, now)


NO_ROOM = (28, 122, 27)
"""ENOSPC, EDQUOT, EFBIG."""


def words(error: Exception, pace: Pace) -> str:
    """What to tell of it."""
    if isinstance(error, TimeoutError):
        return f"nothing came for {pace.silence:.0f} s"
    return printable(getattr(error, "strerror", None) or str(error) or type(error).__name__)


def _begin(answer: http.client.HTTPResponse, who: str, wanted: Layer, at: int) -> int:
    """From which byte on the answer goes. who: answers."""
    if answer.status == 503:
        raise Busy(come_again(answer.headers.get("Retry-After", "")))
    if answer.status == 404:
        raise WowError(f"{who} does not serve the module {wanted.name}", f"{AGAIN}: another stack may just be published", code="away")
    if answer.status not in (200, 206) or (answer.status == 206 and not at):
        raise WowError(f"{who} answered {answer.status} for the module {wanted.name}", AGAIN, code="away")
    begin = at if answer.status == 206 else 0
    if begin and answer.headers.get("Content-Range", "") != f"bytes {begin}-{wanted.size - 1}/{wanted.size}":
        raise WowError(f"{who} sends another part of {wanted.name} than was asked for", AGAIN, code="lies")
    if answer.headers.get("Content-Length", "") != str(wanted.size - begin) or answer.headers.get("Transfer-Encoding"):
        raise WowError(f"{who} sends another size of {wanted.name} than was signed", ANEW, code="lies")
    return begin


def come_again(said: str) -> float:
    """What Retry-After says, within bounds; it may be a date, which nobody sends here."""
    return min(max(float(said), 1.0), 600.0) if said.isascii() and said.isdigit() and len(said) < 10 else 30.0


def is_slow(pace: Pace, came: int, waited: float) -> bool:
    """Whether so many bytes in so many seconds are too few."""
    return waited > pace.patience and came < pace.least * waited


def _copy(answer: http.client.HTTPResponse, file: "BinaryIO", left: int, source: Source, now: "Callable[[], float]") -> None:
    """Writes so many bytes of the answer to the file and has them on the disk."""
    began, came, unwritten = now() - source.held, 0, 0
    while left:
        piece = answer.read1(min(source.piece(), left))
        if not piece:
            raise http.client.IncompleteRead(b"", left)
        file.write(piece)
        left -= len(piece)
        came += len(piece)
        unwritten += len(piece)
        if unwritten >= WRITTEN:
            file.flush()
            os.fdatasync(file.fileno())
            unwritten = 0
        source.took(len(piece))
        if is_slow(source.pace, came, now() - source.held - began):
            raise OSError(f"it came with less than {source.pace.least} bytes a second")
    file.flush()
    os.fsync(file.fileno())
