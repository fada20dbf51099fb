"""What one machine sends the other goes by one router, and what comes back by another one: plain routers, routers with a NAT each, and NATs that let nothing in."""

import re

from carrying import Pair
from clients import ping
from node import Node
from shell import run as run_command
from streams import streams
from tally import must
from topology import Topology
from waiting import until

LEFT, RIGHT, HUB = "198.51.100.1", "203.0.113.1", "192.0.2.10"
ROUTERS = (("there", "10.0.1", "10.0.2"), ("back", "10.0.3", "10.0.4"))
# Where each one's packets go.
OUT = {"there": "right", "back": "left"}
NAT = 'table ip nat {{ chain out {{ type nat hook postrouting priority srcnat; oifname "{out}" masquerade; }}\n}}\n'
# A NAT that maps what goes one way, and whose other way is shut, as where what comes back takes another road.
ONE_WAY = 'table ip way {{ chain forward {{ type filter hook forward priority 0; iifname "{out}" drop; }}\n}}\n'
COUNT = """table ip seen {{
  counter with_it {{ }}
  counter against {{ }}
  chain forward {{
    type filter hook forward priority -10;
    meta l4proto udp oifname "{out}" counter name with_it
    meta l4proto udp oifname != "{out}" counter name against
  }}
}}
"""


class Crossed(Topology):
    """
    left --there--> right, right --back--> left; the hub, which is the first node, has a wire of its own to each. Left and right have one address each, on no card, so what they
    send is by their default routes alone.
    """

    def build(self, _):
        """Makes all of it; no NAT yet."""
        for name in ("left", "right", "hub", *(name for name, _, _ in ROUTERS)):
            self.namespace(name)
            for key in (f"net.ipv4.ip_forward={int(name in OUT)}", "net.ipv4.conf.all.rp_filter=0", "net.ipv4.conf.default.rp_filter=0"):
                run_command(*self.inside(name, "sysctl", "-qw", key))
        for name, left, right in ROUTERS:
            self._wire("left", name, left, name, "left")
            self._wire("right", name, right, name, "right")
            self.ip(name, "route", "add", LEFT, "via", f"{left}.2")
            self.ip(name, "route", "add", RIGHT, "via", f"{right}.2")
        self.ip("hub", "address", "add", f"{HUB}/32", "dev", "lo")
        for name, own, net, way in (("left", LEFT, "10.0.5", f"{ROUTERS[0][1]}.1"), ("right", RIGHT, "10.0.6", f"{ROUTERS[1][2]}.1")):
            self.ip(name, "address", "add", f"{own}/32", "dev", "lo")
            self._wire(name, "hub", net, "hub", name)
            self.ip(name, "route", "add", "default", "via", way, "src", own)
            self.ip(name, "route", "add", HUB, "via", f"{net}.1", "src", own)
            self.ip("hub", "route", "add", own, "via", f"{net}.2", "src", HUB)

    def _wire(self, machine, card, net, router, inward):
        """A wire between a machine, .2 on it, and a router, .1."""
        self.ip(machine, "link", "add", card, "type", "veth", "peer", "name", inward, "netns", self.prefix + router)
        for name, interface, last in ((machine, card, 2), (router, inward, 1)):
            self.ip(name, "address", "add", f"{net}.{last}/24", "dev", interface)
            self.ip(name, "link", "set", interface, "up")


def run(tally, program, figures):
    """Three kinds of routers."""
    for words, rules, wanted in (("", (), "direct"), (", each with a NAT", (NAT,), "direct"), (", each with a NAT that nothing comes back by", (NAT, ONE_WAY), "relay")):
        with tally.case(f"what goes there and what comes back take two routers{words}: {wanted}, and both streams arrive whole"), Trio(program, rules) as pair:
            # Where both ends open the same ports through two NATs one of these may take another port as packets are under way, which are lost then (1 of 16 pings).
            both = (pair.left, pair.right), (pair.right, pair.left)
            each = 3 if rules else 1
            got = [ping(one, two.address, count=each) for one, two in both]
            must(sum(got) >= 2 * each - bool(rules), f"of the first pings, {each} each way, {got} were answered")
            for one, two in both:
                until(lambda one=one, two=two: (ping(one, two.address), one.peer(two))[1], lambda peer: peer.get("path") == wanted, f"{one.name} -> {two.name}")
            settled = [ping(one, two.address, count=3, interval=0.2) for one, two in both]
            must(settled == [3, 3], f"of 3 pings each way {settled} were answered, on paths that were there")
            streams(pair.left, pair.right, lambda: None)
            for one, two in both:
                must(one.peer(two).get("path") == wanted, f"{one.name} -> {two.name}: {one.peer(two)}")
            if not rules:
                pair.must_be_crossed()


class Trio(Pair):
    """The two, and the hub as the first node."""

    def __init__(self, program, rules):
        super().__init__(program, 1500, topology=Crossed, bootstrap=f"udp:{HUB}:4433")
        self._rules = rules
        self._hub = Node(self.line, "hub", self.folder.name, program, "carrying")

    def _begin(self):
        self.line.build(None)
        for router, out in OUT.items():
            for rules in (COUNT, *self._rules):
                self.line.nft(router, rules.format(out=out))
        self.join(self._hub)
        for node in (self.left, self.right):
            self.join(node, self.bootstrap)

    def __exit__(self, *arguments):
        self._hub.end()
        super().__exit__(*arguments)

    def must_be_crossed(self):
        """Each router saw packets of one direction alone."""
        for router in OUT:
            with_it, against = (int(count) for count in re.findall(r"packets (\d+)", self.line.nft(router, None).stdout))
            must(with_it > 100 and against == 0, f"{router}: {with_it} packets its way, {against} against it")
