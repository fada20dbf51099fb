"""Starts HTCondor and waits until the pool knows this machine."""
import grp
import os
import time

from wow.condor import collector, drained, drop_in, managers, pace, reread
from wow.config import users
from wow.config.facts import Facts
from wow.lib import console, control, files, paths, system
from wow.lib.errors import WowError
from wow.limits import rounds as limiting
from wow.limits import tell as limits
from wow.refuse import tell as refused
from wow.slots import counting
from wow.stops import rounds, tell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

CONFIG = f"{paths.RUN}/condor.conf"
QUESTION, LONGEST_QUESTION = 10.0, 30.0
"""Seconds that the first question to the pool may take, each later one as much more, and the most."""


def start(pool: Facts, address: str, host: str) -> None:
    """Starts HTCondor. One that runs with the same configuration is left alone, so that its jobs go on."""
    status = control.status()
    pace.write(pace.machine_ad(pool, status, control.peers()), None)
    managers.write(pool, status, host)
    if pool.has_slots:
        counting.start_counting()
    # Before the first job: a machine that is paused stays so when it is started anew.
    tell.write(rounds.at_start() if pool.has_slots else None)
    limits.write(limiting.load()[0], time.time())
    # So with one whose owner refuses projects.
    if pool.has_slots:
        refused.write()
    if pool.is_manager:
        drained.write()
    changed = files.write_if_changed(CONFIG, drop_in.config(pool, address, host, administrators()))
    system.systemctl("restart" if changed else "start", "--no-block", "condor.service")
    if not changed:
        reread.tried()


def administrators(name: str = users.ADMINS) -> list[str]:
    """This machine's accounts of the pool's administrators."""
    try:
        return sorted(grp.getgrnam(name).gr_mem)
    except KeyError:
        return []


def wait_for_managers(pool: Facts, host: str, pause: "Callable[[float], None]" = time.sleep) -> None:
    """In an open pool a manager finds the others by their names, when they are there: waits for them. In any other pool the CA's list has their addresses."""
    while pool.is_manager and len(pool.managers) > 1:
        status = control.status()
        managers.tell(pool, status, host)
        reread.tried()
        if None not in [address for _, address in managers.found(pool, managers.listed(pool, status))]:
            return
        pause(5.0)


def wait_for_daemon(name: str, patience: float = 20.0, folder: str = "/var/log/condor", pause: float = 0.5) -> None:
    """Waits, `patience` seconds at most, until a daemon of HTCondor has written where it listens: asking the pool earlier only takes processor
    time from its start."""
    limit = time.monotonic() + patience
    while time.monotonic() < limit and not os.path.exists(f"{folder}/.{name}_address"):
        time.sleep(pause)


def wait_for_pool(pool: Facts, host: str, patience: float = 90.0, ask: "Callable[[list[str], float], tuple[int, str]]" = collector.ask,
                  pause: "Callable[[float], None]" = time.sleep) -> None:
    """Waits until the manager lists this machine; tells after `patience` seconds what keeps it, and goes on waiting. WowError: the certificate ended meanwhile, so it
    waits in vain."""
    start_time, told, tries = time.monotonic(), 0.0, 0
    first = "collector" if pool.is_manager else "startd" if pool.has_slots else "schedd"
    wait_for_daemon(first)
    while True:
        tries += 1
        # The first question begins while IPsec and sessions are being made. One that hangs there is asked anew rather than waited for.
        code, output = ask([f"-{first}", "-constraint", f'Machine == "{host}.{pool.zone}"', "-af", "Name"], min(QUESTION * tries, LONGEST_QUESTION))
        if code == 0 and output:
            console.say("pool", manager=pool.manager, slot=output.splitlines()[0])
            return
        waited = time.monotonic() - start_time
        last = system.last_line(output) or ("no answer in time" if code == system.TIMED_OUT else "the manager does not list this machine")
        print(f"{waited:.1f} s after HTCondor's start: {last}", flush=True)  # for the journal
        if not pool.open and not control.status()["certified"]:
            raise WowError("the certificate is not valid any more, so no manager lists this machine", "The joining begins anew, and says what is missing", "", "pool")
        if waited - told >= patience:
            console.say_error(WowError(last, "Look with: condor_status; journalctl -u condor; tail /var/log/condor/*Log. It is tried again by itself", "", "pool"))
            told = waited * 2 - patience
        # Asking costs a second of an emulated processor, which HTCondor needs just now.
        pause(2.0 if waited < patience else 10.0)
