"""A machine with two network cards of which the better one loses its carrier, and gets it back."""

import statistics
import time

from carrying import Pair
from pings import Pings
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


def run(tally, program, figures):
    """The better card loses its carrier."""
    with tally.case("of two cards with a default route each the better one loses its carrier and gets it back: pings and streams go on"), \
            Pair(program, 1500, topology=Uplinks, bootstrap=f"udp:{PUBLIC}:4433") as pair:
        def carrier(how):
            pair.line.ip("gate1", "link", "set", "lan", how)

        dies, comes = _rounds(pair, lambda: carrier("down"), lambda: carrier("up"))
        _judge(figures, "card without carrier", dies)
        _judge(figures, "card with carrier again", comes)
        streams(pair.left, pair.right, lambda: carrier("down"))


def _rounds(pair, break_it, mend):
    """Silences of the worse direction, in seconds, after each change."""
    found = ([], [])
    for _ in range(ROUNDS):
        for change, silences in ((break_it, found[0]), (mend, found[1])):
            flows = [Pings(pair.line.prefix + one.name, two.address, SIZE, INTERVAL) for one, two in ((pair.left, pair.right), (pair.right, pair.left))]
            time.sleep(WARM)
            begun = time.monotonic()
            change()
            time.sleep(LOOKED_AT)
            for flow in flows:
                flow.end()
            ended = time.monotonic()
            silences.append(round(max(silence(flow.answers, begun, ended) for flow in flows), 2))
    for one, two in ((pair.left, pair.right), (pair.right, pair.left)):
        until(lambda one=one, two=two: one.peer(two), lambda peer: peer.get("path") == "direct", "straight at the end")
    return found


def _judge(figures, words, silences):
    figures.add(f"{words}: silence, median", statistics.median(silences), "s")
    figures.add(f"{words}: silence, worst of {ROUNDS}", max(silences), "s")
    must(statistics.median(silences) < MEDIAN and max(silences) < WORST, f"{words}: silent for {silences} s")
