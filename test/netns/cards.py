"""Machines with two network cards: the better one loses its carrier, or keeps its link and swallows everything, and is well again."""

import statistics

from carrying import Pair
from pings import Pings, watched
from shell import run as run_command
from streams import streams
from tally import must
from topology import Topology
from verdict import silence
from waiting import until

ROUNDS = 3
SIZE, INTERVAL, WARM, LOOKED_AT = 210, 0.05, 1.0, 2.0
MEDIAN, WORST = 1.0, 2.0
PUBLIC = "192.0.2.10"


class Uplinks(Topology):
    """Right has two cards, each to a gateway with a NAT of its own, and a default route by each; left is public."""

    def build(self, _):
        """Makes machines and gateways; the first card's route is the better one."""
        self.public("left", PUBLIC)
        self.namespace("right")
        for number in (1, 2):
            self.gate(f"gate{number}", f"192.0.2.2{number}", f"10.{number}.0")
            self.card("right", f"card{number}", f"gate{number}", f"10.{number}.0", "metric", str(100 * number))
            # As who manages the network does, who takes the routes of a card without carrier away.
            run_command(*self.inside("right", "sysctl", "-qw", f"net.ipv4.conf.card{number}.ignore_routes_with_linkdown=1"))


class Twins(Topology):
    """Left and right each have a card in two networks, which nothing joins; each network is a bridge."""

    NETS = ("198.51.100", "203.0.113")

    def build(self, _):
        """Makes machines and networks."""
        self.namespace("wire")
        for name in ("left", "right"):
            self.namespace(name)
        for number, net in enumerate(self.NETS, 1):
            self.ip("wire", "link", "add", f"net{number}", "type", "bridge", "stp_state", "0")
            self.ip("wire", "link", "set", f"net{number}", "up")
            for last, name in enumerate(("left", "right"), 1):
                card, port = f"card{number}", f"{name}{number}"
                self.ip("wire", "link", "add", port, "type", "veth", "peer", "name", card, "netns", self.prefix + name)
                self.ip("wire", "link", "set", port, "master", f"net{number}", "up")
                self.ip(name, "address", "add", f"{net}.{last}/24", "dev", card)
                self.ip(name, "link", "set", card, "up")

    def swallow(self, number, how):
        """Whether the bridge hands on nothing of a network; the machines' links stay up."""
        for name in ("left", "right"):
            self.ip("wire", "link", "set", "dev", f"{name}{number}", "type", "bridge_slave", "isolated", "on" if how else "off")


def run(tally, program, figures):
    """The better card loses its carrier; then, between two others, each network in turn goes on without a word."""
    lose_carrier(tally, program, figures)
    swallow(tally, program, figures)


def lose_carrier(tally, program, figures):
    """The better card loses its carrier."""
    with tally.case("of two cards with a default route each the better one loses its carrier and gets it back: pings and streams go on"), \
            Pair(program, 1500, topology=Uplinks, bootstrap=f"udp:{PUBLIC}:4433") as pair:
        def carrier(how):
            pair.line.ip("gate1", "link", "set", "lan", how)

        dies, comes = _rounds(pair, lambda: carrier("down"), lambda: carrier("up"))
        _judge(figures, "card without carrier", dies)
        _judge(figures, "card with carrier again", comes)
        streams(pair.left, pair.right, lambda: carrier("down"))


def swallow(tally, program, figures):
    """The bootstrap list leads into the first network alone, and that one is the first to swallow everything."""
    with tally.case("of two networks that two machines have in common one swallows everything, though no link goes down: they go on by the other one"), \
            Pair(program, 1500, topology=Twins, bootstrap=f"udp:{Twins.NETS[0]}.1:4433") as pair:
        silences = []
        for number in (1, 2) * ROUNDS:
            until(lambda: _networks(pair), lambda known: known == [2, 2], "each reaches the other in both networks")
            silences.append(_silence(pair, lambda number=number: pair.line.swallow(number, True)))
            pair.line.swallow(number, False)
        _judge(figures, "network that swallows everything", silences)


def _networks(pair):
    """In how many networks each of the two reaches the other."""
    found = []
    for one, two in ((pair.left, pair.right), (pair.right, pair.left)):
        paths = one.ask("trace", target=two.address, ring=False)["paths"]
        found.append(len({path["endpoint"].split(":")[0] for path in paths if path["path"] == "direct" and path["alive"]}))
    return found


def _rounds(pair, break_it, mend):
    """Silences of the worse direction, in seconds, after each change."""
    found = ([], [])
    for _ in range(ROUNDS):
        for change, silences in ((break_it, found[0]), (mend, found[1])):
            silences.append(_silence(pair, change))
    for one, two in ((pair.left, pair.right), (pair.right, pair.left)):
        until(lambda one=one, two=two: one.peer(two), lambda peer: peer.get("path") == "direct", "straight at the end")
    return found


def _silence(pair, change):
    """For how many seconds nothing came in the worse direction, from a change on; without what the computer's host took."""
    flows = [Pings(pair.line.prefix + one.name, two.address, SIZE, INTERVAL) for one, two in ((pair.left, pair.right), (pair.right, pair.left))]
    begun, ended = watched(flows, change, WARM, LOOKED_AT)
    return round(max(silence(flow.answers, begun, ended) for flow in flows), 2)


def _judge(figures, words, silences):
    figures.promised(f"{words}: silence, median", statistics.median(silences))
    figures.promised(f"{words}: silence, worst of {len(silences)}", max(silences))
    must(statistics.median(silences) < MEDIAN and max(silences) < WORST, f"{words}: silent for {silences} s")
