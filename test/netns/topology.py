"""Network namespaces joined by a bridge, some behind NATs. Every name begins with a prefix of this run, so that runs don't meet."""

import itertools
import os
import pathlib
import shutil

from shell import run

# As home routers do it: keep the source port where it is free, let in only answers, drop the rest silently. A plain
# masquerade keeps one mapping for all destinations and filters by address and port: a port-restricted cone (RFC 3489 section 5).
RULES = """
table ip nat {{
  chain out {{
    type nat hook postrouting priority srcnat;
    oifname "wan" meta l4proto {{ tcp, udp }} masquerade {how}
    oifname "wan" masquerade
  }}
}}
table ip fence {{
  chain forward {{
    type filter hook forward priority filter; policy drop;
    iifname "lan" {allow} accept
    ct state established,related accept
    ct status dnat accept
  }}
  chain input {{
    type filter hook input priority filter; policy drop;
    iifname "lo" accept
    iifname "lan" accept
    {refuse}
  }}
}}
"""

# Another port for each connection, none of the low ones: Linux gives what comes from 443 one of 511 ports, and so 443 itself now and then.
SYMMETRIC = "to :1024-65535 random,fully-random"

# The public network has two prefixes on one wire. miniupnpd maps nothing for an outside address that is reserved for documentation, so gates
# that run it have one of the second kind. Nothing of this leaves the machine.
PUBLIC = "192.0.2.0/24"
UNRESERVED = "192.1.2.0/24"


class Topology:
    """Makes namespaces; close() removes all of them."""

    _numbers = itertools.count(1)

    def __init__(self):
        self.prefix = f"wn{os.getpid()}n{next(self._numbers)}-"
        self._made = []
        self._public = []
        self._sites = 0

    def namespace(self, name):
        """Makes an empty namespace with a loopback; returns its full name."""
        full = self.prefix + name
        run("ip", "netns", "add", full)
        self._made.append(full)
        self.ip(name, "link", "set", "lo", "up")
        return full

    def ip(self, name, *arguments):
        """Runs ip inside a namespace."""
        return run("ip", "-n", self.prefix + name, *arguments)

    def nft(self, name, rules):
        """Adds rules inside a namespace; without any, says what its counters counted."""
        return run(*self.inside(name, "nft", "list", "counters")) if rules is None else run(*self.inside(name, "nft", "-f", "-"), text_in=rules)

    def inside(self, name, *command):
        """A command line that runs inside a namespace."""
        return ["ip", "netns", "exec", self.prefix + name, *command]

    def public(self, name, *addresses):
        """Makes a namespace on the public network; the first call makes the network."""
        if self.prefix + "net" not in self._made:
            self.namespace("net")
            self.ip("net", "link", "add", "bridge", "type", "bridge", "stp_state", "0")
            self.ip("net", "link", "set", "bridge", "up")
        self.namespace(name)
        self._public.append(name)
        self._sites += 1
        port = f"port{self._sites}"
        run("ip", "link", "add", "wan", "netns", self.prefix + name, "type", "veth", "peer", "name", port, "netns", self.prefix + "net")
        self.ip("net", "link", "set", port, "master", "bridge", "up")
        for address in addresses:
            # Nobody else can have the address, so the kernel need not find that out before it may be used.
            self.ip(name, "address", "add", *([f"{address}/64", "nodad"] if ":" in address else [f"{address}/24"]), "dev", "wan")
        self.ip(name, "link", "set", "wan", "up")
        for prefix in (PUBLIC, UNRESERVED) if any("." in address for address in addresses) else ():
            if not any(address.startswith(prefix[:-4]) for address in addresses):
                self.ip(name, "route", "add", prefix, "dev", "wan")

    def port(self, name):
        """The name, in the namespace `net`, of the port at which a namespace's wire to the public network ends."""
        return f"port{self._public.index(name) + 1}"

    def runs(self, stay_whole):
        """Whether a run of datagrams (UDP_SEGMENT) crosses the public network as one, as on a wire it can't: records of it are to show datagrams."""
        for name in self._public:
            self.keep_runs(name, "wan", stay_whole)

    def keep_runs(self, name, interface, whole):
        """Whether runs of datagrams leave an interface as one."""
        run(*self.inside(name, "ethtool", "-K", interface, "tx-udp-segmentation", "on" if whole else "off"))

    def site(self, name, public, lan, how="", allow="", refuse=""):
        """
        Makes a machine at LAN.2 behind a gateway with the NAT that nftables' masquerade does with these options; only `allow` gets out. The gateway
        drops what comes unasked; `refuse` is what it does instead.
        """
        self.namespace(name)
        self.gate(f"gate-{name}", public, lan, how, allow, refuse)
        self.card(name, "eth0", f"gate-{name}", lan)

    def gate(self, gate, public, lan, how="", allow="", refuse=""):
        """Makes such a gateway; its interface inwards is yet to come."""
        self.public(gate, public)
        run(*self.inside(gate, "sysctl", "-qw", "net.ipv4.ip_forward=1"))
        run(*self.inside(gate, "nft", "-f", "-"), text_in=RULES.format(how=how, allow=allow, refuse=refuse))

    def card(self, name, card, gate, lan, *route):
        """Puts a card of a machine, with LAN.2, on the wire to a gateway, with a default route of these properties."""
        run("ip", "link", "add", "lan", "netns", self.prefix + gate, "type", "veth", "peer", "name", card, "netns", self.prefix + name)
        self.ip(gate, "address", "add", f"{lan}.1/24", "dev", "lan")
        self.ip(gate, "link", "set", "lan", "up")
        self.ip(name, "address", "add", f"{lan}.2/24", "dev", card)
        self.ip(name, "link", "set", card, "up")
        self.ip(name, "route", "add", "default", "via", f"{lan}.1", *route)

    def hosts(self, name, text):
        """Gives a namespace an /etc/hosts of its own; call before anything runs there, then again to change it in place."""
        folder = pathlib.Path("/etc/netns") / (self.prefix + name)
        folder.mkdir(parents=True, exist_ok=True)
        with open(folder / "hosts", "w", encoding="ascii") as file:
            file.write(text)

    def left(self):
        """What of this run is still there."""
        spaces = [line.split()[0] for line in run("ip", "netns", "list").stdout.splitlines() if line.startswith(self.prefix)]
        return spaces + [str(path) for path in pathlib.Path("/etc/netns").glob(self.prefix + "*")]

    def close(self):
        """Removes every namespace, and with them links, taps and rules."""
        for full in reversed(self._made):
            for process in run("ip", "netns", "pids", full, check=False).stdout.split():
                run("kill", "-9", process, check=False)
            run("ip", "netns", "delete", full, check=False)
            shutil.rmtree(pathlib.Path("/etc/netns") / full, ignore_errors=True)
        try:
            pathlib.Path("/etc/netns").rmdir()
        except OSError:
            pass  # somebody else's namespaces are in it, or it never was
        self._made.clear()
