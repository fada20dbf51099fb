"""The lab's network: a public bridge, and for each machine behind a NAT a namespace that is its router and its LAN.

Nothing leads outside: no namespace has a way to the host or to the world, and the public network has no route to a LAN.
"""

from shell import run, served
from sites import EVERY, INTERNET, INTERNET_BRIDGE, INTERNET_PREFIX, MANAGER

RULES = """
table ip nat {
    chain post {
        type nat hook postrouting priority srcnat; policy accept;
        oifname "wan0" masquerade
    }
}
table inet filter {
    chain input {
        type filter hook input priority filter; policy drop;
        iifname { "lo", "lan0" } accept
        ct state established,related accept
    }
    chain forward {
        type filter hook forward priority filter; policy drop;
        iifname "lan0" oifname "wan0" accept
        ct state established,related accept
    }
}
"""
# Masquerade keeps the port where it can and lets in only answers from the very address and port that was asked: what RFC 4787
# calls address and port-dependent filtering. The drop on input matters: without it a punch that comes too early would leave a
# conntrack entry of the router's own, and the machine's packet would get another port.


def inside(namespace, *command):
    """The command line that runs a command in a namespace."""
    return ("ip", "netns", "exec", namespace, *command)


def make_namespace(name):
    """A namespace without IPv6: the lab's networks are IPv4, and silence there makes captures readable."""
    run("ip", "netns", "add", name)
    for key in ("all", "default"):
        run(*inside(name, "sysctl", "-qw", f"net.ipv6.conf.{key}.disable_ipv6=1"))
    run(*inside(name, "ip", "link", "set", "lo", "up"))


def make_bridge(namespace, bridge, address):
    """A bridge with an address; forwards at once (no spanning tree)."""
    run(*inside(namespace, "ip", "link", "add", bridge, "type", "bridge", "forward_delay", "0"))
    run(*inside(namespace, "ip", "address", "add", address, "dev", bridge))
    run(*inside(namespace, "ip", "link", "set", bridge, "up"))


def make_tap(machine):
    """The machine's socket in the wall: a tap on its LAN's bridge, there before the machine is switched on."""
    command = inside(machine.namespace, "ip")
    run(*command, "tuntap", "add", machine.tap, "mode", "tap")
    run(*command, "link", "set", machine.tap, "master", machine.bridge, "up")


def make_router(machine):
    """The namespace of one LAN: masquerade between lan0 and the public network."""
    name = machine.namespace
    make_namespace(name)
    make_bridge(name, machine.bridge, machine.gateway + "/24")
    port = "wan-" + machine.name
    run("ip", "link", "add", "wan0", "netns", name, "type", "veth", "peer", "name", port, "netns", INTERNET)
    run(*inside(INTERNET, "ip", "link", "set", port, "master", INTERNET_BRIDGE, "up"))
    run(*inside(name, "ip", "address", "add", machine.public + "/24", "dev", "wan0"))
    run(*inside(name, "ip", "link", "set", "wan0", "up"))
    run(*inside(name, "ip", "route", "add", "default", "via", INTERNET_PREFIX + ".1"))
    run(*inside(name, "sysctl", "-qw", "net.ipv4.ip_forward=1"))
    run(*inside(name, "nft", "-f", "-"), text=RULES)


def serve_addresses(machine, folder):
    """DHCP and DNS of the machine's LAN, for all that may stand there. The resolver has nobody to ask, so every foreign name is refused."""
    hosts = [f"--dhcp-host={one.mac},{one.address}" for one in EVERY if one.namespace == machine.namespace]
    served(*inside(
        machine.namespace, "dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null", "--no-hosts", "--no-resolv", "--user=root",
        "--bind-interfaces", f"--interface={machine.bridge}", "--except-interface=lo", "--no-ping", "--dhcp-authoritative",
        f"--dhcp-range={machine.prefix}.100,{machine.prefix}.120,1h", *hosts,
        f"--dhcp-leasefile={folder}/{machine.name}.leases", "--pid-file", "--log-facility=-", "--log-dhcp"),
        log=f"{folder}/{machine.name}-dhcp.log", says="DHCP, IP range", what=f"dnsmasq does not serve {machine.bridge}")


def up(machines, folder):
    """Makes the public network and everything that the machines need."""
    make_namespace(INTERNET)
    make_bridge(INTERNET, INTERNET_BRIDGE, INTERNET_PREFIX + ".1/24")
    serve_addresses(MANAGER, folder)
    for machine in machines:
        attach(machine, folder)


def attach(machine, folder):
    """Makes one machine's socket and, behind a NAT, its LAN with a DHCP server."""
    if machine.behind_nat:
        make_router(machine)
        serve_addresses(machine, folder)
    make_tap(machine)
