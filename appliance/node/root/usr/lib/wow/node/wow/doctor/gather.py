"""Gathers what doctor/diagnose.py decides from. Every part may be missing; nothing here judges."""
import fcntl
import os
import socket
import struct
import time

from wow.condor import managers
from wow.config import facts as pool_facts
from wow.doctor import call, diagnose, dns, gather_condor, ipopdconf, warned
from wow.doctor.ipopdconf import IpopdConf
from wow.lib import cards, console, control, der, files, moments, paths, pem, system
from wow.lib.errors import WowError
from wow.seal import charon
from wow.stack import damage, told
from wow.stack.systems import Systems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wow.doctor.gathered import Authority, Bootstrap, Failing, Gathered, NameServer
    from wow.lib.answers import Status

SIOCGIFADDR = 0x8915  # netdevice(7)
MOST_CALLED = 3
HOMES = "/run/layers/homes"
"""Written by the initrd."""
CLOSED = {"ro", "emergency_ro", "shutdown"}
"""What the kernel says of a file system that takes no more writes; which of them hangs on the kernel's age."""


def gather(path: str = paths.SOCKET, config_file: str | None = None) -> "Gathered":
    """All facts. With a configuration named, or another socket, it is about an ipopd outside the appliance: its services are not asked about."""
    is_appliance = config_file is None and path == paths.SOCKET
    config, config_trouble = None, None
    if is_appliance or config_file is not None:
        try:
            config = ipopdconf.read(config_file or paths.IPOPD_CONF)
        except WowError as error:
            config_trouble = f"{error.file}: {error.what}"
    status, trouble = None, None
    try:
        status = control.status(path, 5.0)
    except WowError as error:
        trouble = error.what
    state = (config.state if config else None) or (paths.STATE if is_appliance else None)
    states = services() if is_appliance else {}
    now = time.time()
    tap = (status["tap"] if status else None) or (config.tap if config else None) or paths.TAP
    return {
        "now": now, "socket": path, "status": status, "trouble": trouble,
        "config": {"open": config.open} if config else None, "config_trouble": config_trouble,
        "authority": dates(f"{state}/ca.pem") if state else None, "certificate": certificate(status, state),
        "bootstrap": bootstrap(status, config), "tap": {"name": tap, "exists": os.path.exists(f"/sys/class/net/{tap}"), "address": address(tap)},
        "has_no_ipv4": is_appliance and cards.without_ipv4(lambda name: address(name) is not None),
        "names": names(status, is_appliance), "ca": authority(status, config, path if is_appliance else None),
        "services": states, "condor": gather_condor.condor(status, states),
        "notice": console.notice() if is_appliance else None,
        "is_manager": is_appliance and is_manager(), "warnings": warned.own() if is_appliance else [],
        "list_ahead": managers.ahead(now, f"{state}/{os.path.basename(managers.KEPT)}") if state else None,
        "homes": files.read(HOMES).split() if is_appliance else [], "failing": failing() if is_appliance else None, "stack": told.read() if is_appliance else None,
        "origins": files.find(paths.ORIGINS_LEFT) or "" if is_appliance else "",
        "system": damage.said(Systems()) if is_appliance else None, "unread": charon.unread() if is_appliance else None}


def is_manager() -> bool:
    """Whether pool.conf makes the machine a manager."""
    try:
        return pool_facts.read().is_manager
    except (OSError, ValueError):
        return False


def failing(mounts: str = "/proc/self/mountinfo", tree: str = "/sys/fs/ext4") -> "Failing | None":
    """What the kernel found wrong with the file system of the home since it was repaired last; None where that is nothing, or home is in memory. mounts: proc(5)."""
    found: Failing | None = None
    for line in files.read(mounts).splitlines():
        own, _, whole = line.partition(" - ")
        kind, device, options = whole.split(" ")[:3]
        if own.split(" ")[4] == paths.STATE and kind == "ext4":
            errors = files.read(f"{tree}/{os.path.basename(device)}/errors_count").strip()
            found = {"errors": int(errors) if errors.isdecimal() else 0, "is_closed": not CLOSED.isdisjoint(options.split(","))}
    return found if found and (found["errors"] or found["is_closed"]) else None


def dates(path: str) -> tuple[int, int] | None:
    """(not before, not after) of a certificate's file, None without one that can be read."""
    found = pem.certificate(files.find_readable(path))
    try:
        return der.validity(found) if found else None
    except ValueError:
        return None


def certificate(status: "Status | None", state: str | None) -> tuple[int, int] | None:
    """The certificate's dates: from its file, where this machine's can be read, else as ipopd knows them."""
    own = dates(f"{state}/node.pem") if state else None
    known = status["certificate"] if status else None
    return own or ((moments.rfc3339(known["not_before"]), moments.rfc3339(known["not_after"])) if known else None)


