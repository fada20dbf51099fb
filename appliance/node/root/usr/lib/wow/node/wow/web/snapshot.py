"""The pool as wow-pool saw it last (history/page.py), which is asked to look anew where that is some seconds ago. What cannot be had is named, and the rest is shown."""
import json
import os
import socket

from wow.config import facts as pools
from wow.history import page
from wow.lib import console, control, paths
from wow.lib.errors import WowError

LARGEST = 4 << 20
"""Bytes of a snapshot: a thousand machines have 0.2 MB."""
PATIENCE, SHORT = 6.0, 0.3
"""Seconds for another look, where there is no good one and where there is."""
OF_IPOPD = 3.0

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from wow.lib import answers


class Seen:
    """pool: its name; told: the snapshot, empty where there is none; status: ipopd's answer; troubles: what is wrong with finding out."""

    __slots__ = ("pool", "told", "status", "troubles")

    def __init__(self, pool: str, told: "dict[str, Any]", status: "answers.Status | None", troubles: list[str]) -> None:
        self.pool, self.told, self.status, self.troubles = pool, told, status, troubles


def is_manager() -> bool:
    """Whether this machine is one, so that it has a pool page."""
    try:
        return pools.read().is_manager
    except (OSError, ValueError, KeyError):
        return False


def look(with_ring: bool) -> Seen:
    """Looks. with_ring: asks ipopd, too."""
    troubles: list[str] = []
    told = read()
    age = console.uptime() - told.get("tried", float("-inf"))
    if not 0 <= age < page.FRESH:
        if wrong := ask(SHORT if 0 <= age < page.GOOD else PATIENCE, 0 <= age < page.GOOD):
            troubles.append(f"wow-pool, which looks at the pool, does not answer: {wrong}. What stands here is what it saw last. See: systemctl status wow-pool")
        told = read() or told
    if trouble := told.get("trouble"):
        troubles.append(f"HTCondor's collector, which knows machines and jobs, does not answer wow-pool: {trouble}. "
                        "What stands here is what it said last. See: wow doctor")
    if lost := told.get("lost"):
        troubles.append(lost)
    status = None
    if with_ring:
        try:
            status = control.status(timeout=OF_IPOPD)
        except WowError as error:
            troubles.append(f"The pool's network, ipopd, does not answer: {error}")
    try:
        name = pools.read().name
    except (OSError, ValueError, KeyError):
        name = ""
    return Seen(name, told, status, troubles)


def peers(seen: Seen) -> "list[answers.Peer]":
    """Whom ipopd has a session with; none where it does not answer, of which `seen` is told."""
    if seen.status is None:
        return []
    try:
        return control.peers(timeout=OF_IPOPD)
    except WowError as error:
        seen.troubles.append(f"The pool's network, ipopd, does not tell its peers: {error}")
        return []


def read(path: str = paths.POOL_PAGE) -> "dict[str, Any]":
    """The snapshot; empty where there is none that can be read."""
    try:
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size > LARGEST:
                return {}
            told = json.loads(file.read())
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def ask(patience: float, is_good: bool, path: str = paths.POOL_SOCKET) -> str:
    """Has it look again; returns why it does not, empty if it does, or will soon while what there is is good."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
            link.settimeout(patience)
            link.connect(path)
            return "" if link.recv(1) else "it said nothing"
    except (TimeoutError, BlockingIOError):
        return "" if is_good else f"no answer within {patience:.0f} s"
    except OSError as error:
        return str(error.strerror or error)
