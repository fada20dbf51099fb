"""A machine that vanishes without a word, as one without power: who connects there hears so at once, and who is connected loses nothing when it is back.

Three public nodes of a pool of their own. As behind IPsec nothing answers in the place of the one that is gone: its neighbour entry is permanent, and ICMP errors
are dropped.
"""

import pathlib
import subprocess
import tempfile
import threading
import time

from clients import lease, ping
from node import Node
from tally import must
from topology import Topology
from waiting import until

HERE = str(pathlib.Path(__file__).resolve().parent)
HUB, ONE, TWO = "192.0.2.10", "192.0.2.11", "192.0.2.12"
BOOTSTRAP = f"udp:{HUB}:4433"
GATEWAY = "02:57:4f:57:00:01"
# What behind IPsec does not reach the socket that it is for.
MUTE = "table ip mute { chain input { type filter hook input priority 0; iifname wow0 icmp type destination-unreachable drop; }\n}\n"
# Longer than ipopd remembers a peer that does not answer (75 s); TCP tries again after 51 and 102 s.
AWAY = 95
# TCP's next try, and a second for the link.
GOES_ON = 102.4 + 3 - AWAY
# Three seconds of silence, a try of TCP's, two seconds to be sure, and many times that for a loaded machine; TCP by itself tries for two minutes.
KNOWN = 30
# Less than those three seconds, after which who did not know it yet would have heard.
AT_ONCE = 2.5

CONNECT = """
import socket, sys
sys.path.insert(0, sys.argv[2])
from pressure import moment, passed
begin = moment()
with socket.socket() as to:
    to.settimeout(60)
    try:
        to.connect((sys.argv[1], 9))
    except OSError as error:
        print(error.errno, passed(begin, moment()))
"""
UNREACHABLE, ABORTED = 113, 103
# Two lines a second.
SEND = """
import socket, sys, time
with socket.create_connection((sys.argv[1], 7000), 240) as to:
    to.settimeout(None)
    for number in range(100000):
        to.sendall(b"%09d\\n" % number)
        time.sleep(0.5)
"""
TAKE = """
import socket
with socket.create_server(("", 7000)) as door, door.accept()[0] as taken, taken.makefile("rb") as lines:
    for number, line in enumerate(lines):
        assert int(line) == number, line
        print(number, flush=True)
"""


class Three:
    """A hub, and two machines of which one vanishes."""

    def __init__(self, program):
        self.topology = Topology()
        self.folder = tempfile.TemporaryDirectory(prefix="wow-netns-")
        self.hub, self.one, self.two = (Node(self.topology, name, self.folder.name, program, "vanishing") for name in ("hub", "one", "two"))
        self.addresses = {}

    def __enter__(self):
        try:
            for node, public in ((self.hub, HUB), (self.one, ONE), (self.two, TWO)):
                self.topology.public(node.name, public)
                self.begin(node)
                self.addresses[node.name] = node.address
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for node in (self.hub, self.one, self.two):
            node.end()
        self.topology.close()
        self.folder.cleanup()

    def begin(self, node):
        """A node starts and has an address."""
        node.start("" if node is self.hub else BOOTSTRAP)
        until(node.status, lambda status: status["ring"]["joined"], f"{node.name} joins")
        lease(node)

    def cut(self, is_cut):
        """Pulls the cable of the one that vanishes, or plugs it in."""
        self.topology.ip("two", "link", "set", "wan", "down" if is_cut else "up")

    def gone(self, node):
        """The addresses that a node's kernel holds to be unreachable."""
        return [line.split()[1] for line in node.run("ip", "route", "show", "type", "unreachable", "proto", "87").stdout.splitlines()]

    def connect(self, patience=60):
        """How a connection to the one that vanished ends: the error's number, and after how many seconds without what the computer's host took."""
        said = self.one.run("python3", "-c", CONNECT, self.addresses["two"], HERE, timeout=patience + 240).stdout.split()
        return (int(said[0]), float(said[1])) if said else None


def run(tally, program):
    """All of it."""
    with Three(program) as three:
        two = three.addresses["two"]
        three.one.run("ip", "neigh", "replace", two, "lladdr", GATEWAY, "dev", "wow0", "nud", "permanent")
        three.topology.nft("one", MUTE)
        must(ping(three.one, two, count=3, interval=0.2) == 3, "they do not reach each other")
        _away(tally, three, two)
        with tally.case("kill -9 leaves the route behind, and the next ipopd takes it away at its start"):
            three.cut(True)
            _vanish(three, two)
            three.one.kill()
            must(three.gone(three.one) == [two], "there is nothing to take away")
            three.begin(three.one)
            must(three.gone(three.one) == [], "the route is still there")


def _away(tally, three, two):
    """It is away for longer than ipopd remembers who does not answer."""
    with subprocess.Popen(three.two.inside("python3", "-u", "-c", TAKE), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as taker:
        until(lambda: three.two.run("ss", "-Hltn", "sport", "=", ":7000").stdout, bool, "somebody listens")
        with subprocess.Popen(three.one.inside("python3", "-c", SEND, two), stdin=subprocess.DEVNULL) as sender:
            came = []
            threading.Thread(target=lambda: came.extend(map(int, taker.stdout)), daemon=True).start()
            try:
                _stream(tally, three, two, came, sender)
            finally:
                sender.kill()
                taker.kill()


def _stream(tally, three, two, came, sender):
    """What happens to a connection that stands. came: numbers of the lines that arrived, which the receiver looks at one by one."""
    until(lambda: len(came), lambda count: count >= 4, "the stream flows")
    with tally.case("a machine vanishes: who is connecting there hears so within seconds, who connects then at once, and of the others nothing is said"):
        three.cut(True)
        began = time.monotonic()
        pending = three.connect()
        must(pending and pending[0] in (ABORTED, UNREACHABLE) and pending[1] < KNOWN, f"it ended with {pending}")
        print(f"     a connection that had begun ended after {pending[1]:.1f} s, without the host's share")
        for _ in range(3):
            later = three.connect()
            must(later and later[0] == UNREACHABLE and later[1] < AT_ONCE, f"it ended with {later}")
        must(three.gone(three.one) == [two], f"{three.gone(three.one)} are gone")
        must(ping(three.one, three.addresses["hub"], count=3, interval=0.2) == 3, "the others are not reached")
    with tally.case("the one that has lost its own network holds nobody to be gone"):
        ping(three.two, three.addresses["one"], count=20, interval=0.5, patience=1)
        must(three.gone(three.two) == [], f"{three.gone(three.two)} are gone")
    with tally.case(f"it is back after {AWAY} s: the open connection goes on with its next try, and nothing of it is lost; new ones stand at once"):
        time.sleep(max(0, began + AWAY - time.monotonic()))
        must(three.gone(three.one) == [two], "it is not gone any more")
        before = len(came)
        three.cut(False)
        _, took = until(lambda: len(came), lambda count: count > before, "the stream goes on", limit=GOES_ON)
        print(f"     the stream went on {took:.1f} s after the return, without the host's share")
        must(sender.poll() is None, "its sender ended")
        until(lambda: three.gone(three.one), lambda gone: gone == [], "the route is gone")
        until(lambda: len(came), lambda count: count > 2 * AWAY, "all that was sent meanwhile is there")
        must(ping(three.one, two, count=3, interval=0.2) == 3, "they do not reach each other")


def _vanish(three, two):
    """Waits until one knows of the other that it is gone."""
    until(lambda: (three.connect(), three.gone(three.one))[1], lambda gone: gone == [two], "one holds two to be gone")
