"""wow-join: from an address to a working member of the pool: certificate, IPsec, host name, HTCondor. Tells every step on the console,
waits as long as it must, and ends when the machine is ready, so that it costs no memory then. Started again when the address changes."""
import json
import os
import socket
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import console
import control
import enrol
import files
import ipv4
import member
import system
from errors import WowError
from generate import fence, names, paths

QUICK, SLOW, PATIENCE = 0.3, 2.0, 60.0


def main(arguments):
    """Exit code; systemd starts it again after any but 0."""
    try:
        pool = json.loads(files.read(f"{paths.RUN}/pool.json"))
        if arguments == ["--renew"]:
            return renew(pool)
        join(pool)
        return 0
    except WowError as error:
        console.say_error(error)
        return 1


def join(pool):
    """All steps, once."""
    while True:
        status = wait_for_address(pool)
        address = status["address"]
        system.must(["nft", "-f", "-"], fence.own_address(address))
        warn_of_overlap(pool)
        if pool["open"] or certified(status):
            break
        if member.is_manager(pool):
            raise WowError("no certificate for this manager's address " + address, "If it ran out and the clock is right: wow-ca renew --state "
                           f"{paths.STATE}/ca --out {paths.STATE}. Else make the manager's WOWCFG disk anew (wow-ca manager)",
                           f"{paths.STATE}/node.pem")
        if enrol.until_certified(pool, address):
            status = wait_for_certificate(address)
            break
    host = status.get("host") or names.default_host(address)
    member.name(pool, address, host)
    if not pool["open"]:
        if member.is_manager(pool):
            # First, because everybody else waits for it.
            member.serve_ca(address)
        certificate = status["certificate"]
        console.say("certificate", serial=certificate["serial"], host=host, role=certificate["role"], until=certificate["not_after"])
        member.seal(pool, address)
    member.start_condor(pool, address, host)
    files.write(f"{paths.RUN}/joined", f"{address} {host}\n")
    member.wait_for_pool(pool, host)
    console.clear_error()
    console.say("ready", address=address, host=host, open="yes" if pool["open"] else None)


def wait_for_address(pool):
    """ipopd's status once the address is leased and on the tap; tells ring and address, and after a minute what is missing."""
    start, joined, told = time.monotonic(), False, 0.0
    while True:
        status, trouble = None, None
        try:
            status = control.ask("status")
        except WowError as error:
            trouble = error
        if status:
            ring = status["ring"]
            if ring["joined"] and not joined:
                joined = True
                console.say("ring", node=status["node"], connections=ring["connections"], near=ring["near"])
            if status["address"] and configured(status["address"]):
                console.say("address", address=status["address"], subnet=pool["subnet"])
                return status
            trouble = missing(pool, status)
        waited = time.monotonic() - start
        if waited - told >= PATIENCE and trouble:
            # After a minute, then after twice as long every time.
            console.say_error(trouble)
            told = waited * 2 - PATIENCE
        time.sleep(QUICK if waited < PATIENCE else SLOW)


def missing(pool, status):
    """Why there is no address yet."""
    if not status["ring"]["joined"]:
        return WowError("no bootstrap node answers", f"Check that one of them runs and that this machine's network lets UDP out; also that secret "
                        f"and name are those of pool {pool['name']}. It is tried again by itself", "pool.conf", "[pool] bootstrap")
    return WowError("no address yet although the ring is joined", "Look with: networkctl status wow0; journalctl -u systemd-networkd -u ipopd", "", "address")


def configured(address):
    """Whether networkd has put the address on an interface: only then can a socket take it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((address, 0))
            return True
        except OSError:
            return False


def certified(status, now=None):
    """Whether ipopd holds a certificate for the address that has not run out."""
    certificate = status.get("certificate")
    if not status.get("certified") or not certificate or certificate["address"] != status["address"]:
        return False
    return seconds_left(certificate, now) > 0


def seconds_left(certificate, now=None):
    """How long a certificate of ipopd's status is still valid."""
    import calendar
    end = time.strptime(certificate["not_after"][:19], "%Y-%m-%dT%H:%M:%S")
    return calendar.timegm(end) - (time.time() if now is None else now)


