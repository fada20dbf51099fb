"""The pool as wow-pool saw it last (history/page.py), or as a manager told it (history/page_copy.py). Which of both makes it anew is asked where that is some seconds
ago. What cannot be had is named, and the rest is shown."""
import json
import os
import socket
import threading

from wow.config import facts as pools
from wow.history import looks, members
from wow.lib import console, control, paths
from wow.lib.errors import WowError

LARGEST = 4 << 20
"""Bytes of a snapshot: a thousand machines have 0.2 MB."""
PATIENCE, SHORT = 6.0, 0.3
"""Seconds for another look, where there is no good one and where there is."""
OF_IPOPD = 3.0
MOST_WAITING = 2
"""So many of the program's threads wait for another look at a time, so that who asks for the machine's own page does not wait behind them."""
WAITING: set[int] = set()
GUARD = threading.Lock()

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from wow.lib import answers


class Seen:
    """pool: its name; told: the snapshot, empty where there is none; troubles: what is wrong with finding out. The ring is in `told`, too: host, links and members of the
    manager that tells it (history/members.py)."""

    __slots__ = ("pool", "told", "troubles")

    def __init__(self, pool: str, told: "dict[str, Any]", troubles: list[str]) -> None:
        self.pool, self.told, self.troubles = pool, told, troubles


def is_there() -> bool:
    """Whether this machine has a pool."""
    return _pool() is not None


def _pool() -> "pools.Facts | None":
    try:
        return pools.read()
    except (OSError, ValueError, KeyError):
        return None


def look(with_links: bool = False, with_members: bool = False) -> Seen:
    """Looks. On a manager ipopd is asked, too, for what its ring's links are, or for its members."""
    pool = _pool()
    is_own = pool is not None and pool.is_manager
    told, troubles = read(), []
    age = console.uptime() - told.get("tried", float("-inf"))
    if not 0 <= age < looks.FRESH:
        is_good = 0 <= age < looks.GOOD
        if wrong := ask(SHORT if is_good else PATIENCE, is_good):
            who, unit = ("wow-pool, which looks at the pool,", "wow-pool") if is_own else ("wow-pool-page, which asks a manager,", "wow-pool-page.socket")
            troubles.append(f"{who} does not answer: {wrong}. What stands here is what it saw last. See: systemctl status {unit}")
        told = read() or told
    if unheard := told.get("wrong"):
        troubles.append(f"{unheard}. What stands here is what was told last.")
    if trouble := told.get("trouble"):
        troubles.append(f"HTCondor's collector, which knows machines and jobs, does not answer wow-pool: {trouble}. "
                        "What stands here is what it said last. See: wow doctor")
    if lost := told.get("lost"):
        troubles.append(lost)
    if is_own and (with_links or with_members):
        troubles += _ring(told, with_members)
    elif silent := told.get("silent"):
        troubles.append(f"The pool's network, ipopd, does not answer on that manager: {silent}")
    return Seen(pool.name if pool else "", told, troubles)


def _ring(told: "dict[str, Any]", with_members: bool) -> list[str]:
    """Adds what this manager's ipopd knows of the ring; returns what is wrong with it."""
    try:
        status = control.status(timeout=OF_IPOPD)
    except WowError as error:
        return [f"The pool's network, ipopd, does not answer: {error}"]
    found = members.facts(status, [], {})
    told["ring"] = found
    if with_members:
        try:
            found["members"] = members.facts(status, control.peers(timeout=OF_IPOPD), told.get("at", {}))["members"]
        except WowError as error:
            return [f"The pool's network, ipopd, does not tell its peers: {error}"]
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
    with GUARD:
        if len(WAITING) >= MOST_WAITING:
            return "" if is_good else "others wait for it, too. Open the page again in some seconds"
        WAITING.add(threading.get_ident())
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
            link.settimeout(patience)
            link.connect(path)
            return "" if link.recv(1) else "it said nothing"
    except (TimeoutError, BlockingIOError):
        return "" if is_good else f"no answer within {patience:.0f} s"
    except OSError as error:
        return str(error.strerror or error)
    finally:
        with GUARD:
            WAITING.discard(threading.get_ident())
