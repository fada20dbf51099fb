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

from wow.condor import mapfile
from wow.config import names
from wow.config.facts import Facts
from wow.lib import agreed, console, control, files, paths, startd
from wow.lib.errors import WowError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wow.lib.answers import Status

    Managers = list[tuple[str, str | None]]
    """(host, address; None while nobody knows it), in the order in which they match."""

FILE, READ = f"{paths.RUN}/condor-managers.conf", f"{paths.RUN}/condor-managers.read"
"""What HTCondor reads of it, and the same as it has read it."""
ON_DISK, BROUGHT = f"{paths.DISK}/managers.notice", f"{paths.RUN}/managers.notice"
"""The CA's list on this machine's configuration disk, and where ipopd may read it."""
KEPT = f"{paths.STATE}/notice-2"
"""The newest list that ipopd has."""
MARK, NUMBER_AT, HEAD = b"WOWN\2", 5, 13
"""How such a notice begins (docs/reference/control.md): its kind, and its number in 8 bytes."""
TIMEOUT = 2
"""Seconds that one manager's HAD waits for another's."""
COPIED = 60
"""Seconds from one copy of the priorities to the next."""
KNOWN = 30
"""Seconds until a manager that came back knows which one matches: condor_userprio asks any of them. HTCondor's own are 300."""
SINGLE: "Managers" = [(agreed.MANAGER_LABEL, None)]
"""The managers of a pool of which nobody has listed any: one, whatever its host name is."""
ALONE, TURNS = "MASTER, COLLECTOR, NEGOTIATOR", "HAD, REPLICATION"
QUERY = 5
"""Seconds that a tool of HTCondor, and its negotiator, waits for one of several managers, each time. HTCondor's own are 60; it takes the managers in any order."""
HELPERS = ("HAD", "REPLICATION", "TRANSFERER")
DAY, LAST = 86400, 253402300799
"""Seconds: clocks may differ by less, for who signs a list numbers it by the time (Unix); the last moment that people write with four digits of the year."""


def tell(pool: Facts, status: "Status", host: str) -> None:
    """Leaves the list where HTCondor finds it; this machine's own names follow."""
    if status["address"]:
        files.write("/etc/hosts", names.hosts(pool.zone, status["address"], host, is_first(pool, status, host)))
    write(pool, status, host)


def bring() -> None:
    """Gives ipopd the list that came with this machine: if it is newer than what the pool knows, all machines have it from here."""
    if os.path.exists(BROUGHT):
        try:
            control.ask("publish-notice", file=BROUGHT)
        except WowError as error:
            # An older image brings an older list, which is as it should be.
            if error.code not in ("notice-known", "notice-outdated"):
                console.say_error(error)


def tell_ahead(now: float) -> None:
    """Tells of a list that keeps others out, on the console and in the journal."""
    if (number := ahead(now)) is not None:
        error = keeps_out(number)
        print(error, flush=True)  # for the journal
        console.say_error(error)


def keeps_out(number: int) -> WowError:
    """What is wrong with a list that is numbered so far in the future, and what to do."""
    then = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(min(number, LAST)))
    return WowError(f"the pool's list of managers was signed under a clock that was ahead: its number means {then}, and every list that is signed before then is refused",
                    "Sign one that counts on from it, where the pool was made: wow pool manager sign FOLDER --after FILE, with this machine's "
                    f"{KEPT} as FILE; then start a machine with a new image", KEPT, "")


def ahead(now: float, path: str = KEPT) -> int | None:
    """The number of the newest list that ipopd has, if it is a time that has not come yet. now: seconds since 1970."""
    try:
        with open(path, "rb") as file:
            head = file.read(HEAD)
    except OSError:
        return None
    number = int.from_bytes(head[NUMBER_AT:HEAD], "big")
    return number if len(head) == HEAD and head[:NUMBER_AT] == MARK and number > now + DAY else None


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
    return startd.write(FILE, READ, config(pool, found(pool, listed(pool, status)), host))


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
    if len(managers) > 1:
        # A single one is worth waiting for.
        text += f"TOOL.QUERY_TIMEOUT = {QUERY}\nNEGOTIATOR.QUERY_TIMEOUT = {QUERY}\n"
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
    others = ", ".join(f"{mapfile.CLAIMED}.{pool.zone}/{address}" for address in addresses)
    return "".join(f"{daemon}.SEC_DAEMON_AUTHENTICATION_METHODS = FS, CLAIMTOBE\n"
                   f"{daemon}.ALLOW_DAEMON = condor@$(UID_DOMAIN)/$(IP_ADDRESS), {others}\n" for daemon in HELPERS)


def resolve(name: str) -> str | None:
    """A name's address; None while nobody has it."""
    try:
        address: str = control.ask("resolve", name=name)["address"]
        return address
    except WowError:
        return None
