"""The sites of the grid: which NATs stand before each, and what an independent probe must see of them."""

import dataclasses
from typing import NamedTuple, Optional

EASY = {"udp": True, "translated": True, "mapping": "independent", "tcp": [80, 443]}
HARD = {"udp": True, "translated": True, "mapping": "address-and-port", "filtering": "address-and-port", "hops": 2, "forgets": True}
STRICT = {**EASY, "filtering": "address-and-port", "forgets": True}
# As hard as any, if it did not map ports when it is asked.
MAPPED = {**HARD, "ports": "random", "moves": True}
# A mapping can't be reset while its life is measured.
# Such a machine has no IPv4 address, and the probe's other half sees that it reaches nothing by IPv4.
SIX = {"udp": True, "translated": False, "mapping": "independent", "filtering": "address-and-port", "hops": 2, "forgets": True, "ipv4": False}
SHORT = {**EASY, "filtering": "address-and-port", "lasts_shorter": True, "lasts_longer": False}


FIRST_PORT = 20001


class Gate(NamedTuple):
    """
    A router with a NAT, a firewall, or both. `lan` is the /24 behind it, without the last number (of IPv6 the /64, with the colons at its end);
    `maps` is `pcp` or `upnp` if ports are mapped. `strict` is what a router does that takes up no TCP connection in the middle with what comes from inside on one
    that it has forgotten; others translate it anew.
    """
    name: str
    outside: str
    lan: str
    kind: str = "port"
    outer: Optional[str] = None
    hairpin: bool = False
    isolated: bool = False
    allow: str = ""
    udp_seconds: int = 0
    maps: str = ""
    strict: str = ""


@dataclasses.dataclass(frozen=True, eq=False)
class Site:
    """One machine. `gate` is the one right before it, None on the public network; `claims` is what the probe must say; `second` is an IPv6 address."""
    name: str
    title: str
    address: str
    gate: Optional[str]
    claims: dict
    lasts: int = 0
    second: Optional[str] = None

    @property
    def port(self):
        """Its daemon's UDP port: one of its own, as machines of the image have."""
        return FIRST_PORT + SITES.index(self)

    @property
    def versions(self):
        """Those of IP by which it reaches the world."""
        return {version_of(address) for address in self.addresses}

    @property
    def addresses(self):
        """Its own, of whatever version."""
        return [address for address in (self.address, self.second) if address]


GATES = (
    Gate("firewall", "192.0.2.121", "169.254.1", "fence"),
    Gate("full", "192.0.2.22", "10.22.0", "full"),
    Gate("address", "192.0.2.23", "10.23.0", "address"),
    Gate("port", "192.0.2.24", "10.24.0"),
    Gate("random", "192.0.2.25", "10.25.0", "random"),
    Gate("sequential", "192.0.2.26", "10.26.0", "sequential"),
    Gate("sequential-b", "192.0.2.42", "10.42.0", "sequential"),
    Gate("double-isp", "192.0.2.27", "100.64.7"),
    Gate("double", "100.64.7.2", "10.27.0", outer="double-isp"),
    Gate("hairpin", "192.0.2.28", "10.28.0", hairpin=True, isolated=True),
    Gate("lan", "192.0.2.29", "10.29.0"),
    Gate("cgn", "192.0.2.30", "100.64.1", hairpin=True),
    Gate("cgn-a", "100.64.1.2", "10.30.0", outer="cgn"),
    Gate("cgn-b", "100.64.1.3", "10.31.0", outer="cgn"),
    Gate("overlap-a", "192.0.2.32", "192.168.1"),
    Gate("overlap-b", "192.0.2.33", "192.168.1"),
    Gate("short", "192.0.2.34", "10.34.0", udp_seconds=30),
    Gate("forgetful", "192.0.2.35", "10.35.0", "moving"),
    # miniupnpd maps nothing for an address that is reserved for documentation.
    Gate("pcp", "192.1.2.38", "10.38.0", "random", maps="pcp"),
    Gate("upnp", "192.1.2.39", "10.39.0", "random", maps="upnp"),
    Gate("no-udp", "192.0.2.36", "10.36.0", allow="meta l4proto tcp", strict="drop"),
    Gate("tcp-443", "192.0.2.37", "10.37.0", allow="tcp dport 443"),
    Gate("no-udp-b", "192.0.2.41", "10.41.0", allow="meta l4proto tcp", strict="reject with tcp reset"),
    Gate("six", "2001:db8:57::40", "2001:db8:57:40::", "fence"),
)

