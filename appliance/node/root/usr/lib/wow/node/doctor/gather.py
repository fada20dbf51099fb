"""Gathers what doctor/diagnose.py decides from. Every part may be missing; nothing here judges."""
import fcntl
import os
import socket
import struct
import time

import control
import der
import files
import system
from doctor import call, diagnose, dns
from errors import WowError
from generate import paths
from join import physical_networks

SIOCGIFADDR = 0x8915  # netdevice(7)


def gather(path=paths.SOCKET, config_file=None):
    """All facts. With a configuration named, or another socket, it is about an ipopd outside the appliance: its services are not asked about."""
    is_appliance = config_file is None and path == paths.SOCKET
    config, config_trouble = configuration(config_file or paths.IPOPD_CONF)
    if not is_appliance and config_file is None:
        config, config_trouble = None, None
    status, trouble = None, None
    try:
        status = control.ask("status", path, 5.0)
    except WowError as error:
        trouble = error.what
    state = (config or {}).get("state") or (paths.STATE if is_appliance else None)
    tap = (status or {}).get("tap") or (config or {}).get("tap") or paths.TAP
    return {
        "now": time.time(), "socket": path, "status": status, "trouble": trouble,
        "config": {key: config[key] for key in ("subnet", "open")} if config else None, "config_trouble": config_trouble,
        "authority": dates(f"{state}/ca.pem") if state else None, "certificate": certificate(status, state),
        "bootstrap": bootstrap(status, config), "tap": {"name": tap, "exists": os.path.exists(f"/sys/class/net/{tap}"), "address": address(tap)},
        "networks": [network for name, network in physical_networks(with_names=True) if name != tap], "names": names(status, config, is_appliance),
        "ca": authority(status, config, path if is_appliance else None), "services": services() if is_appliance else {},
        "notice": (files.read("/run/issue.d/wow.issue", "") or "").strip() if is_appliance else None}


def configuration(path):
    """(the keys of ipopd.conf that matter here, None), or (None, why not)."""
    found, section = {}, ""
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read(65536).splitlines()
    except OSError as error:
        return None, f"{path}: {error.strerror}"
    except UnicodeDecodeError:
        return None, f"{path}: not UTF-8"
    for line in lines:
        line = line.strip()
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1].strip().lower()
        elif line and line[0] not in "#;" and "=" in line:
            key, _, value = line.partition("=")
            found[section, key.strip().lower()] = value.strip()
    return {"state": found.get(("node", "state")), "subnet": found.get(("pool", "subnet")), "pool": found.get(("pool", "name")),
            "secret": found.get(("pool", "secret"), ""), "open": found.get(("pool", "open")) == "yes", "bootstrap": found.get(("pool", "bootstrap"), "").split(),
            "tap": found.get(("tap", "name")), "dns": found.get(("dns", "listen")), "ca_port": found.get(("ca", "port"), str(paths.CA_PORT))}, None


def dates(path):
    """(not before, not after) of a certificate's file, None without one that can be read."""
    import base64
    import binascii
    text = files.read(path, "") or ""
    _, begin, rest = text.partition("-----BEGIN CERTIFICATE-----")
    body, end, _ = rest.partition("-----END CERTIFICATE-----")
    try:
        return der.validity(base64.b64decode("".join(body.split()))) if begin and end else None
    except (ValueError, binascii.Error):
        return None


def certificate(status, state):
    """The certificate's dates: from its file, where this machine's can be read, else as ipopd knows them."""
    own = dates(f"{state}/node.pem") if state else None
    known = (status or {}).get("certificate")
    return own or ((_seconds(known["not_before"]), _seconds(known["not_after"])) if known else None)


def _seconds(text):
    import calendar
    return calendar.timegm(time.strptime(text[:19], "%Y-%m-%dT%H:%M:%S"))


def bootstrap(status, config):
    """The bootstrap list: what it resolves to, and where the ring is not joined, who of it answers."""
    if status:
        found = [{"entry": one["entry"], "addresses": [endpoint(text) for text in one["addresses"]]} for one in status["bootstrap"]]
    else:
        found = [{"entry": entry, "addresses": resolve(entry)} for entry in (config or {}).get("bootstrap", [])]
    secret = bytes.fromhex(config["secret"]) if config and len(config["secret"]) == 64 else None
    wants = secret and not (status and status["ring"]["joined"])
    return [{**one, **(called(one["addresses"], secret) if wants and one["addresses"] and one["entry"].startswith("udp:") else {"asked": False, "answer_ms": None, "error": None})} for one in found]


def called(addresses, secret):
    """The first of the addresses that answers; at most three are asked."""
    error = None
    for host, port in addresses[:3]:
        answer, error = call.call(host, port, secret)
        if answer is not None:
            return {"asked": True, "answer_ms": round(answer, 1), "error": None}
    return {"asked": True, "answer_ms": None, "error": error}


def endpoint(text):
    """(host, port) of ADDRESS:PORT, with brackets around IPv6; what stands before a scheme's colon is left out."""
    host, _, port = text.removeprefix("tcp:").rpartition(":")
    return host.strip("[]"), int(port)


def resolve(entry):
    """The [(address, port)] of udp:HOST:PORT or tcp:HOST:PORT; empty if the name does not resolve."""
    try:
        host, port = endpoint(entry.partition(":")[2])
        found = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)
    except (OSError, ValueError):
        return []
    return list(dict.fromkeys((one[4][0], one[4][1]) for one in found))


def address(device):
    """The IPv4 address of an interface, or None."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        try:
            answer = fcntl.ioctl(link.fileno(), SIOCGIFADDR, struct.pack("256s", device.encode()[:15]))
        except OSError:
            return None
    return socket.inet_ntoa(answer[20:24])


def names(status, config, is_appliance):
    """Whether DNS is answered by ipopd, and in the appliance by dnsmasq."""
    if not status:
        return []
    host = (status["address"] or "10.0.0.1").replace(".", "-")
    name, found = f"{host}.{status['zone']}", []
    if status["dns"]:
        server, port = endpoint(status["dns"])
        found.append({"who": "ipopd", "server": status["dns"], "answer": dns.ask(server, port, name)})
    if is_appliance:
        found.append({"who": "dnsmasq", "server": "127.0.0.1:53", "answer": dns.ask("127.0.0.1", 53, name)})
    return found


def authority(status, config, socket_path=None, patience=5.0):
    """Whether the manager can be reached. With the CA's port that is tried only where no IPsec is in the way: the fence and the manager's policies
    let nobody use that port but a machine that enrols. There, ipopd whose socket is named pings the manager."""
    if not status or status["open"] or not status["certified"] or not status["manager"] or status["manager"] == status["address"]:
        return None
    if socket_path:
        try:
            answer = control.ask("ping", socket_path, patience + 5.0, target=status["manager"], timeout_ms=int(patience * 1000))
        except WowError:
            answer = {}
        return {"address": status["manager"], "open": answer.get("rtt_ms") is not None, "by": "ping"}
    port = int((config or {}).get("ca_port") or paths.CA_PORT)
    try:
        with socket.create_connection((status["manager"], port), patience):
            return {"address": status["manager"], "open": True, "by": "port"}
    except OSError:
        return {"address": status["manager"], "open": False, "by": "port"}


def services():
    """{unit: state} of the machine's other parts; None for the state where systemd does not answer this user."""
    found = {}
    for unit in diagnose.UNITS:
        try:
            state = system.run(["systemctl", "is-active", unit])[1]
            found[unit] = state if state.isalpha() else None
        except WowError:
            return {}
    return found
