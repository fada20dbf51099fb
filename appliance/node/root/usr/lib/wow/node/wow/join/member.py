"""What a machine with an address becomes: its name, and the CA where that is."""
import os

from wow.condor import managers
from wow.config import names
from wow.config.facts import Facts
from wow.join import certificates
from wow.lib import console, files, paths, system
from wow.lib.errors import WowError

CA_ADDRESS = f"{paths.RUN}/ca-address"
CA = paths.AUTHORITY
WOW_CA = "/usr/lib/wow/ca/wow-ca"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from wow.lib.answers import Status


def name(pool: Facts, status: "Status", address: str, host: str) -> None:
    """Host name and /etc/hosts."""
    with open("/proc/sys/kernel/hostname", "w", encoding="ascii") as file:
        file.write(host)
    files.write("/etc/hostname", host + "\n")
    files.write("/etc/hosts", names.hosts(pool.zone, address, host, managers.is_first(pool, status, host)))


def has_ca(pool: Facts, status: "Status") -> bool:
    """Whether this machine is the one with the CA: its folder is here, and no list says that it is elsewhere."""
    return pool.is_manager and not pool.open and os.path.isdir(CA) and managers.listed_authority(status) in (None, status["address"])


def renew_by_ca() -> tuple[int, str]:
    """Has the CA at hand make this manager's next certificate: (exit code, what it says). The key stays, and so does everything that hangs on it."""
    return system.run([WOW_CA, "renew", "--state", CA, "--out", paths.STATE])


def is_beside(pool: Facts, status: "Status") -> bool:
    """Whether this is a manager beside the one with the CA, which renews this one's certificate over the overlay."""
    return pool.is_manager and not pool.open and not has_ca(pool, status)


def follow(pool: Facts, status: "Status", address: str) -> None:
    """Serves the CA where it is. A copy of its folder on another manager would know nothing of who is admitted and who was revoked: it is not served."""
    if has_ca(pool, status):
        serve_ca(address)
    elif is_beside(pool, status) and os.path.isdir(CA):
        system.systemctl("stop", "--no-block", "wow-ca.service")
        console.say_error(WowError(f"the CA's folder is here, but the CA is on the manager {managers.listed_authority(status)}, as the pool's list says", "Nobody is "
                                   f"enrolled here. Remove {CA}; if that manager is gone for good, have it here by a new list: wow-ca managers --ca HOST", CA))


def renew(pool: Facts, status: "Status", now: float) -> None:
    """Has wow-renew look at the end of a joining: whoever is on for an hour at a time may see no look of its timer. A manager beside the CA may have got its first
    certificate where the pool was made: the CA hears of it, so that it can be revoked."""
    certificate = status["certificate"]
    if certificate and (now > certificates.renew_from(certificate) or is_beside(pool, status)):
        system.systemctl("start", "--no-block", "wow-renew.service")


def serve_ca(address: str) -> None:
    """Starts the CA on this machine's address, or again when the address is another one."""
    if files.write_if_changed(CA_ADDRESS, f"ADDRESS={address}\n"):
        system.systemctl("restart", "--no-block", "wow-ca.service")
    else:
        system.systemctl("start", "--no-block", "wow-ca.service")
