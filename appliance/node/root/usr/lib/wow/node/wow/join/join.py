"""wow-join: from an address to a working member of the pool: certificate, IPsec, host name, HTCondor. Tells every step on the console,
waits as long as it must, and ends when the machine is ready, so that it costs no memory then. Started again when the address changes."""
import itertools
import socket
import time

from wow.condor import managers
from wow.condor import start as condor
from wow.config import facts, names
from wow.config.facts import Facts
from wow.join import certificates, enrol, member
from wow.lib import cards, console, control, files, paths, system
from wow.lib.errors import WowError
from wow.seal import charon, fence
from wow.stack import kept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wow.lib.answers import Status

QUICK, SLOW, PATIENCE = 0.3, 2.0, 60.0
"""Seconds between two looks at first and later on, and until what is missing is told."""

LOOK = 30.0
"""Seconds between two looks for a certificate that somebody makes by hand."""

UNPLUGGED = 5.0
"""Seconds until a machine without a network card says so: nothing else can be the matter, and drivers come within one."""


def main() -> int:
    """Exit code; systemd starts it again after any but 0."""
    try:
        join(facts.read())
        return 0
    except WowError as error:
        console.say_error(error)
        return 1


def join(pool: Facts) -> None:
    """All steps, once."""
    status, address = certified(pool)
    host = status["host"] or names.default_host(address)
    member.name(pool, status, address, host)
    if not pool.open:
        # First, because everybody else waits for it.
        member.follow(pool, status, address)
        if certificate := status["certificate"]:
            console.say("certificate", serial=certificate["serial"], host=host, role=certificate["role"], until=certificate["not_after"])
        charon.load(pool.subnet, address)
        managers.bring()
    condor.start(pool, address, host)
    files.write(f"{paths.RUN}/joined", f"{address} {host}\n")
    if managers.taken_off(pool, status, host):
        return
    condor.wait_for_pool(pool, host)
    kept.settle()
    console.clear_error()
    own = control.own_address(status)
    console.leave_own(own)
    console.say("ready", address=address, host=host, own=own, open="yes" if pool.open else None)
    managers.tell_ahead(time.time())
    member.renew(pool, status, time.time())
    condor.wait_for_managers(pool, host)


def certified(pool: Facts) -> "tuple[Status, str]":
    """ipopd's status and the address once the machine has both that and, in a closed pool, a certificate for it."""
    while True:
        status, address = wait_for_address(pool)
        system.must(["nft", "-f", "-"], fence.own_address(address))
        tell_overlaps(status)
        if pool.open or certificates.is_valid(status):
            return status, address
        if pool.is_manager:
            wait_for_root(pool, status, address)
        elif enrol.until_certified(pool, address):
            return certificates.wait(address), address


def wait_for_root(pool: Facts, status: "Status", address: str) -> None:
    """Waits until a manager has a certificate again, which somebody makes by hand, or another address. Told once, and again every ten looks, as `enrol` does. One that
    is not valid yet, for the CA's clock was ahead, the CA at hand makes anew. Where this clock is behind, ipopd has set it meanwhile, as that certificate says."""
    has_ca = member.has_ca(pool, status)
    by_root = f". Its root may type here instead: wow-ca renew --state {member.CA} --out {paths.STATE}" if has_ca else ""
    error = WowError("no certificate for this manager's address " + address, f"If it ran out and the clock is right: {certificates.STAMP}{by_root}",
                     f"{paths.STATE}/node.pem")
    for look in itertools.count():
        if look % 10 == 0:
            console.say_error(error)
        if not enrol.wait(LOOK, address) or certificates.is_valid(certificates.reread()):
            return
        if has_ca and certificates.is_ahead():
            print(f"the certificate was signed by a clock that was ahead: {system.last_line(member.renew_by_ca()[1])}", flush=True)  # for the journal


def wait_for_address(pool: Facts) -> "tuple[Status, str]":
    """ipopd's status and the address once that is leased and on the tap; tells ring and address, and after a minute what is missing."""
    start, is_joined, told = time.monotonic(), False, 0.0
    while True:
        trouble: WowError
        try:
            status = control.status()
            ring, address = status["ring"], status["address"]
            if ring["joined"] and not is_joined:
                is_joined = True
                console.say("ring", node=status["node"], connections=ring["connections"], near=ring["near"])
            if address and configured(address):
                console.say("address", address=address, subnet=pool.subnet)
                return status, address
            trouble = missing(pool.name, status)
        except WowError as error:
            trouble = error
        unplugged = cards.trouble()
        trouble = unplugged or trouble
        waited = time.monotonic() - start
        if waited - told >= (UNPLUGGED if unplugged and not told else PATIENCE):
            # After a minute, then after twice as long every time.
            console.say_error(trouble)
            told = waited * 2 - PATIENCE
        time.sleep(QUICK if waited < PATIENCE else SLOW)


def missing(pool: str, status: "Status") -> WowError:
    """Why there is no address yet."""
    if not status["ring"]["joined"]:
        return WowError(f"no machine of pool {pool} answers", "Look whether this computer is on the Internet. If it is, ask the pool's administrator: the pool may be "
                        "switched off, or this pool.conf not the newest. It is tried again by itself", "", "network")
    return WowError("no address yet although the ring is joined", f"Look with: networkctl status {paths.TAP}; journalctl -u systemd-networkd -u ipopd", "", "address")


def configured(address: str) -> bool:
    """Whether networkd has put the address on an interface: only then can a socket take it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((address, 0))
            return True
        except OSError:
            return False


def tell_overlaps(status: "Status") -> None:
    """Tells which of the machine's own networks hold addresses of the pool's subnet: those machines cannot be reached any more."""
    for warning in status["warnings"]:
        if warning["code"] == "overlap":
            console.say_error(WowError(warning["text"], "", "pool.conf", "[pool] subnet"))
