"""The head of an HTTP request, and what else comes from somebody who may be slow, endless, a liar, or gone."""
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket


def head(link: "socket.socket", patience: float, longest: int) -> bytes:
    """A request's head without its blank line; b"" where none came whole in so many seconds and bytes. OSError."""
    data, end = b"", time.monotonic() + patience
    while b"\r\n\r\n" not in data and len(data) <= longest and (left := end - time.monotonic()) > 0:
        link.settimeout(left)
        part = link.recv(longest)
        if not part:
            break
        data += part
    before, is_whole, _ = data.partition(b"\r\n\r\n")
    return before if is_whole and len(before) <= longest else b""


def printable(text: str) -> str:
    """The beginning of a text that a stranger may have made."""
    return "".join(one if one.isprintable() else "?" for one in text[:200])
