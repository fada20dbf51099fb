"""A manager that was started anew knows no machine. Of HTCondor's next three ads the first goes into the connection of before and is lost; the second finds that
closed, makes another, and is refused, for the collector does not know the security session; only the third arrives (23.9.6). That takes three intervals of ads: up
to a minute and a half, in a large pool a quarter of an hour.

A peer proves its boot id in each handshake, and ipopd tells it without asking anybody. Where that of a manager is another one, the collector is asked whether it
lists this machine; where it does not, HTCondor sends all ads at once, and again, until it does."""
import os
import random

from wow.condor import managers, pace
from wow.jobs import queue
from wow.lib import control, files, system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable

    from wow.config.facts import Facts
    from wow.lib.answers import Peer, Status

QUICK = 5.0
"""Seconds that its collector has to answer."""
LONGEST = 300.0
"""Seconds after which a manager is no longer waited for whose collector does not answer, or does not take this machine's ads."""
PAUSE = 4.0
"""Seconds from the first time that it is told to the next question; each later one waits twice as long."""
PART = 5
"""Machines that tell of themselves every so many seconds share a part of them, so that not all of a large pool come at once."""


class Boots:
    """Which managers were started anew. What is kept is of the managers that are named, so strangers can't make it grow."""

    def __init__(self) -> None:
        self._known: dict[str, str] | None = None

    def renewed(self, peers: "Iterable[Peer]", addresses: "Iterable[str]") -> list[str]:
        """The addresses of those whose boot id is another one than before; at the first look none. An id also changes after an hour or so."""
        boots = {peer["address"]: peer["boot"] for peer in peers}
        now = {address: boots[address] for address in addresses if address in boots}
        before = self._known
        # Who has no session now is remembered.
        self._known = {address: boot for address, boot in (before or {}).items() if address in addresses} | now
        return [] if before is None else [address for address, boot in now.items() if boot != before.get(address)]


class Doubt:
    """A manager that may have forgotten this machine: when it is asked, until when, and how often it was told."""

    __slots__ = ("due", "end", "tells")

    def __init__(self, due: float, end: float) -> None:
        self.due, self.end, self.tells = due, end, 0


class Returned:
    """Has HTCondor tell managers of this machine that do not know it any more."""

    def __init__(self, pool: "Facts") -> None:
        self._pool = pool
        self._boots = Boots()
        self._doubts: dict[str, Doubt] = {}

    def round(self, now: float) -> None:
        """Looks for managers that were started anew, and asks them. now: seconds, of a clock that nobody sets."""
        known = places(self._pool, control.status())
        for address in self._boots.renewed(control.peers(), known):
            self._doubts[address] = Doubt(now + random.uniform(0, spread()), now + LONGEST)
        self._doubts = {address: doubt for address, doubt in self._doubts.items() if address in known and now < doubt.end}
        for address, doubt in list(self._doubts.items()):
            is_listed = self._is_listed(known[address]) if now >= doubt.due else None
            if is_listed:
                del self._doubts[address]
            elif is_listed is not None:
                print(f"{address}: the manager was started anew and does not list this machine; it is told", flush=True)
                queue.advertise()
                doubt.due = now + PAUSE * 2 ** doubt.tells
                doubt.tells += 1

    def _is_listed(self, host: str) -> bool | None:
        """Whether the collector there has this machine's queue, and its slots if it has any; None where it does not answer yet."""
        code, said = system.run(["condor_status", "-pool", f"{host}.{self._pool.zone}", "-any", "-constraint",
                                 f'Machine == "{os.uname().nodename}.{self._pool.zone}"', "-af", "MyType"], timeout=QUICK)
        if code:
            return None
        wanted = {"Scheduler", *(["Machine"] if self._pool.has_slots else [])}
        return wanted <= set(said.split())


def places(pool: "Facts", status: "Status") -> dict[str, str]:
    """{address: host} of the managers as far as ipopd tells their addresses by itself; in an open pool that is the first one's."""
    listed = managers.listed(pool, status)
    found = {address: host for host, address in listed if address}
    return found or ({status["manager"]: listed[0][0]} if status["manager"] else {})


def spread() -> float:
    """Seconds over which the machines of this pool come."""
    return max(0, pace.kept(files.find(pace.FILE) or "") - pace.STEPS[0][1]) / PART
