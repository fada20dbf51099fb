"""Asks a collector of the pool for ads. Of several managers HTCondor's tools ask one by chance, and wait 20 s for one that is away; the overlay knows within
a second who is there."""
import os

from wow.condor import managers
from wow.config import facts
from wow.lib import control, overlay, system
from wow.lib.errors import WowError

PATIENCE = 1.0
"""Seconds that a manager has to answer a ping."""


def ask(words: list[str], timeout: float) -> tuple[int, str]:
    """(exit code, output) of condor_status with these words. A manager is asked for its own ads; anybody else asks the first one that answers. timeout:
    seconds that each may take."""
    code, said = system.TIMED_OUT, ""
    for where in places():
        code, said = system.run(["condor_status", *where, *words], timeout=timeout)
        if code == 0:
            break
    return code, said


def own(pool: facts.Facts) -> str:
    """The name of this manager's own collector."""
    return f"{os.uname().nodename}.{pool.zone}"


def places() -> list[list[str]]:
    """Options of condor_status that name a collector, those that the overlay reaches first; of a single manager, and where nobody says who is one, none."""
    try:
        pool, status = facts.read(), control.status()
        listed = managers.listed(pool, status)
        if len(listed) == 1:
            return [[]]
        if pool.is_manager and os.uname().nodename in [host for host, _ in listed]:
            return [["-pool", own(pool)]]
        known = [(host, address or managers.resolve(f"{host}.{pool.zone}")) for host, address in listed]
        there = overlay.boots([address for _, address in known if address], patience=PATIENCE)
        known.sort(key=lambda one: there.get(one[1] or "") is None)
        return [["-pool", f"{host}.{pool.zone}"] for host, _ in known]
    except (WowError, OSError, ValueError):
        return [[]]
