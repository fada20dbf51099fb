"""Whom the overlay reaches, asked of ipopd at once for several machines: those that do not answer must not keep the others waiting."""
import json
import os
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
    node heard of it first, so since then it was not started anew. host: the name in its certificate, None where it has none."""

    __slots__ = ("identity", "met", "host")

    def __init__(self, identity: str, met: float, host: str | None = None) -> None:
        self.identity, self.met, self.host = identity, met, host


def here() -> Boot:
    """This machine's own: while a program of it runs, it was not started anew."""
    return Boot("", float("inf"), os.uname().nodename)


def is_here(address: str) -> bool:
    """Whether an address is this machine's own, which ipopd does not ping: only such a one can be bound."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        try:
            link.bind((address, 0))
        except OSError:
            return False
    return True


def boots(addresses: list[str], path: str = paths.SOCKET, patience: float = PATIENCE) -> dict[str, Boot | None]:
    """{address: boot of the node that answered there, None where nobody did}; each as of when this began. The next ping goes as soon as one has ended."""
    begin, found, left = time.monotonic(), dict[str, Boot | None].fromkeys(addresses), addresses[::-1]
    running: dict[int, _Ping] = {}
    poll = select.poll()
    try:
        while left or running:
            while left and len(running) < MOST:
                ping = _Ping(left.pop(), patience)
                running[ping.link.fileno()] = ping
                ping.send(path)
                poll.register(ping.link, select.POLLIN)
            oldest = next(iter(running))
            ended = [number for number, _ in poll.poll(max(0.0, running[oldest].end - time.monotonic()) * 1000) if running[number].receive()] or (
                [oldest] if time.monotonic() >= running[oldest].end else [])
            for number in ended:
                ping = running.pop(number)
                found[ping.address] = boot_of(ping.said, time.monotonic() - begin)
                poll.unregister(number)
                ping.link.close()
    except OSError as error:
        raise WowError(f"cannot be used: {error.strerror or error}", "Look with: systemctl status ipopd", path) from None
    finally:
        for ping in running.values():
            ping.link.close()
    return found


class _Ping:
    """One question to ipopd, which answers within `patience`. end: when it is waited for no longer."""

    __slots__ = ("address", "link", "patience", "end", "said")

    def __init__(self, address: str, patience: float) -> None:
        self.address, self.patience, self.end, self.said = address, patience, time.monotonic() + patience + 1, b""
        self.link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)

    def send(self, path: str) -> None:
        """Asks. Raises OSError where ipopd is not there."""
        self.link.settimeout(self.patience)
        self.link.connect(path)
        self.link.sendall(json.dumps({"command": "ping", "target": self.address, "timeout_ms": int(self.patience * 1000)}).encode() + b"\n")

    def receive(self) -> bool:
        """Takes in what has come; whether that was all."""
        part = self.link.recv(65536)
        self.said += part
        return not part or self.said.endswith(b"\n")


def boot_of(line: bytes, late: float = 0.0) -> Boot | None:
    """The boot in an answer to a ping; None if nobody answered. late: for how many seconds the answer was waited for."""
    try:
        answer = json.loads(line)
    except ValueError:
        return None
    boot, met, target = (answer.get(name) for name in ("boot", "boot_met_s", "target")) if isinstance(answer, dict) else (None, None, None)
    if not isinstance(boot, str) or not isinstance(met, (int, float)):
        return None
    return Boot(boot, float(met) - late, target.get("host") if isinstance(target, dict) else None)


def reaches_anybody(path: str = paths.SOCKET) -> bool:
    """Whether this machine has a link to any other."""
    return control.status(path)["ring"]["connections"] > 0