def wait_for_certificate(address, patience=30.0):
    """ipopd's status when it has taken up the new certificate."""
    limit = time.monotonic() + patience
    while True:
        status = control.ask("status")
        if certified(status) and status["address"] == address:
            return status
        if time.monotonic() > limit:
            raise WowError("ipopd does not take up the new certificate", "Look with: journalctl -u ipopd", f"{paths.STATE}/node.pem")
        control.ask("reload")
        time.sleep(0.5)


def renew(pool):
    """wow-renew: asks for the next certificate when less than a third of this one's life (30 days) is left."""
    status = control.ask("status")
    if not status.get("certificate"):
        return recover()
    certificate, address = status["certificate"], status.get("address")
    if seconds_left(certificate) > 10 * 86400 or not address:
        return 0
    if member.is_manager(pool):
        # The manager has the CA at hand; the key stays, so does everything that hangs on it.
        code, said = system.run([member.WOW_CA, "renew", "--state", f"{paths.STATE}/ca", "--out", paths.STATE])
        code = enrol.DONE if code == 0 else enrol.OTHER
    else:
        code, said = enrol.once(pool, address)
    if code != enrol.DONE:
        error = enrol.explain(code, said)
        days = max(0, int(seconds_left(certificate) // 86400))
        console.say_error(WowError(f"the certificate ends in {days} days and was not renewed: {error.what}", error.todo, error.file, error.key))
        return 1
    control.ask("reload")
    system.must(["swanctl", "--load-creds", "--noprompt"])
    renewed = wait_for_certificate(address)["certificate"]
    console.say("certificate", serial=renewed["serial"], until=renewed["not_after"], renewed="yes")
    return 0


def recover():
    """ipopd has no certificate although the machine had joined: node.pem may be good again, else the joining begins anew and says what is missing."""
    try:
        control.ask("reload")
    except WowError as error:
        console.say_error(error)
    if control.ask("status").get("certificate"):
        system.must(["swanctl", "--load-creds", "--noprompt"])
    else:
        # Nothing happens where it runs still.
        system.systemctl("start", "--no-block", "wow-join.service")
    return 0


def warn_of_overlap(pool, own=None):
    """Tells when the pool's subnet holds addresses of the machine's own network: those machines cannot be reached any more."""
    pool_net = ipv4.parse_prefix(pool["subnet"])
    clashes = [text for text in (physical_networks() if own is None else own) if ipv4.overlap(pool_net, ipv4.parse_prefix(text))]
    warning = "".join(f"The pool's subnet {pool['subnet']} overlaps this machine's own network {text}: give the pool another subnet "
                      "(pool.conf: [pool] subnet) or the machine's network another range.\n" for text in clashes)
    files.write(f"{paths.RUN}/warnings", warning)
    for text in clashes:
        console.say_error(WowError(f"{pool['subnet']} overlaps this machine's own network {text}", "Give the pool or the network another range",
                                   "pool.conf", "[pool] subnet"))
    return clashes


def physical_networks(with_names=False):
    """Prefixes of the interfaces beside the tap, from the kernel's routes (/proc/net/route, hex in host order); with_names: (interface, prefix) of all."""
    found = []
    for line in files.read("/proc/net/route", "").splitlines()[1:]:
        device, destination, _, _, _, _, _, netmask = line.split()[:8]
        network = int.from_bytes(bytes.fromhex(destination)[::-1], "big")
        bits = int(netmask, 16).bit_count()
        prefix = f"{ipv4.format_address(network & ipv4.mask(bits))}/{bits}"
        if with_names and bits:
            found.append((device, prefix))
        elif device != paths.TAP and bits:
            found.append(prefix)
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
