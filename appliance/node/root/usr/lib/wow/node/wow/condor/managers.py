"""Who the pool's managers are, and what HTCondor is told of them: in a file of its own, for it changes while HTCondor runs. Then HTCondor reads it again;
nothing is started anew, and no job ends.

The CA's list says it, which ipopd has; in an open pool, where nobody can sign, [pool] managers of pool.conf; and where neither does there is one, which is
called manager. Every machine tells all collectors of itself. Of several managers one matches jobs: HTCondor's HAD agrees who, and its replication
carries priorities to the others.

The condor_had of each manager steps once in 2 * (2 * N * TIMEOUT + 1) s, for N managers (StateMachine.cpp, 23.9.6). Another one matches in the third step
after the last word of the one before: with two managers and 2 s that is 27 to 54 s after it went. HTCondor's manual advises 5 s where connections are
proved, which is two minutes. Both daemons call the others by address alone, so that no name can be compared with the certificate's: for these two, and
replication's helper, it is enough that the certificate is a manager's (ALLOW_CLIENT)."""
import os
import time

from wow.condor import drop_in
from wow.config import names
from wow.config.facts import Facts
from wow.lib import agreed, console, control, files, paths, system
from wow.lib.errors import WowError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from wow.lib.answers import Status

    Managers = list[tuple[str, str | None]]
    """(host, address; None while nobody knows it), in the order in which they match."""

FILE = f"{paths.RUN}/condor-managers.conf"
ON_DISK, BROUGHT = f"{paths.DISK}/managers.notice", f"{paths.RUN}/managers.notice"
"""The CA's list on this machine's configuration disk, and where ipopd may read it."""
KEPT = f"{paths.STATE}/notice-2"
"""The newest list that ipopd has, of the kind of notice that it is."""
TIMEOUT = 2
"""Seconds that one manager's HAD waits for another's."""
COPIED = 60
"""Seconds from one copy of the priorities to the next."""
KNOWN = 30
"""Seconds until a manager that came back knows which one matches: condor_userprio asks any of them. HTCondor's own are 300."""
SINGLE: "Managers" = [(agreed.MANAGER_LABEL, None)]
"""The managers of a pool of which nobody has listed any: one, whatever its host name is."""
ALONE, TURNS = "MASTER, COLLECTOR, NEGOTIATOR", "HAD, REPLICATION"
ENDING = 30
"""Seconds that a negotiator may take to end."""
HELPERS = ("HAD", "REPLICATION", "TRANSFERER")


def tell(pool: Facts, status: "Status", host: str) -> None:
    """Has HTCondor read of other managers, if there are others; this machine's own names follow."""
    if status["address"]:
        files.write("/etc/hosts", names.hosts(pool.zone, status["address"], host, is_first(pool, status, host)))
    former = files.read(FILE)
    if write(pool, status, host) and system.systemctl("is-active", "--quiet", "condor.service") == 0:
        reread(former)


def reread(former: str, pause: "Callable[[float], None]" = time.sleep) -> None:
    """Has HTCondor read the file again, which was `former` before. Where the last other manager was taken off the list, the master ends HAD, and HAD's end the
    negotiator, which nobody would start any more."""
    system.must(["condor_reconfig"])
    present = files.read(FILE)
    if TURNS in former and ALONE in present and TURNS not in present:
        for _ in range(ENDING):
            if system.run(["pgrep", "-x", "condor_had|condor_negotiat"])[0]:
                break
            pause(1.0)
        system.must(["condor_on", "-negotiator"])


def bring() -> None:
    """Gives ipopd the list that came with this machine: if it is newer than what the pool knows, all machines have it from here."""
    if os.path.exists(BROUGHT):
        try:
            control.ask("publish-notice", file=BROUGHT)
        except WowError as error:
            if error.code not in ("notice-known", "notice-outdated"):
                console.say_error(error)


def listed(pool: Facts, status: "Status") -> "Managers":
    """The managers as they are named; in an open pool without their addresses."""
    if status["managers"]:
        return [(manager["host"], manager["address"]) for manager in status["managers"]]
    return [(host, None) for host in pool.managers] or SINGLE


def is_listed(pool: Facts, status: "Status", host: str) -> bool:
    """Whether the machine of that name is a manager, for all that is listed; the single one of a pool has any name."""
    return not (status["managers"] or pool.managers) or host in [name for name, _ in listed(pool, status)]


