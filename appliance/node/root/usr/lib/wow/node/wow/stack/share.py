"""wow-share@: hands another machine of the pool one file of the published stack, by HTTP/1.1 on the connection that systemd took, and ends. Nothing else of this
machine is ever sent; nothing while its owner pauses it; and no more of the owner's line than PACE a connection, of which the socket's unit lets two be, and DAILY a
day. Who asks need not believe what comes: size and SHA-256 were signed."""
import socket
import time

from wow.lib import agreed, requests
from wow.limits import state
from wow.stack import kept, text
from wow.stack.systems import Systems
from wow.stops import holding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

SENT = "/run/wow-share/sent"
LONGEST = 2048
"""Bytes of a request's head."""
PATIENCE, SILENCE = 5.0, 20.0
"""Seconds for a request, and until who takes no byte is left."""
PACE = 512 << 10
"""Bytes a second at most that one connection sends; `wow limit speed` holds all that the overlay sends to less."""
DAILY = 4 << 30
"""Bytes at most that a machine sends in a day after its start."""
STEP = 4 << 20
"""Bytes after which it is looked whether more may be sent."""
LEAST = 32 << 10
"""Bytes a second that another machine wants at least: who sends less is left (peers.py)."""
SO_MAX_PACING_RATE = 47
"""socket(7) of Linux; Python has no name for it."""


class Giving:
    """What of this machine may be sent now. wants: whether the owner lets it; now: seconds since the machine started."""

    __slots__ = ("_place", "_systems", "_notice", "_sent", "_wants", "_now")

    def __init__(self, place: kept.Place, systems: Systems, notice: str = kept.NOTICE, sent: str = SENT, wants: "Callable[[], bool] | None" = None,
                 now: "Callable[[], float]" = time.monotonic) -> None:
        self._place, self._systems, self._notice, self._sent, self._wants, self._now = place, systems, notice, sent, wants or is_wanted, now

    def find(self, digest: str) -> tuple[str, int] | None:
        """Path and size of a file of the published stack that is here whole; None where none is."""
        try:
            with open(self._notice, "rb") as file:
                stack = text.notice(file.read(text.LARGEST_FILE))
        except (OSError, text.NoStack):
            return None
        systems = self._systems
        paths = [f"{self._place.layers}/{digest}", *(found[digest] for found in map(systems.files, (systems.running, systems.other)) if digest in found)]
        sizes = {**{file.digest: file.size for file in (*stack.system, *stack.layers)}, **{delta.digest: delta.size for delta in stack.deltas}}
        size = sizes.get(digest)
        return next(((path, size) for path in paths if size and kept.size_of(path) == size), None)

    def may(self, count: int) -> bool:
        """Whether so many bytes more may be sent. They are counted then."""
        if not self._wants():
            return False
        import fcntl
        with open(self._sent, "a+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            words = file.read(64).split()
            day = int(self._now() // 86400)
            used = int(words[1]) if len(words) == 2 and words[0] == b"%d" % day and words[1].isdigit() else 0
            if used + count > DAILY:
                return False
            file.truncate(0)
            file.write(b"%d %d\n" % (day, used + count))
        return True


def is_wanted() -> bool:
    """Whether the owner has this machine hand on what it has: it is not paused, and the overlay may send so much that nobody leaves it as slow."""
    speed = state.read().speed
    return holding.read() is None and (speed is None or speed * 1000 >= 2 * LEAST)


def main() -> int:
    """wow-share@.service."""
    with socket.socket(fileno=0) as link:
        try:
            serve(link, Giving(kept.Place(), Systems()))
        except OSError:
            pass  # who is gone, or too slow, does not get it
    return 0


def serve(link: socket.socket, giving: Giving) -> None:
    """Answers one request. OSError: the other side is gone, or too slow."""
    digest, at = asked(requests.head(link, PATIENCE, LONGEST))
    link.settimeout(SILENCE)
    path, size = (giving.find(digest) if digest else None) or ("", 0)
    if not path or not giving.may(min(STEP, max(size - at, 0))):
        link.sendall(said("404 Not Found", 0))
        return
    if at >= size:
        link.sendall(said("416 Range Not Satisfiable", 0, f"Content-Range: bytes */{size}\r\n"))
        return
    link.setsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, PACE)
    with open(path, "rb") as file:
        link.sendall(said("206 Partial Content", size - at, f"Content-Range: bytes {at}-{size - 1}/{size}\r\n") if at else said("200 OK", size))
        while True:
            link.sendfile(file, at, min(STEP, size - at))
            at += STEP
            if at >= size or not giving.may(min(STEP, size - at)):
                return


def asked(request: bytes) -> tuple[str, int]:
    """The digest that a request's head asks for, "" where it asks for something else, and the first byte; other ranges than a rest are the whole."""
    first, *lines = request.decode("latin-1").split("\r\n")
    words = first.split(" ")
    digest = words[1].removeprefix(agreed.LAYERS_PATH) if len(words) == 3 and words[0] == "GET" and words[2].startswith("HTTP/1.") else ""
    if len(digest) != 64 or set(digest) - text.HEX:
        return "", 0
    ranges = [line.partition(":")[2].strip() for line in lines if line.partition(":")[0].lower() == "range"]
    at = ranges[0].removeprefix("bytes=").removesuffix("-") if len(ranges) == 1 and ranges[0].startswith("bytes=") and ranges[0].endswith("-") else ""
    return digest, int(at) if 0 < len(at) <= 10 and not set(at) - text.DIGITS else 0


def said(status: str, length: int, more: str = "") -> bytes:
    """The lines before a body of so many bytes, after which the connection ends."""
    return f"HTTP/1.1 {status}\r\nContent-Type: application/octet-stream\r\nContent-Length: {length}\r\n{more}Connection: close\r\n\r\n".encode()