def bootstrap(status: "Status | None", config: IpopdConf | None) -> "list[Bootstrap]":
    """The bootstrap list: what it resolves to, and where the ring is not joined, who of it answers."""
    if status:
        found = [(one["entry"], [endpoint(text) for text in one["addresses"]]) for one in status["bootstrap"]]
    else:
        found = [(entry, resolve(entry)) for entry in (config.bootstrap if config else [])]
    secret = bytes.fromhex(config.secret) if config and len(config.secret) == 64 else None
    is_wanted = not (status and status["ring"]["joined"])
    return [called(entry, addresses, secret if is_wanted and entry.startswith("udp:") else None) for entry, addresses in found]


def called(entry: str, addresses: list[tuple[str, int]], secret: bytes | None) -> "Bootstrap":
    """Which of the addresses answers first; so many are asked at most, and none without the pool's secret."""
    error = None
    for host, port in addresses[:MOST_CALLED] if secret else ():
        answer, error = call.call(host, port, secret or b"")
        if answer is not None:
            return {"entry": entry, "addresses": addresses, "asked": True, "answer_ms": round(answer, 1), "error": None}
    return {"entry": entry, "addresses": addresses, "asked": bool(secret and addresses), "answer_ms": None, "error": error}


def endpoint(text: str) -> tuple[str, int]:
    """(host, port) of ADDRESS:PORT, with brackets around IPv6; what stands before a scheme's colon is left out."""
    host, _, port = text.removeprefix("tcp:").rpartition(":")
    return host.strip("[]"), int(port)


def resolve(entry: str) -> list[tuple[str, int]]:
    """The [(address, port)] of udp:HOST:PORT or tcp:HOST:PORT; empty if the name does not resolve."""
    try:
        host, port = endpoint(entry.partition(":")[2])
        found = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)
    except (OSError, ValueError):
        return []
    return list(dict.fromkeys((str(one[4][0]), int(one[4][1])) for one in found))


def address(device: str) -> str | None:
    """The IPv4 address of an interface, or None."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        try:
            answer = fcntl.ioctl(link.fileno(), SIOCGIFADDR, struct.pack("256s", device.encode()[:15]))
        except OSError:
            return None
    return socket.inet_ntoa(answer[20:24])


def names(status: "Status | None", is_appliance: bool) -> "list[NameServer]":
    """Whether DNS is answered by ipopd, and in the appliance by dnsmasq."""
    if not status:
        return []
    host = (status["address"] or "10.0.0.1").replace(".", "-")
    name = f"{host}.{status['zone']}"
    found: list[NameServer] = []
    if status["dns"]:
        server, port = endpoint(status["dns"])
        found.append({"who": "ipopd", "server": status["dns"], "answer": dns.ask(server, port, name)})
    if is_appliance:
        found.append({"who": "dnsmasq", "server": "127.0.0.1:53", "answer": dns.ask("127.0.0.1", 53, name)})
    return found


def authority(status: "Status | None", config: IpopdConf | None, socket_path: str | None = None, patience: float = 5.0) -> "Authority | None":
    """Whether the machine with the CA can be reached, and on that one whether the CA serves. With the CA's port that is tried only where no IPsec is in the way,
    as on the own machine: the fence and that machine's policies let nobody use that port but a machine that enrols. There, ipopd whose socket is named pings it.
    patience: seconds."""
    manager = managers.authority(status) if status and not status["open"] and status["certified"] else None
    if not status or not manager:
        return None
    is_own = manager == status["address"]
    if socket_path and not is_own:
        try:
            is_open = control.ping(manager, socket_path, patience + 5.0, int(patience * 1000))["rtt_ms"] is not None
        except WowError:
            is_open = False
        return {"address": manager, "open": is_open, "by": "ping", "says": None}
    try:
        socket.create_connection((manager, config.ca_port if config else paths.CA_PORT), patience).close()
        is_open = True
    except OSError:
        is_open = False
    says = files.find_readable(paths.AUTHORITY_TROUBLE) if is_own and not is_open else None
    return {"address": manager, "open": is_open, "by": "own" if is_own else "port", "says": says}


def services() -> dict[str, str | None]:
    """{unit: state} of the machine's other parts; None for the state where systemd does not answer this user."""
    found: dict[str, str | None] = {}
    for unit in diagnose.UNITS:
        try:
            state = system.run(["systemctl", "is-active", unit])[1]
            found[unit] = state if state.isalpha() else None
        except WowError:
            return {}
    return found
