"""wow-renew: asks for the next certificate when it is time. A manager beside the one with the CA shows that its certificate in any case: where the pool was
made, others are made by hand, of which the CA knows nothing; and what it does not know it cannot revoke."""
import time

from wow.config import facts, names
from wow.config.facts import Facts
from wow.join import certificates, enrol, member
from wow.lib import agreed, console, control, files, paths, system
from wow.lib.errors import WowError

DAY = 86400
TOLD = f"{paths.RUN}/renew.error"
"""What keeps it, which was told."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wow.lib.answers import Certificate, Status


def main() -> int:
    """Exit code; the timer starts it again within two hours."""
    try:
        renew(facts.read())
    except WowError as error:
        console.say_change(TOLD, error)
        return 1
    console.say_change(TOLD, None)
    return 0


def renew(pool: Facts) -> None:
    """WowError when it was time and there is no new one."""
    status = control.status()
    certificate = status["certificate"]
    if not certificate:
        recover()
    elif status["address"]:
        is_time = time.time() > certificates.renew_from(certificate)
        if is_time or member.is_beside(pool, status):
            status = ask(pool, status, certificate, is_time)
        follow(status)


def ask(pool: Facts, status: "Status", certificate: "Certificate", is_time: bool) -> "Status":
    """ipopd's status when the CA was asked."""
    address = status["address"] or ""
    if member.has_ca(pool, status):
        code, said = member.renew_by_ca()
        code = agreed.DONE if code == agreed.DONE else agreed.REFUSED
    else:
        code, said = enrol.once(pool, address, shows=not is_time)
    if code == agreed.ADDRESS_REFUSED and not is_time:
        raise WowError(said, "wow-ca list tells who has it, where the CA is. That machine loses it, and comes back by wow reset; or give this manager "
                       "another address: wow pool manager remove, then add under another name", "", "managers")
    if code != agreed.DONE and not is_time:
        print(f"the CA was not shown the certificate, and is asked again: {said}", flush=True)  # for the journal
        return status
    if code != agreed.DONE:
        error = enrol.explain(code, said)
        days = max(0, int(certificates.seconds_left(certificate) // DAY))
        raise WowError(f"the certificate ends in {days} days and was not renewed: {error.what}", error.todo, error.file, error.key)
    control.ask("reload")  # charon is told by `watch`, which does it again where that fails
    status = certificates.wait(address)
    renewed = status["certificate"]
    if renewed and renewed["serial"] != certificate["serial"]:
        console.say("certificate", serial=renewed["serial"], host=renewed["host"], until=renewed["not_after"], renewed="yes")
    return status


def follow(status: "Status") -> None:
    """Has the machine join anew that has another name than it joined with: HTCondor tells of itself under that one, and managers believe the certificate's alone.
    Another address is for `watch` to see."""
    address = status["address"] or ""
    host = status["host"] or names.default_host(address)
    joined = files.read(f"{paths.RUN}/joined").split()
    if joined[:1] == [address] and joined[1:] != [host]:
        print(f"this machine joined as {' '.join(joined[1:])} and is {host} by its certificate: it joins anew", flush=True)  # for the journal
        system.must(["systemctl", "restart", "--no-block", "wow-join.service"])


def recover() -> None:
    """ipopd has no certificate although the machine had joined: node.pem may be good again, else the joining begins anew and says what is missing."""
    if not certificates.reread()["certificate"]:
        # Nothing happens where it runs still.
        system.systemctl("start", "--no-block", "wow-join.service")
