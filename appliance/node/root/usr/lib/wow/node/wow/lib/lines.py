"""One request and its reply over a Unix socket: one JSON object a line, both ways. So ipopd's control socket and the agent's are spoken to."""
TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from typing import Any

LARGEST = 64 << 20
"""Bytes of a reply. A pool of 100,000 peers has 40 MB."""


def exchange(path: str, request: "dict[str, Any]", timeout: float) -> "Any":
    """The reply's JSON. timeout: seconds for each step. OSError if the socket cannot be used, ValueError if what comes back is no JSON."""
    # Imported where it is needed: wow-config, which the login waits for, asks nobody.
    import json
    import socket
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(timeout)
        connection.connect(path)
        connection.sendall(json.dumps(request, separators=(",", ":")).encode() + b"\n")
        return json.loads(_line(connection))


def _line(connection: "socket.socket") -> bytes:
    parts: list[bytes] = []
    size = 0
    while size < LARGEST:
        part = connection.recv(65536)
        if not part:
            break
        parts.append(part)
        size += len(part)
        if part.endswith(b"\n"):
            break
    return b"".join(parts)