SITES = (
    Site("public", "public addresses, IPv4 and IPv6", "192.0.2.20", None, {
        "udp": True, "translated": False, "mapping": "independent", "filtering": "none", "hops": 1}, second="2001:db8:57::20"),
    Site("firewall", "stateful firewall, no NAT", "192.0.2.21", "firewall", {
        "udp": True, "translated": False, "mapping": "independent", "filtering": "address-and-port", "hops": 2, "forgets": True}),
    Site("full", "full cone", "10.22.0.2", "full", {**EASY, "filtering": "none", "hops": 2, "forgets": True}),
    Site("address", "address-restricted", "10.23.0.2", "address", {**EASY, "filtering": "address", "hops": 2, "forgets": True}),
    Site("port", "port-restricted", "10.24.0.2", "port", {**STRICT, "hops": 2, "hairpin": False, "ports": "kept"}),
    Site("random", "symmetric, random ports", "10.25.0.2", "random", {**HARD, "ports": "random", "moves": True}),
    Site("sequential", "symmetric, sequential ports", "10.26.0.2", "sequential", {**HARD, "ports": "sequential", "moves": True}),
    Site("sequential-b", "symmetric, sequential ports", "10.42.0.2", "sequential-b", {**HARD, "ports": "sequential", "moves": True}),
    Site("double", "double NAT", "10.27.0.2", "double", {**STRICT, "hops": 3}),
    Site("hairpin-a", "one NAT that hairpins, hosts apart", "10.28.0.2", "hairpin", {**STRICT, "hops": 2, "hairpin": True, "neighbour": False}),
    Site("hairpin-b", "one NAT that hairpins, hosts apart", "10.28.0.3", "hairpin", {**STRICT, "hops": 2, "hairpin": True, "neighbour": False}),
    Site("lan-a", "one NAT without hairpin, one LAN", "10.29.0.2", "lan", {**STRICT, "hops": 2, "hairpin": False, "neighbour": True}),
    Site("lan-b", "one NAT without hairpin, one LAN", "10.29.0.3", "lan", {**STRICT, "hops": 2, "hairpin": False, "neighbour": True}),
    Site("cgn-a", "home behind the CGN", "10.30.0.2", "cgn-a", {**STRICT, "hops": 3, "hairpin": True}),
    Site("cgn-b", "home behind the CGN", "10.31.0.2", "cgn-b", {**STRICT, "hops": 3, "hairpin": True}),
    Site("overlap-a", "same private address as overlap-b", "192.168.1.2", "overlap-a", {**STRICT, "inside": "192.168.1.2"}),
    Site("overlap-b", "same private address as overlap-a", "192.168.1.2", "overlap-b", {**STRICT, "inside": "192.168.1.2"}),
    Site("short", "NAT with a 30 s timeout", "10.34.0.2", "short", SHORT, lasts=30),
    Site("forgetful", "NAT that moves ports when it forgets", "10.35.0.2", "forgetful", {**STRICT, "moves": True}),
    Site("pcp", "symmetric NAT with PCP", "10.38.0.2", "pcp", {**MAPPED, "maps": ["pcp", "nat-pmp"]}),
    Site("upnp", "symmetric NAT with UPnP", "10.39.0.2", "upnp", {**MAPPED, "maps": ["upnp"]}),
    Site("six", "IPv6 alone, stateful firewall", "2001:db8:57:40::2", "six", SIX),
    Site("no-udp", "UDP blocked", "10.36.0.2", "no-udp", {"udp": False, "tcp": [80, 443]}),
    Site("no-udp-b", "UDP blocked", "10.41.0.2", "no-udp-b", {"udp": False, "tcp": [80, 443]}),
    Site("tcp-443", "only TCP 443 out", "10.37.0.2", "tcp-443", {"udp": False, "tcp": [443]}),
)
FEW = ("public", "port", "random", "double", "pcp")


def version_of(address):
    """4 or 6."""
    return 6 if ":" in address else 4


def gates_of(site, gates=GATES):
    """The gates from the site outwards."""
    by_name = {gate.name: gate for gate in gates}
    found, name = [], site.gate
    while name is not None:
        found.append(by_name[name])
        name = by_name[name].outer
    return found


def seen_as(site, other):
    """The addresses that packets of `site` can come from when they reach `other` straight."""
    gates = gates_of(site)
    if not gates or gates[0].kind == "fence":
        return {address for address in site.addresses if version_of(address) in other.versions}
    return {gate.outside for gate in gates} | ({site.address} if site.gate == other.gate else set())


def pair_class(one, two):
    """
    What RFC 4787 lets one hope for: `plain` punching at once suffices, `hard` one side must be guessed, `both`, `tcp` no UDP,
    `apart` no version of IP in common. Who has a port mapped can be reached by everybody.
    """
    if not one.versions & two.versions:
        return "apart"
    if not (one.claims["udp"] and two.claims["udp"]):
        return "tcp"
    if any("maps" in site.claims for site in (one, two)):
        return "plain"
    hard = [site for site in (one, two) if site.claims["mapping"] != "independent"]
    if len(hard) == 2:
        return "both"
    if not hard:
        return "plain"
    other = two if hard[0] is one else one
    return "hard" if other.claims["filtering"] == "address-and-port" else "plain"
