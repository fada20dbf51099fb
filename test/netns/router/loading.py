"""
perfdhcp asks for leases as fast as it can, dnsmasq's beside ipopd's: the same command from the same namespace, over two bridges of the same machine. perfdhcp
is a relay agent with many clients (RFC 2131, giaddr), so ipopd's router mode has many Ethernet addresses behind one.
"""

import re
import subprocess
import time

from clients import SCRIPT
from tally import must
from waiting import until

CLIENTS, SECONDS, RATE = 200, 5, 20000
THEIRS = "10.129.0.1"

# Of dnsmasq's rate. Both share two cores with whatever else the machine does, and by turns: a smaller share is a fault, not noise.
LEAST = 0.5


def run(tally, office):
    """Two figures, and every client has an address of its own."""
    load, router = office.host("load"), office.nodes["office"]
    load.run("udhcpc", "-f", "-q", "-n", "-i", "eth0", "-s", SCRIPT, "-t", "20", "-T", "1")
    beside(office)
    dnsmasq = subprocess.Popen(
        router.inside("dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null", "--port=0", "--interface=br1", "--bind-interfaces", "--no-ping",
                      "--dhcp-authoritative", "--dhcp-range=10.129.1.0,10.129.4.255,10m", "--dhcp-lease-max=1000", f"--dhcp-leasefile={office.folder}/dnsmasq.leases", "--pid-file="),
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with tally.case(f"perfdhcp: {CLIENTS} hosts behind one node, each with an address of its own, at the rate that dnsmasq has (at least {LEAST} of it)"):
            until(lambda: router.run("ss", "-Hlun", "sport", "=", ":67").stdout, lambda seen: seen, "dnsmasq listens")
            until(lambda: warm(load, office), lambda served: served >= CLIENTS, f"{CLIENTS} hosts are served")
            ours, theirs = rounds(load)
            print(f"figure: leases a second, {CLIENTS} clients, three rounds: ipopd {median(ours):.0f}, dnsmasq {median(theirs):.0f}")
            must(median(ours) >= LEAST * median(theirs), f"ipopd {ours}, dnsmasq {theirs}")
    finally:
        dnsmasq.kill()
        dnsmasq.wait()


def beside(office):
    """A second bridge on the router's machine, and a second interface of the host that asks."""
    prefix = office.topology.prefix
    office.topology.ip("office", "link", "add", "br1", "type", "bridge", "stp_state", "0", "forward_delay", "0")
    office.topology.ip("office", "address", "add", f"{THEIRS}/16", "dev", "br1")
    office.topology.ip("office", "link", "add", "port1", "type", "veth", "peer", "name", "eth1", "netns", prefix + "load")
    office.topology.ip("office", "link", "set", "port1", "master", "br1", "up")
    office.topology.ip("office", "link", "set", "br1", "up")
    office.topology.ip("load", "address", "add", "10.129.0.2/16", "dev", "eth1")
    office.topology.ip("load", "link", "set", "eth1", "up")


def warm(load, office):
    """Every client asks a few times, slowly: after that leases are renewed, at both servers alike. Returns how many ipopd serves."""
    for interface in ("eth0", "eth1"):
        perfdhcp(load, interface, CLIENTS // 2, 4)
    time.sleep(1)
    return len(set(office.served().values()))


def rounds(load):
    """Rates of ipopd and of dnsmasq, by turns."""
    both = [(leases(load, "eth0"), leases(load, "eth1")) for _ in range(3)]
    return tuple(zip(*both))


def leases(load, interface):
    """Four-way exchanges a second."""
    return perfdhcp(load, interface, RATE, SECONDS)


def perfdhcp(load, interface, rate, seconds):
    """Runs it once. Its exit code says that something was lost, as at this rate it must."""
    text = load.run("perfdhcp", "-4", "-l", interface, "-R", str(CLIENTS), "-r", str(rate), "-p", str(seconds), "-B", "all", check=False).stdout
    found = re.search(r"Rate: ([\d.]+) 4-way exchanges/second", text)
    must(found is not None, text)
    return float(found.group(1))


def median(rates):
    """The middle one."""
    return sorted(rates)[len(rates) // 2]