def taken_off(pool: Facts, status: "Status", host: str) -> bool:
    """Whether this is a manager that was taken off the list; the console says so."""
    if not pool.is_manager or is_listed(pool, status, host):
        return False
    console.say_error(WowError("this manager is not on the pool's list of managers, and gives out no machines", "Switch it off, and revoke its certificate where the CA "
                               "is: wow-ca revoke. To have it back: wow pool manager add, where the pool was made", "", "managers"))
    return True


def authority(status: "Status") -> str | None:
    """The address of the machine with the CA; None while nobody knows it, and in an open pool."""
    return listed_authority(status) or status["manager"]


def listed_authority(status: "Status") -> str | None:
    """The same where a list says it, else None."""
    return next((manager["address"] for manager in status["managers"] if manager["ca"]), None)


def is_first(pool: Facts, status: "Status", host: str) -> bool:
    """Whether the pool's name `manager` means this machine."""
    return pool.is_manager and (not (status["managers"] or pool.managers) or listed(pool, status)[0][0] == host)


def write(pool: Facts, status: "Status", host: str) -> bool:
    """Makes the file anew; whether it has changed."""
    return files.write_if_changed(FILE, config(pool, found(pool, listed(pool, status)), host))


def found(pool: Facts, managers: "Managers") -> "Managers":
    """The same with the addresses that only names lead to, as far as a manager needs them."""
    if not pool.is_manager or len(managers) == 1:
        return managers
    return [(host, address or resolve(f"{host}.{pool.zone}")) for host, address in managers]


def config(pool: Facts, managers: "Managers", host: str) -> str:
    """The file's text for the machine of that name."""
    full = [f"{name}.{pool.zone}" for name, _ in managers]
    text = (f"# Generated by wow-managers.\nCONDOR_HOST = {full[0]}\n"
            f"COLLECTOR_HOST = {', '.join(f'{name}:{paths.CONDOR_PORT}' for name in full)}\n")
    if not pool.is_manager:
        return text
    if managers == SINGLE and not pool.managers:
        return text + f"DAEMON_LIST = {ALONE}\n"
    if host not in (name for name, _ in managers):
        # It was taken off the list: it matches nobody any more.
        return text + "DAEMON_LIST = MASTER\n"
    addresses = [address for _, address in managers if address]
    return text + (_several(pool, addresses) if len(addresses) > 1 else f"DAEMON_LIST = {ALONE}\n")


def _several(pool: Facts, addresses: list[str]) -> str:
    everybody = ", ".join(f"{address}:{paths.CONDOR_PORT}" for address in addresses)
    trust = _open(pool, addresses) if pool.open else _certified(pool)
    return f"""DAEMON_LIST = {ALONE}, {TURNS}
MASTER_NEGOTIATOR_CONTROLLER = HAD
HAD_USE_SHARED_PORT = True
HAD_LIST = {everybody}
HAD_USE_PRIMARY = False
HAD_USE_REPLICATION = True
HAD_CONNECTION_TIMEOUT = {TIMEOUT}
REPLICATION_USE_SHARED_PORT = True
REPLICATION_LIST = {everybody}
REPLICATION_INTERVAL = {COPIED}
NEGOTIATOR_UPDATE_INTERVAL = {KNOWN}
{trust}"""


def _certified(pool: Facts) -> str:
    own = "condor@$(UID_DOMAIN), root@$(UID_DOMAIN), condor@family, condor@child, condor@parent"
    return "".join(f"{daemon}.SSL_SKIP_HOST_CHECK = True\n{daemon}.ALLOW_CLIENT = manager@pool.{pool.zone}, {own}\n" for daemon in HELPERS)


def _open(pool: Facts, addresses: list[str]) -> str:
    # Who somebody is, is only claimed in an open pool; where he is, the overlay has checked.
    others = ", ".join(f"{drop_in.CLAIMED}.{pool.zone}/{address}" for address in addresses)
    return "".join(f"{daemon}.SEC_DAEMON_AUTHENTICATION_METHODS = FS, CLAIMTOBE\n"
                   f"{daemon}.ALLOW_DAEMON = condor@$(UID_DOMAIN)/$(IP_ADDRESS), {others}\n" for daemon in HELPERS)


def resolve(name: str) -> str | None:
    """A name's address; None while nobody has it."""
    try:
        address: str = control.ask("resolve", name=name)["address"]
        return address
    except WowError:
        return None
