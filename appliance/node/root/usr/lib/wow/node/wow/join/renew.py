"""wow-renew: asks for the next certificate when it is time. A manager beside the one with the CA shows that its certificate in any case: where the pool was
made, others are made by hand, of which the CA knows nothing; and what it does not know it cannot revoke."""
import time

from wow.config import facts
from wow.config.facts import Facts
from wow.join import certificates, enrol, member
from wow.lib import agreed, console, control, paths, system
from wow.lib.errors import WowError

WOW_CA = "/usr/lib/wow/ca/wow-ca"
DAY = 86400


def main() -> int:
    """Exit code; the timer starts it again after a day."""
    try:
        return renew(facts.read())
    except WowError as error:
        console.say_error(error)
        return 1


def renew(pool: Facts) -> int:
    """The exit code: 1 when it was time and there is no new one."""
    status = control.status()
    certificate, address = status["certificate"], status["address"]
    if not certificate:
        return recover()
    is_time = time.time() > certificates.renew_from(certificate)
    if not address or not (is_time or member.is_beside(pool, status)):
        return 0
    if member.has_ca(pool, status):
        # With the CA at hand; the key stays, so does everything that hangs on it.
        code, said = system.run([WOW_CA, "renew", "--state", member.CA, "--out", paths.STATE])
        code = agreed.DONE if code == agreed.DONE else agreed.REFUSED
    else:
        code, said = enrol.once(pool, address, shows=not is_time)
    if code == agreed.ADDRESS_REFUSED and not is_time:
        console.say_error(WowError(said, "wow-ca list tells who has it, where the CA is. That machine loses it, and comes back by wow reset; or give this manager "
                                   "another address: wow pool manager remove, then add under another name", "", "managers"))
        return 1
    if code != agreed.DONE and not is_time:
        print(f"the CA was not shown the certificate, and is asked again: {said}", flush=True)  # for the journal
        return 0
    if code != agreed.DONE:
        error = enrol.explain(code, said)
        days = max(0, int(certificates.seconds_left(certificate) // DAY))
        console.say_error(WowError(f"the certificate ends in {days} days and was not renewed: {error.what}", error.todo, error.file, error.key))
        return 1
    control.ask("reload")  # charon is told by `watch`, which does it again where that fails
    renewed = certificates.wait(address)["certificate"]
    if renewed and renewed["serial"] != certificate["serial"]:
        console.say("certificate", serial=renewed["serial"], until=renewed["not_after"], renewed="yes")
    return 0


def recover() -> int:
    """ipopd has no certificate although the machine had joined: node.pem may be good again, else the joining begins anew and says what is missing."""
    try:
        control.ask("reload")
    except WowError as error:
        console.say_error(error)
    if not control.status()["certificate"]:
        # Nothing happens where it runs still.
        system.systemctl("start", "--no-block", "wow-join.service")
    return 0
