"""Getting the certificate: opens exactly the enrolment exception in the fence, lets `ipopd enroll` ask the CA, closes it again."""
import os
import time

from wow.config import ticket
from wow.config.facts import Facts
from wow.lib import agreed, console, control, paths, system
from wow.lib.errors import WowError
from wow.seal import enrolment

IPOPD = "/usr/lib/wow/ipopd/ipopd"
TICKET = ticket.TAKEN
# Seconds until the next try, by what went wrong. A refused ticket may be made good at the CA; a CA that is away comes back.
PAUSES = {agreed.UNREACHED: 3, agreed.ADDRESS_REFUSED: 1, agreed.WAITING: 30, agreed.NOT_ADMITTED: 120, agreed.TICKET_SPENT: 120}
LONGEST_PAUSE = 60
TRIED, ENDED = 30, 120.0
"""Seconds in which `ipopd enroll` begins to ask again by itself, and after which it is ended: its last question takes 75 at most, 15 for a CA without power."""


def until_certified(pool: Facts, address: str) -> bool:
    """Asks until there is a certificate for this address, or the address is another. Returns whether there is one."""
    tries, told = 0, None
    while True:
        code, said = once(pool, address)
        if code == agreed.DONE:
            console.clear_error()
            return True
        error = explain(code, said)
        # Every kind of trouble is told once, and again every ten tries.
        if told != code or tries % 10 == 0:
            console.say_error(error)
            told = code
        tries += 1
        pause = min(PAUSES.get(code, 30) * (tries if code == agreed.UNREACHED else 1), max(LONGEST_PAUSE, PAUSES.get(code, 0)))
        if not wait(pause, address):
            return False


def wait(pause: float, address: str) -> bool:
    """Sleeps; False when the machine has another address meanwhile, which has to be asked for anew."""
    limit = time.monotonic() + pause
    while True:
        try:
            if control.status().get("address") != address:
                return False
        except WowError:
            pass
        left = limit - time.monotonic()
        if left <= 0:
            return True
        time.sleep(min(left, 5.0))


def once(pool: Facts, address: str, shows: bool = False) -> tuple[int, str]:
    """One try: (exit code of `ipopd enroll`, its last line). shows: asks although the certificate is good for long."""
    try:
        ca: str = control.ask("resolve", name=pool.authority)["address"]
    except WowError as error:
        return agreed.UNREACHED, f"the machine with the CA is not known: {error.what}"
    enrolment.open_for(address, ca)
    try:
        code, output = system.run([*command(), *(["--show"] if shows else [])], timeout=ENDED)
        enrolment.wait_for_goodbye(ca)
    finally:
        enrolment.close_for(address, ca)
    return code, system.last_line(output)


def command() -> list[str]:
    """The line that enrols, with the ticket that `wow enroll` was given where there is one. A command line is no place for a secret."""
    return [IPOPD, "enroll", "--config", paths.IPOPD_CONF, "--timeout", str(TRIED), *(["--ticket-file", TICKET] if os.path.exists(TICKET) else [])]


def explain(code: int, said: str) -> WowError:
    """What to tell for an exit code of `ipopd enroll`."""
    what = said or f"ipopd enroll ended with {code}"
    if code == agreed.UNREACHED:
        return WowError(what, "Wait: the machine with the CA is away or busy, and it is tried again by itself. There look with: wow doctor",
                        "", "enrolment")
    if code == agreed.WAITING:
        return WowError(what, "Send the administrator that key (wow-ca approve KEY). It goes on by itself", "", "enrolment")
    if code in (agreed.NOT_ADMITTED, agreed.TICKET_SPENT):
        # The CA's words say what helps: a ticket, an approval or another key, by its policy and by what became of this key.
        is_of_ticket = "wow enroll" in said
        return WowError(what, "It is tried again by itself", *(("pool.conf", "[ca] ticket") if is_of_ticket else ("", "enrolment")))
    if code == agreed.ADDRESS_REFUSED:
        return WowError(what, "Without a certificate the machine takes its next address by itself", "", "enrolment")
    if code == agreed.USAGE:
        return WowError(what, "Correct pool.conf and start the machine again", paths.IPOPD_CONF, "")
    return WowError(what, "Look with: journalctl -u wow-join -u wow-renew; it is tried again by itself", "", "enrolment")
