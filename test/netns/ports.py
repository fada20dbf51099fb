"""A gateway that maps ports when asked (a real miniupnpd) makes a machine behind a symmetric NAT reachable, and is given back what it gave."""

import pathlib
import time

import shell
from clients import lease, ping
from igd import DENY, HIGH, Igd
from tally import must
from topology import SYMMETRIC
from waiting import until
from world import BOOTSTRAP

OUTSIDE = "192.1.2.41:4433"
IPV6 = "2001:db8:4::2"
IPV6_AS_NFT = "0x20010db8000400000000000000000002"

# What is led inside: protocol (17 is UDP, 6 TCP) and port. TCP 443 is for sides that let out nothing else.
LED = (("0x11", 4433), ("0x6", 4433), ("0x6", 443))

# What a gateway without PCP makes of a request of PCP: nothing.
NO_PCP = "add table inet nopcp\nadd chain inet nopcp input { type filter hook input priority -5; }\nadd rule inet nopcp input udp dport 5351 @th,64,8 2 drop\n"


class Home:
    """The machine, its gate, and the gate's miniupnpd."""

    def __init__(self, world):
        world.topology.site("home", OUTSIDE.split(":", maxsplit=1)[0], "10.4.0", how=SYMMETRIC)
        self.world = world
        self.node = world.add("home")
        folder = pathlib.Path(world.folder) / "igd"
        folder.mkdir()
        self.igd = Igd(self.on_gate, folder, "home")

    def on_gate(self, *command):
        """A command line that runs on the gate."""
        return self.world.topology.inside("gate-home", *command)

    def mapped(self, by, led=LED):
        """Waits until ipopd says that the port is mapped; checks it against the gate's own rules. Returns the seconds."""
        wanted = {"by": by, "external": OUTSIDE, "public": True}
        seconds = until(lambda: self.node.status()["port_mapping"], lambda seen: seen == wanted, f"mapped by {by}")[1]
        until(self.igd.redirections, lambda rules: self.all_led(rules, led), "UDP and TCP are led inside")
        return seconds

    @staticmethod
    def all_led(rules, led=LED):
        """Whether these are the rules for all that is to be led inside, and no others."""
        return len(rules) == len(led) and all(any(f" {number} th dport {port} dnat ip to 10.4.0.2:{port}" in rule for rule in rules) for number, port in led)

    def with_ipv6(self):
        """Gives home an address and a default route of IPv6; returns what takes them away."""
        topology = self.world.topology
        topology.ip("gate-home", "address", "add", "2001:db8:4::1/64", "dev", "lan", "nodad")
        topology.ip("home", "address", "add", f"{IPV6}/64", "dev", "eth0", "nodad")
        link = topology.ip("gate-home", "-o", "-6", "address", "show", "dev", "lan", "scope", "link").stdout.split()[3].split("/")[0]
        topology.ip("home", "-6", "route", "add", "default", "via", link, "dev", "eth0")
        return lambda: topology.ip("home", "address", "delete", f"{IPV6}/64", "dev", "eth0")

    def pinholes(self):
        """The gate's rules that let packets in to home's IPv6 address."""
        chain = shell.run(*self.on_gate("nft", "list", "chain", "inet", "miniupnpd", "upnp_forward")).stdout
        return [line for line in chain.splitlines() if IPV6_AS_NFT in line]

    def must_be_unmapped(self):
        """The gate has no rule for us any more."""
        until(self.igd.redirections, lambda rules: not rules, "the mapping is deleted")


def run(tally, world, figures):
    """Every protocol in turn at one gate."""
    home = Home(world)

    def explain(error):
        return [*world.explain(error), *(f"miniupnpd: {line}" for line in home.igd.tail())]

    try:
        _pcp(tally, world, home, figures)
        for by, how, words in (
                ("nat-pmp", {"pcp": True}, "a gateway that knows NAT-PMP only"),
                ("upnp", {"upnp": True}, "an Internet Gateway Device 2"),
                ("upnp", {"upnp": True, "first": True, "rules": HIGH}, "an Internet Gateway Device 1 that keeps the ports below 1024 to itself")):
            with tally.case(f"{words} maps the port, and takes the mapping away at an orderly stop", explain):
                if by == "nat-pmp":
                    shell.run(*home.on_gate("nft", "-f", "-"), text_in=NO_PCP)
                home.igd.start(**how)
                home.node.start(BOOTSTRAP)
                figures.promised(f"mapped by {by} ({words}) after", home.mapped(by, LED[:2] if "rules" in how else LED))
                must(home.node.stop() == 0, "ipopd did not end well")
                home.must_be_unmapped()
            if by == "nat-pmp":
                shell.run(*home.on_gate("nft", "delete", "table", "inet", "nopcp"))
            home.node.end()
            home.igd.stop()
        with tally.case("with IPv6 behind a firewall, PCP opens it for the machine's own address and closes it at an orderly stop", explain):
            take_away = home.with_ipv6()
            try:
                home.igd.start(pcp=True)
                home.node.start(BOOTSTRAP)
                until(home.pinholes, lambda rules: len(rules) == len(LED) and all("dport 4433" in rule or "dport 443 " in rule for rule in rules),
                      "holes for UDP and TCP over IPv6")
                until(home.node.tail, lambda lines: any(f"leads [{IPV6}]:4433 here, by pcp" in line for line in lines), "the log says so")
                must(home.node.stop() == 0, "ipopd did not end well")
                until(home.pinholes, lambda rules: not rules, "the hole is closed")
            finally:
                take_away()
        home.node.end()
        home.igd.stop()
        with tally.case("a gateway that refuses is no harm: no mapping, and the machine is on the ring"):
            home.igd.start(pcp=True, upnp=True, rules=DENY)
            home.node.start(BOOTSTRAP)
            until(home.node.status, lambda status: status["ring"]["joined"], "home is on the ring")
            until(home.igd.has_refused, bool, "it was asked and refused")
            time.sleep(3)
            must(home.node.status()["port_mapping"] is None, f"mapped: {home.node.status()['port_mapping']}")
            must(not home.igd.redirections(), f"the gate's rules: {home.igd.redirections()}")
    finally:
        home.node.end()
        home.igd.kill()


def _pcp(tally, world, home, figures):
    with tally.case("a gateway with PCP maps the port"):
        home.igd.start(pcp=True, upnp=True)
        home.node.start(BOOTSTRAP)
        figures.promised("mapped by pcp after", home.mapped("pcp"))
    with tally.case("behind a symmetric NAT with PCP, a port-restricted site is reached directly, which it is not without"):
        lease(home.node)
        must(ping(home.node, world.two.address) == 1, "the first ping was lost")
        for near, far in ((home.node, world.two), (world.two, home.node)):
            until(lambda near=near, far=far: near.peer(far), lambda peer: peer.get("path") == "direct", f"{near.name} -> {far.name}")
    with tally.case("a gateway that was switched off and on, and says so, is asked again at once"):
        # A clock that fell back by less than about two seconds tells nothing (RFC 6887 section 8.5).
        time.sleep(5)
        home.igd.kill()
        home.igd.start(pcp=True, upnp=True)
        _, seconds = until(home.igd.redirections, home.all_led, "mapped again")
        figures.promised("mapped again after the gateway's restart", seconds)
    with tally.case("an orderly stop gives the port back"):
        must(home.node.stop() == 0, "ipopd did not end well")
        home.must_be_unmapped()
    home.node.end()
    home.igd.stop()
