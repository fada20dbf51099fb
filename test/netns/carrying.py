"""What paths carry: jumbo frames, a narrow network, one that becomes narrow under a stream, and one that swallows what is long."""

import re
import subprocess
import tempfile
import threading
import time

import iperf
from clients import lease, ping
from node import Node
from pressure import moment
from shell import run as run_command
from tally import must
from topology import Topology
from waiting import until

LEFT, RIGHT = "198.51.100", "203.0.113"
OVERHEAD = 28 + 33
# What a path of 1,300 is found to carry.
NARROW = range(1300 - OVERHEAD - 40, 1300 - OVERHEAD + 1)
SECONDS = 14
# What passed is asked again 5 s after it was learnt, and a doubt waits for a quarter of a second then.
BEFORE_CONFIRMED = 2.5
# A pong's time until it is doubted, which is 0.2 s here, and a round trip; a quarter of a second more where the path was asked just before.
NOTICED = 1.5
# TCP tries again 0.2, 0.6 and 1.4 s after what it sent last was swallowed: one of the first two has to pass.
STALLS = 1.0
# As a filter that drops what it can't hand on, without a word; fragments too.
HOLE = "table ip hole {{ chain forward {{ type filter hook forward priority 0; ip length > {mtu} drop; }}\n}}\n"


class Line(Topology):
    """left - router - right, with a MTU of its own on each wire."""

    def build(self, mtu):
        """Makes the three."""
        for name in ("left", "router", "right"):
            self.namespace(name)
        for name, net in (("left", LEFT), ("right", RIGHT)):
            self.ip("router", "link", "add", name, "mtu", str(mtu), "type", "veth", "peer", "name", "wire", "netns", self.prefix + name)
            self.ip(name, "link", "set", "wire", "mtu", str(mtu), "up")
            self.ip("router", "link", "set", name, "up")
            self.ip("router", "address", "add", f"{net}.1/24", "dev", name)
            self.ip(name, "address", "add", f"{net}.2/24", "dev", "wire")
            self.ip(name, "route", "add", "default", "via", f"{net}.1")
        # Runs must be cut as on a wire, else a MTU between says nothing.
        for name in ("left", "right"):
            self.keep_runs(name, "wire", False)
        run_command(*self.inside("router", "sysctl", "-qw", "net.ipv4.ip_forward=1"))


class Pair:
    """Two ipopds at the ends of a line; the right one may be of another kind."""

    def __init__(self, program, mtu, right=Node, topology=Line, bootstrap=f"udp:{LEFT}.2:4433"):
        self._mtu = mtu
        self.bootstrap = bootstrap
        self.line = topology()
        self.folder = tempfile.TemporaryDirectory(prefix="wow-netns-")
        self.left, self.right = (
            kind(self.line, name, self.folder.name, program, "carrying") for name, kind in (("left", Node), ("right", right)))

    def __enter__(self):
        try:
            self._begin()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _begin(self):
        self.line.build(self._mtu)
        self.join(self.left)
        self.join(self.right, self.bootstrap)

    def join(self, node, bootstrap=""):
        """A node starts, and gets an address when it is on the ring."""
        node.start(bootstrap)
        until(node.status, lambda status: status["ring"]["joined"], f"{node.name} joins")
        lease(node)

    def __exit__(self, *_):
        for node in (self.left, self.right):
            node.end()
        self.line.close()
        self.folder.cleanup()

    def mtu(self):
        """What left says of the path to right."""
        return self.left.peer(self.right).get("mtu")

    def route(self):
        """The MTU of left's route to right."""
        said = self.left.run("ip", "route", "get", self.right.address).stdout
        found = re.search(r"mtu (\d+)", said)
        return int(found.group(1)) if found else None

    def stream(self, seconds, change=None):
        """TCP from left to right, something happening well before what was just learnt is asked again; returns Mbit/s of the last third and the longest gap in seconds
        without what the computer's host took."""
        target = self.right.address
        with subprocess.Popen(self.right.inside("iperf3", "-s", "-1", "-B", target), stdout=subprocess.DEVNULL) as server:
            until(lambda: self.right.run("ss", "-Hltn", "sport", "=", ":5201").stdout, bool, "iperf3 listens")
            begun, parts = moment(), []
            with subprocess.Popen(self.left.inside("iperf3", *iperf.FORMAT, "-c", target, "-t", str(seconds), "-i", "0.1"), stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True) as client:
                reading = threading.Thread(target=lambda: parts.extend(iperf.parts(client.stdout)))
                reading.start()
                time.sleep(BEFORE_CONFIRMED)
                if change:
                    change()
                client.wait(seconds + 60)
                reading.join()
                must(client.returncode == 0, client.stderr.read())
            server.kill()
        return iperf.rate(parts, seconds * 2 / 3), iperf.gap(parts, begun)


