"""wow-pool-page: on a machine that is no manager, keeps a copy of what a manager tells of the pool (page.py) for the machine's web page, which has no network of its own.
systemd listens, and starts it when somebody looks at the pool page; it ends when nobody has for five minutes. It asks the managers one after the other, one request
at a time, and sends nothing but that request: a machine of the pool is known by IPsec, which nobody without a certificate gets through."""
import json
import os
import socket
import time

from wow.config import facts, users
from wow.history import heard, looks
from wow.lib import agreed, console, control, files, paths, table
from wow.lib.errors import WowError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    Manager = tuple[str, str]

FIRST = 3
"""sd_listen_fds(3)."""
IDLE = 300.0
"""Seconds without somebody who looks until the program ends."""
CALL, PATIENCE = 2.5, 8.0
"""Seconds for a manager to take the connection, and for its whole answer: it may look at its collector for five first."""
ALL = 12.0
"""Seconds after which no further manager is asked."""
LARGEST = agreed.LARGEST_POOL_PAGE
"""Bytes of an answer: of a thousand machines it has 30 thousand."""
HEAD = 4096
"""Bytes of its head at most."""
OF_IPOPD = 3.0


class Copy(looks.Looks):
    """known: gives (host, address) of each manager, the first one first; asks: what one of them tells, or ValueError or OSError, which says why it does not."""

    def __init__(self, known: "Callable[[], list[Manager]]", asks: "Callable[[str], dict[str, Any]]", file: str = paths.POOL_PAGE,
                 uptime: "Callable[[], float]" = console.uptime, owner: tuple[int, int] | None = (0, users.GROUP_ID),
                 now: "Callable[[], float]" = time.monotonic) -> None:
        super().__init__(file, uptime)
        self._known, self._ask, self._owner, self._now = known, asks, owner, now
        self._told: "dict[str, Any]" = {}
        self._good = ""

    def look(self) -> None:
        """Asks. Where no manager tells anything the copy of before is kept, and says so. OSError: it cannot be written."""
        wrong, end = [], self._now() + ALL
        try:
            # Who answered last is asked first.
            known = sorted(self._known(), key=lambda one: one[0] != self._good)
        except (WowError, OSError, ValueError) as error:
            known, wrong = [], [str(error)]
        for host, address in known:
            if self._now() >= end:
                wrong.append(f"{host} was not asked: the others took too long")
                continue
            try:
                self._told, self._good, wrong = {**self._ask(address), "by": host}, host, []
                break
            except (OSError, ValueError) as error:
                wrong.append(f"{host} {said(error)}")
        if not known and not wrong:
            wrong.append("none is known yet. See: wow status")
        self._told = self._told or self.left()
        tried = self._uptime()
        told = {**self._told, "tried": tried, "wrong": f"No manager of the pool tells how the pool is: {'; '.join(wrong)}" if wrong else ""}
        files.write(self._file, json.dumps(told, separators=(",", ":")) + "\n", 0o640, self._owner)
        self._tried = tried


def said(error: Exception) -> str:
    """Why a manager does not tell, for people."""
    if isinstance(error, TimeoutError):
        return "does not answer in time"
    if isinstance(error, OSError):
        return f"does not answer: {error.strerror or error}"
    return str(error)


def ask(address: str, port: int = paths.HISTORY_PORT, patience: float = PATIENCE) -> "dict[str, Any]":
    """What the manager at this address tells. ValueError, whose text says of it what it did; OSError: it is not there, or too slow."""
    end = time.monotonic() + patience
    with socket.create_connection((address, port), min(CALL, patience)) as link:
        link.sendall(f"GET {agreed.POOL_PAGE_PATH} HTTP/1.1\r\nHost: {address}\r\nAccept-Encoding: deflate\r\nConnection: close\r\n\r\n".encode())
        answer = bytearray()
        while len(answer) <= HEAD + LARGEST:
            if (left := end - time.monotonic()) <= 0:
                raise TimeoutError
            link.settimeout(left)
            if not (part := link.recv(65536)):
                break
            answer += part
    head, is_whole, body = bytes(answer).partition(b"\r\n\r\n")
    if not answer:
        raise ValueError("closed the connection: it serves others, try again in some seconds")
    words = head.split(b"\r\n")[0].split(b" ", 2)
    if not is_whole or len(head) > HEAD or len(words) < 2 or not words[0].startswith(b"HTTP/1."):
        raise ValueError("sent something that is no answer of HTTP")
    if words[1] in (b"401", b"404"):
        raise ValueError("is of an earlier release, which tells nothing to other machines' pages. Its own page has it")
    if words[1] != b"200":
        reason = "".join(table.printable(body[:200].decode("utf-8", "replace")).strip())
        raise ValueError(f"refuses: {reason or 'it does not say why'}")
    if len(body) > LARGEST:
        raise ValueError(f"sent more than {LARGEST >> 20} MiB")
    try:
        return heard.read(body)
    except ValueError as error:
        raise ValueError(f"sent something that {error}") from None


def managers() -> "list[Manager]":
    """(host, address) of the pool's managers, as the CA lists them and ipopd has it; where it has no list, the one that the name of the manager leads to. WowError."""
    listed = [(one["host"], one["address"]) for one in control.status(timeout=OF_IPOPD)["managers"]][:agreed.MOST_MANAGERS]
    if listed:
        return listed
    pool = facts.read()
    names = [f"{host}.{pool.zone}" for host in pool.managers][:agreed.MOST_MANAGERS] or [pool.manager]
    return [(name.partition(".")[0], name) for name in names]


def main() -> int:
    """Exit code. systemd starts it with the socket when somebody looks."""
    if os.environ.get("LISTEN_PID") != str(os.getpid()) or os.environ.get("LISTEN_FDS") != "1":
        print("wow-pool-page is started by systemd when somebody looks at the pool page: systemctl start wow-pool-page.socket", flush=True)
        return 1
    os.set_inheritable(FIRST, False)
    with socket.socket(fileno=FIRST) as listener:
        listener.settimeout(IDLE)
        Copy(managers, ask).serve(listener)
    return 0
