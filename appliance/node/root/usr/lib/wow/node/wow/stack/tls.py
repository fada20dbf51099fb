"""wow-origin@: asks an origin for one file of the pool's stack, by TLS, for wow-stack, and hands on what comes. It has an account of its own, the only one that the fence
lets call origins: what reads TLS of the world is not root, and reads nothing of this machine. wow-stack judges what comes, as from anybody."""
import signal
import socket

from wow.lib import files, paths, requests
from wow.lib.origin import Origin
from wow.lib.requests import printable
from wow.stack import share

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ssl import SSLSocket

PATIENCE = 15
"""Seconds for the server's name, its connection and TLS. Whoever takes longer ends the process, and wow-stack sees a cut."""
SILENCE = 20.0
"""Seconds without a byte, from there or to wow-stack, which has left before."""
ASKED = 5.0
"""Seconds for wow-stack's question."""
ADDRESSES = 3
"""Of a name, that are tried."""
PIECE = 1 << 16
"""Bytes that are handed on at once."""


class Refused(Exception):
    """The server is not the one that was named."""


def main() -> int:
    """wow-origin@.service."""
    with socket.socket(fileno=0) as link:
        try:
            serve(link, (files.find(paths.ORIGINS) or "").split())
        except OSError:
            pass  # who is gone does not get it
    return 0


def serve(link: socket.socket, named: list[str]) -> None:
    """Answers one request. Its Host is the number of an origin. OSError: the other side is gone, or silent."""
    head = requests.head(link, ASKED, share.LONGEST)
    digest, at = share.asked(head)
    number = next((line.partition(": ")[2] for line in head.decode("latin-1").split("\r\n") if line.startswith("Host: ")), "")
    link.settimeout(SILENCE)
    if not digest or not (number.isascii() and number.isdigit()) or len(number) > 2 or int(number) >= len(named):
        link.sendall(share.said("404 Not Found", 0))
        return
    origin = Origin(named[int(number)])
    signal.alarm(PATIENCE)
    try:
        server = call(origin)
    except (OSError, Refused) as error:
        link.sendall(share.said(f"502 {why(error)}", 0))
        return
    finally:
        signal.alarm(0)
    with server:
        server.sendall(origin.request(digest, at))
        while piece := server.recv(PIECE):
            link.sendall(piece)


def call(origin: Origin) -> "SSLSocket":
    """A connection to the origin, which has shown who it is. OSError, Refused."""
    import hashlib
    import ssl
    context = ssl.create_default_context()
    if origin.pin:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    made = context.wrap_socket(connect(origin), server_hostname=origin.host)
    if origin.pin and hashlib.sha256(made.getpeercert(True) or b"").hexdigest() != origin.pin:
        made.close()
        raise Refused("its certificate is not the one that #sha256= names")
    return made


def connect(origin: Origin) -> socket.socket:
    """A connection to one of its addresses; the fence lets out IPv4 alone. OSError says what the last one had."""
    found = socket.getaddrinfo(origin.host, origin.port, socket.AF_INET, socket.SOCK_STREAM)[:ADDRESSES]
    for at, (*_, address) in enumerate(found):
        try:
            made = socket.create_connection((str(address[0]), origin.port), PATIENCE / ADDRESSES)
        except OSError:
            if at + 1 == len(found):
                raise
        else:
            made.settimeout(SILENCE)
            return made
    raise OSError("its name has no address")


def why(error: Exception) -> str:
    """What to tell of it, on one line."""
    if isinstance(error, TimeoutError):
        return "it does not answer"
    # ssl.SSLCertVerificationError has the first.
    refused = getattr(error, "verify_message", "")
    text = f"its certificate is refused: {refused}" if refused else getattr(error, "strerror", None) or str(error)
    return printable(text).encode("ascii", "replace").decode()