def talk(pair, seconds=2):
    """Packets go, so that the path is probed."""
    ping(pair.left, pair.right.address, count=int(seconds * 10), interval=0.1)


def learn(pair, wanted, rounds=15):
    """Talks until left has found that the path carries so much: every probe may be late, and its repetition too."""
    for _ in range(rounds):
        talk(pair)
        if pair.mtu() == wanted:
            break
    must(pair.mtu() == wanted, f"the path carries {pair.mtu()}, not {wanted}")
    until(pair.route, lambda mtu: mtu == wanted, f"the route has {wanted}")


def swallowed(program):
    """Mbit/s and longest gap of a stream whose path begins to swallow what is longer than 1,300 bytes, and the seconds until left knew."""
    with Pair(program, 1500) as pair:
        learn(pair, 1500 - OVERHEAD)
        noticed = []

        def begin():
            pair.line.nft("router", HOLE.format(mtu=1300))
            noticed.append(until(pair.mtu, lambda mtu: mtu is not None and mtu <= NARROW[-1], "left notices")[1])

        rate, gap = pair.stream(SECONDS, begin)
        must(pair.mtu() in NARROW, f"the path is said to carry {pair.mtu()}")
        must(pair.route() == pair.mtu(), f"the route has {pair.route()}")
        return rate, gap, noticed[0]


def narrowed(program):
    """Longest gap of a stream whose far wire becomes one of 1,300, while no ICMP says so."""
    with Pair(program, 1500) as pair:
        pair.line.nft("router", "table ip mute { chain output { type filter hook output priority 0; icmp type destination-unreachable drop; }\n}\n")
        talk(pair)
        _, gap = pair.stream(SECONDS, lambda: pair.line.ip("router", "link", "set", "right", "mtu", "1300"))
        talk(pair)
        must(pair.mtu() in NARROW, f"the path is said to carry {pair.mtu()}")
        return gap


def run(tally, program, figures):
    """All of it."""
    with tally.case("jumbo frames: the path carries 8,900 bytes and more, the kernel's route says it, packets of that length arrive in one piece"):
        with Pair(program, 9000) as pair:
            wanted = 9000 - OVERHEAD
            # Where answers are late or something was lost, jumbo frames are tried 10 s later again.
            learn(pair, wanted, rounds=60)
            must(wanted >= 8900, wanted)
            must(ping(pair.left, pair.right.address, count=5, interval=0.1, size=wanted - 28) == 5, "pings of the whole MTU")
            jumbo, gap = pair.stream(6)
            figures.add("TCP over jumbo frames (MTU 9000 below)", jumbo, "Mbit/s")
            must(gap < 1, f"nothing came for {gap:.1f} s")
            pair.left.stop()
            must("proto 87" not in pair.left.run("ip", "route").stdout, "routes are left behind")

    with tally.case("an Ethernet: 1,439 bytes; it swallows what is longer than 1,300 under a stream, without a word: the stream goes on"):
        rate, gap, noticed = swallowed(program)
        figures.promised("path swallows what is longer than 1,300 bytes: noticed after", noticed)
        figures.promised("longest gap of TCP when the path swallows what is longer than 1,300 bytes", gap)
        must(noticed <= NOTICED, f"it was noticed after {noticed:.1f} s")
        must(gap < STALLS, f"nothing came for {gap:.1f} s; it was noticed after {noticed:.1f} s")
        must(rate > 1, f"{rate:.1f} Mbit/s afterwards")

    with tally.case("an Ethernet whose far wire becomes one of 1,300 under a stream, no ICMP: the stream goes on"):
        gap = narrowed(program)
        figures.promised("longest gap of TCP when a wire becomes one of 1,300 bytes and ICMP is lost", gap)
        must(gap < STALLS, f"nothing came for {gap:.1f} s")

    with tally.case("a network of 1,400 is found exactly, and an idle link asks nothing"):
        with Pair(program, 1400) as pair:
            must(pair.mtu() is None, "it was probed though nothing went")
            learn(pair, 1400 - OVERHEAD)
            plain, _ = pair.stream(4)
            figures.add("TCP over MTU 1400 below", plain, "Mbit/s")
