"""Builds the sites: a namespace for each machine and each gate, all on one public network."""

import shutil
import tempfile

import rules
from igd import Igd
from shell import run
from sites import GATES, gates_of
from topology import Topology

# The probe's server and the pool's first node.
PROBE = ("192.0.2.2", "192.0.2.3")
PROBE_SIX = ("2001:db8:57::2", "2001:db8:57::3")
# A gate that moves gets an address that no other one has.
MOVED_BY = 100
BOOT, BOOT_SIX = "192.0.2.10", "2001:db8:57::10"


class Internet(Topology):
    """Gates forget on command; everything ends with close()."""

    def __init__(self):
        super().__init__()
        self._ports = 0
        self._forgot = {}
        self._moved = set()
        self._folder = tempfile.mkdtemp(prefix="wow-igd-")

    def build(self, sites):
        """Makes the gates that these sites need, outer ones first, then the sites."""
        self.public("probe", *PROBE, *PROBE_SIX)
        self.public("boot", BOOT, BOOT_SIX)
        needed = {gate.name for site in sites for gate in gates_of(site)}
        for gate in GATES:
            if gate.name in needed:
                self._gate(gate)
        for site in sites:
            self._site(site)
        # What is counted on the wires are datagrams, as on real ones.
        self.keep_runs("boot", "wan", whole=False)
        for site in sites:
            self.keep_runs(site.name, self.interface(site), whole=False)
        for gate in GATES:
            if gate.name in needed and ":" in gate.lan:
                # Behind it are real addresses, so the world has to know the way.
                for name in ("probe", "boot", *(site.name for site in sites if site.second)):
                    self.ip(name, "route", "add", f"{gate.lan}/64", "via", gate.outside)

    def close(self):
        """Removes every namespace, and what miniupnpd wrote."""
        super().close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def forget(self, site):
        """Resets the gate right before a site; false if it has none."""
        gates = gates_of(site)
        if not gates:
            return False
        self._reset(gates[0])
        return True

    def move(self, site):
        """Gives the gate right before a site another outside address, the next time its first one back, as a provider does at night."""
        gate = gates_of(site)[0]
        full = f"gate-{gate.name}"
        network, number = gate.outside.rsplit(".", 1)
        other = f"{network}.{int(number) + MOVED_BY}"
        old, new = (other, gate.outside) if gate.name in self._moved else (gate.outside, other)
        self._moved ^= {gate.name}
        run(*self.inside(full, "sysctl", "-qw", "net.ipv4.conf.wan.promote_secondaries=1"))
        self.ip(full, "address", "add", f"{new}/24", "dev", "wan")
        self.ip(full, "address", "delete", f"{old}/24", "dev", "wan")
        self._reset(gate)

    def remembered(self, site, addresses):
        """What the gates before a site remember of these outside addresses: lines of conntrack, each behind its gate's name."""
        lines = [(gate.name, line) for gate in gates_of(site) for line in run(*self.inside(f"gate-{gate.name}", "conntrack", "-L"), check=False).stdout.splitlines()]
        return [f"{name}: {line}" for name, line in lines if any(f"={address} " in line for address in addresses)]

    @staticmethod
    def interface(site):
        """The site's own interface to the rest of the world."""
        return "wan" if site.gate is None else "eth0"

    def _reset(self, gate):
        full = f"gate-{gate.name}"
        self._forgot[gate.name] = self._forgot.get(gate.name, 0) + 1
        run(*self.inside(full, "nft", "-f", "-"), text_in=rules.forget(gate, self._forgot[gate.name]))
        run(*self.inside(full, "conntrack", "-F"))

    def _gate(self, gate):
        full = f"gate-{gate.name}"
        if gate.outer is None:
            self.public(full, gate.outside)
        else:
            self.namespace(full)
            self._join(gate.outer, full, "wan")
            self.ip(full, "address", "add", f"{gate.outside}/24", "dev", "wan")
            self.ip(full, "link", "set", "wan", "up")
            self.ip(full, "route", "add", "default", "via", gate.outside.rsplit(".", 1)[0] + ".1")
        self.ip(full, "link", "add", "lan", "type", "bridge", "stp_state", "0")
        self.ip(full, "address", "add", *inside(gate, 1), "dev", "lan")
        self.ip(full, "link", "set", "lan", "up")
        # A bridge that filters would do the gate's translation before the gate sees the packet.
        settings = ["net.ipv4.ip_forward=1", "net.bridge.bridge-nf-call-iptables=0"]
        if ":" in gate.lan:
            settings.append("net.ipv6.conf.all.forwarding=1")
        elif gate.kind == "fence":
            # Its machine has an address of the public network, for which it answers there.
            settings += ["net.ipv4.conf.wan.proxy_arp=1", "net.ipv4.neigh.wan.proxy_delay=0"]
        if gate.strict:
            settings.append("net.netfilter.nf_conntrack_tcp_loose=0")
        if gate.udp_seconds:
            settings += [f"net.netfilter.nf_conntrack_udp_timeout{kind}={gate.udp_seconds}" for kind in ("", "_stream")]
        run(*self.inside(full, "sysctl", "-qw", *settings))
        run(*self.inside(full, "nft", "-f", "-"), text_in=rules.text(gate))
        self._reset(gate)
        if gate.maps:
            Igd(lambda *command: self.inside(full, *command), self._folder, gate.name).start(pcp=gate.maps == "pcp", upnp=gate.maps == "upnp")

    def _join(self, gate_name, name, interface, isolated=False):
        gate, self._ports = f"gate-{gate_name}", self._ports + 1
        port = f"in{self._ports}"
        run("ip", "link", "add", interface, "netns", self.prefix + name, "type", "veth", "peer", "name", port, "netns", self.prefix + gate)
        self.ip(gate, "link", "set", port, "master", "lan", "up")
        if isolated:
            run(*self.inside(gate, "bridge", "link", "set", "dev", port, "isolated", "on"))

    def _site(self, site):
        if site.gate is None:
            self.public(site.name, *site.addresses)
            return
        gate = gates_of(site)[0]
        self.namespace(site.name)
        self._join(gate.name, site.name, "eth0", gate.isolated)
        if ":" in gate.lan:
            self.ip(site.name, "address", "add", *inside(gate, 2), "dev", "eth0")
            self.ip(site.name, "link", "set", "eth0", "up")
            self.ip(site.name, "route", "add", "default", "via", f"{gate.lan}1")
            return
        length = 32 if gate.kind == "fence" else 24
        self.ip(site.name, "address", "add", f"{site.address}/{length}", "dev", "eth0")
        self.ip(site.name, "link", "set", "eth0", "up")
        if gate.kind == "fence":
            self.ip(site.name, "route", "add", f"{gate.lan}.1/32", "dev", "eth0")
            self.ip(f"gate-{gate.name}", "route", "add", f"{site.address}/32", "dev", "lan")
        self.ip(site.name, "route", "add", "default", "via", f"{gate.lan}.1")


def inside(gate, number):
    """The words for `ip address add` for an address behind a gate."""
    return [f"{gate.lan}{number}/64", "nodad"] if ":" in gate.lan else [f"{gate.lan}.{number}/24"]
