"""Whom the overlay reaches, asked of ipopd at once for several machines: one that does not answer must not keep the others waiting."""
import json
import select
import socket
import time

from wow.lib import control, paths
from wow.lib.errors import WowError

PATIENCE = 2.0
"""Seconds that a machine has to answer: five times what a path over a relay around the world takes."""
MOST = 32
"""Pings at a time; ipopd has 64."""


class Boot:
    """What a machine proved of its ipopd's start. identity: another one after each start, and after an hour or so; met: how many seconds ago this
    node heard of it first, so since then it was not started anew."""

    __slots__ = ("identity", "met")

    def __init__(self, identity: str, met: float) -> None:
        self.identity, self.met = identity, met


HERE = Boot("", float("inf"))
"""This machine's own: while a program of it runs, it was not started anew."""


def is_here(address: str) -> bool:
    """Whether an address is this machine's own, which ipopd does not ping: only such a one can be bound."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        try:
            link.bind((address, 0))
        except OSError:
            return False
    return True


def boots(addresses: list[str], path: str = paths.SOCKET, patience: float = PATIENCE) -> dict[str, Boot | None]:
    """{address: boot of the node that answered there, None where nobody did}."""
    found: dict[str, Boot | None] = {}
    for first in range(0, len(addresses), MOST):
        found |= _some(addresses[first:first + MOST], path, patience)
    return found


def _some(addresses: list[str], path: str, patience: float) -> dict[str, Boot | None]:
    links: dict[int, tuple[socket.socket, str]] = {}
    found: dict[str, Boot | None] = dict.fromkeys(addresses)
    said: dict[int, bytes] = {}
    poll = select.poll()
    try:
        for address in addresses:
            link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            links[link.fileno()] = (link, address)
            link.settimeout(patience)
            link.connect(path)
            link.sendall(json.dumps({"command": "ping", "target": address, "timeout_ms": int(patience * 1000)}).encode() + b"\n")
            poll.register(link, select.POLLIN)
        end = time.monotonic() + patience + 1
        open_ = len(links)
        while open_ and (left := end - time.monotonic()) > 0:
            for number, _ in poll.poll(left * 1000):
                link, address = links[number]
                part = link.recv(65536)
                said[number] = said.get(number, b"") + part
                if not part or said[number].endswith(b"\n"):
                    found[address] = boot_of(said[number])
                    poll.unregister(number)
                    open_ -= 1
    except OSError as error:
        raise WowError(f"cannot be used: {error.strerror or error}", "Look with: systemctl status ipopd", path) from None
    finally:
        for link, _ in links.values():
            link.close()
    return found


def boot_of(line: bytes) -> Boot | None:
    """The boot in an answer to a ping; None if nobody answered."""
    try:
        answer = json.loads(line)
    except ValueError:
        return None
    boot, met = (answer.get("boot"), answer.get("boot_met_s")) if isinstance(answer, dict) else (None, None)
    return Boot(boot, float(met)) if isinstance(boot, str) and isinstance(met, (int, float)) else None


def reaches_anybody(path: str = paths.SOCKET) -> bool:
    """Whether this machine has a link to any other."""
    return control.status(path)["ring"]["connections"] > 0
