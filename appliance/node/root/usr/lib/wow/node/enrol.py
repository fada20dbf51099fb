"""Getting the certificate: opens exactly the enrolment exception in the fence, lets `ipopd enroll` ask the CA, closes it again."""
import os
import time

import console
import control
import files
import system
from errors import WowError
from generate import fence, paths

IPOPD = "/usr/lib/wow/ipopd/ipopd"
TICKET = f"{paths.RUN}/ticket"
DONE, CONFIGURATION, UNREACHED, REFUSED, EXPIRED, ADDRESS, OTHER = 0, 2, 3, 4, 5, 6, 7
# Seconds until the next try, by what went wrong. A refused ticket may be made good at the CA; a CA that is away comes back.
PAUSES = {UNREACHED: 3, ADDRESS: 1, REFUSED: 120, EXPIRED: 120}
LONGEST_PAUSE = 60


def until_certified(pool, address):
    """Asks until there is a certificate for this address, or the address is another. Returns whether there is one."""
    tries, told = 0, None
    while True:
        code, said = once(pool, address)
        if code == DONE:
            console.clear_error()
            return True
        error = explain(code, said)
        # Every kind of trouble is told once, and again every ten tries.
        if told != code or tries % 10 == 0:
            console.say_error(error)
            told = code
        tries += 1
        pause = min(PAUSES.get(code, 30) * (tries if code == UNREACHED else 1), max(LONGEST_PAUSE, PAUSES.get(code, 0)))
        if not wait(pause, address):
            return False


def wait(pause, address):
    """Sleeps; False when the machine has another address meanwhile, which has to be asked for anew."""
    limit = time.monotonic() + pause
    while True:
        try:
            if control.ask("status").get("address") != address:
                return False
        except WowError:
            pass
        left = limit - time.monotonic()
        if left <= 0:
            return True
        time.sleep(min(left, 5.0))


def once(pool, address):
    """One try: (exit code of `ipopd enroll`, its last line)."""
    if not pool.get("ticket") and not os.path.exists(TICKET):
        return REFUSED, "this machine has no ticket"
    try:
        ca = control.ask("status").get("manager") or control.ask("resolve", name=f"manager.{pool['zone']}")["address"]
    except WowError as error:
        return UNREACHED, f"the manager is not known: {error.what}"
    open_exception(address, ca)
    try:
        code, output = system.run(command(), timeout=120.0)
        wait_for_goodbye(ca)
    finally:
        close_exception(address, ca)
    return code, output.splitlines()[-1] if output else ""


def wait_for_goodbye(ca, patience=15.0, read=lambda: files.read("/proc/net/tcp", "")):
    """Waits until the connections with the CA are closed on both sides. A fence that falls before the CA's last packet makes the CA
    repeat it for minutes, in the clear, when nothing in the clear is expected any more."""
    limit = time.monotonic() + patience
    while time.monotonic() < limit and open_connections(ca, read()):
        time.sleep(0.2)


def open_connections(ca, table):
    """How many lines of /proc/net/tcp are connections with the CA's port that still wait for a packet of the CA."""
    peer = "".join(f"{int(part):02X}" for part in reversed(ca.split("."))) + f":{paths.CA_PORT:04X}"
    done = {"06", "07"}  # TIME_WAIT, CLOSE
    rows = [line.split() for line in table.splitlines()[1:]]
    return sum(row[2] == peer and row[3] not in done for row in rows)


def command():
    """The line that enrols, with the ticket that `wow enroll` was given where there is one. A command line is no place for a secret."""
    return [IPOPD, "enroll", "--config", paths.IPOPD_CONF, *(["--ticket-file", TICKET] if os.path.exists(TICKET) else [])]


def open_exception(address, ca):
    """TCP to the CA's port and its possession check, in the clear, to and from this one address. charon's block stays for all else."""
    system.must(["nft", "-f", "-"], fence.open_enrolment(ca))
    system.must(["ip", "-batch", "-"], fence.open_enrolment_policies(address, ca))


def close_exception(address, ca):
    """Takes the exception away; what is not there any more is no error."""
    system.run(["nft", "-f", "-"], fence.close_enrolment())
    system.run(["ip", "-force", "-batch", "-"], fence.close_enrolment_policies(address, ca))


def explain(code, said):
    """What to tell for an exit code of `ipopd enroll`."""
    what = said or f"ipopd enroll ended with {code}"
    if code == UNREACHED:
        return WowError(what, "It is tried again by itself; on the manager look with: systemctl status wow-ca", "", "enrolment")
    if code == REFUSED:
        return WowError(what, "Get a ticket from the pool's administrator, then type: wow enroll --ticket ID:SECRET", "pool.conf", "[ca] ticket")
    if code == EXPIRED:
        return WowError(what, "Get a new ticket (wow-ca ticket), then type: wow enroll --ticket ID:SECRET", "pool.conf", "[ca] ticket")
    if code == ADDRESS:
        return WowError(what, "The machine takes its next address by itself", "", "enrolment")
    if code == CONFIGURATION:
        return WowError(what, "Correct pool.conf and start the machine again", paths.IPOPD_CONF, "")
    return WowError(what, "Look with: journalctl -u wow-join; it is tried again by itself", "", "enrolment")
