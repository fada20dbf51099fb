"""The last released daemon beside today's in one pool, with the one as the first node and then with the other; and a machine that changes from one to the other and back."""

import pathlib
import shutil
import tempfile
import time

from carrying import Pair, talk
from certified import BOOTSTRAP, Certified
from clients import dig, lease, ping
from node import Node
from nodes import Nodes
from pings import Pings, watched
from released import Shelf
from service import Service
from streams import streams
from tally import must
from upgrading import main_process, tap
from verdict import silence
from waiting import until

POOL = "mixing"
# Name, public address, network behind a NAT of its own, and whether the first node's build runs there. Those behind NATs are of two builds.
PLACES = (
    ("boot", "192.0.2.10", None, True), ("near", "192.0.2.21", "10.1.0", False), ("far", "192.0.2.22", "10.2.0", True),
    ("other", "192.0.2.30", None, False), ("moved", "192.0.2.31", None, True))
CUT = "table ip cut { chain forward { type filter hook forward priority -1; ip saddr 192.0.2.22 drop; ip daddr 192.0.2.22 drop; }\n}\n"
SIZE, INTERVAL, WARM, LOOKED_AT = 210, 0.05, 1.0, 6.0
SILENT_AT_MOST = 3.0
# Records and leases live for 600 s.
OUTLIVED, LEASE_AGAIN = 660, 150
AGREED = 60


class Mixed(Nodes):
    """Five nodes, of two builds by turns."""

    def __init__(self, first, second):
        super().__init__()
        for name, public, lan, is_first in PLACES:
            if lan:
                self.topology.site(name, public, lan)
            else:
                self.topology.public(name, public)
            self.nodes[name] = Node(self.topology, name, self.folder.name, first if is_first else second, POOL)

    def pairs(self):
        """Each two, both ways."""
        return [(one, two) for one in self.nodes.values() for two in self.nodes.values() if one is not two]

    def join(self):
        """All start; each gets an address by DHCP."""
        for node in self.nodes.values():
            node.start("" if node.name == "boot" else BOOTSTRAP)
            until(node.status, lambda status: status["ring"]["joined"], f"{node.name} joins")
            lease(node)

    def must_be_straight(self):
        """Everybody's ping is answered by everybody, and goes straight."""
        for one, two in self.pairs():
            must(ping(one, two.address) == 1, f"no answer from {two.name} to {one.name}")
        for one, two in self.pairs():
            until(lambda one=one, two=two: one.peer(two), lambda peer: peer.get("path") == "direct", f"{one.name} -> {two.name} is straight")

    def must_have_names(self):
        """Everybody finds everybody's name."""
        for one, two in self.pairs():
            wanted = ("NOERROR", [two.address])
            until(lambda one=one, two=two: dig(one, f"{two.name}.{POOL}.internal", "A"), lambda got, wanted=wanted: got == wanted,
                  f"{one.name} finds {two.name}", limit=AGREED)

    def cut(self, change):
        """Seconds of silence between the two behind NATs as their straight path changes, without what the computer's host took."""
        near, far = self.nodes["near"], self.nodes["far"]
        flows = [Pings(self.topology.prefix + one.name, two.address, SIZE, INTERVAL) for one, two in ((near, far), (far, near))]
        begun, ended = watched(flows, change, WARM, LOOKED_AT)
        return max(silence(flow.answers, begun, ended) for flow in flows)


def run(tally, today, figures):
    """The last release is built unless it is in the cache."""
    built = []
    with tally.case("the last release is built of its commit, and is what was released"):
        shelf = Shelf()
        release = shelf.last()
        program, sure = shelf.program(release)
        print(f"  {release.version}: {sure}")
        built.append(str(program))
    if built:
        play(tally, built[0], today, figures)


def play(tally, released, today, figures):
    """All of it. Both pools live at the same time, since most of it is waiting for records to run out."""
    with Mixed(released, today) as old, Mixed(today, released) as new:
        pools = (("the last release is the first node", old, (released, today)), ("today's is the first node", new, (today, released)))
        for words, pool, builds in pools:
            _live(tally, words, pool, figures, builds)
        begun = time.monotonic()
        for words, _, builds in pools:
            with Certified(*builds, POOL) as certified:
                _revoke(tally, words, certified)
        _in_place(tally, released, today)
        _outlive(tally, pools, begun)


def _live(tally, words, pool, figures, builds):
    near, far, moved = (pool.nodes[name] for name in ("near", "far", "moved"))
    with tally.case(f"{words}: all join and get addresses by DHCP, no two the same"):
        pool.join()
        addresses = [node.address for node in pool.nodes.values()]
        must(None not in addresses and len(set(addresses)) == len(addresses), f"{addresses}")
    with tally.case(f"{words}: each reaches each straight, two builds behind NATs too"):
        pool.must_be_straight()
    with tally.case(f"{words}: each finds each by name"):
        pool.must_have_names()
    with tally.case(f"{words}: two streams, one each way between the builds, arrive whole"):
        streams(near, far, lambda: None)
    with tally.case(f"{words}: a path between the builds that is cut is replaced, and is straight again when it is not"):
        quiet = pool.cut(lambda: pool.topology.nft("gate-near", CUT))
        figures.promised(f"{words}: path cut: silence", quiet)
        must(quiet < SILENT_AT_MOST, f"silent for {quiet:.2f} s")
        for one, two in ((near, far), (far, near)):
            must(one.peer(two)["path"] != "direct", f"{one.peer(two)}")
        pool.topology.nft("gate-near", "delete table ip cut")
        for one, two in ((near, far), (far, near)):
            until(lambda one=one, two=two: (ping(one, two.address), one.peer(two))[1], lambda peer: peer.get("path") == "direct", "straight again", limit=AGREED)
    former = moved.status()
    for word, program in (("changes to the other build", builds[1]), ("changes back", builds[0])):
        with tally.case(f"{words}: a machine {word} with the same state: same node, address and name"):
            _change(pool, moved, program, former)
            pool.must_be_straight()
            pool.must_have_names()


def _outlive(tally, pools, begun):
    addresses = {id(node): node.address for _, pool, _ in pools for node in pool.nodes.values()}
    wrong = []
    while time.monotonic() < begun + OUTLIVED:
        time.sleep(LEASE_AGAIN)
        wrong += [node.name for _, pool, _ in pools for node in pool.nodes.values() if lease(node)["ip"] != addresses[id(node)]]
    for words, pool, _ in pools:
        with tally.case(f"{words}: when every record would have run out, all names and addresses stand, renewed across the builds"):
            must(not wrong, f"others got another address when they asked again: {wrong}")
            pool.must_be_straight()
            pool.must_have_names()


def _change(pool, node, program, former):
    must(node.stop() == 0, "it does not stop in order")
    node.program = program
    node.start(BOOTSTRAP)
    until(node.status, lambda now: (now["node"], now["address"]) == (former["node"], former["address"]), f"{node.name} is who it was, where it was")
    until(lambda: ping(pool.nodes["near"], former["address"], patience=1), lambda got: got == 1, "it is reached again")


def _revoke(tally, words, pool):
    with tally.case(f"{words}: machines with certificates of the other build's CA reach each other"):
        pool.join()
        for one in pool.nodes.values():
            for two in pool.nodes.values():
                must(one is two or ping(one, two.address) == 1, f"no answer from {two.name} to {one.name}")
                must(one is two or one.peer(two)["certified"], f"{one.name} does not believe {two.name}: {one.peer(two)}")
    with tally.case(f"{words}: a notice reaches both builds, and both refuse the machine whose certificate was taken back"):
        gone = pool.nodes["gone"].address
        pool.serve()
        pool.revoke("gone")
        until(pool.revocations, lambda known: set(known.values()) == {1}, "everybody has the notice", limit=AGREED, pause=0.5)
        for name in ("manager", "one", "two"):
            until(lambda name=name: ping(pool.nodes[name], gone, patience=1), lambda got: got == 0, f"{name} refuses it")


def _in_place(tally, released, today):
    with tempfile.TemporaryDirectory(prefix="wow-netns-") as folder:
        place = pathlib.Path(folder) / "dotnet"
        shutil.copytree(pathlib.Path(released).parent, place)
        with Pair(today, 1500, right=lambda *where: _service(where, place)) as pair:
            talk(pair)
            for word, program in (("today's in the release's place", today), ("the release in today's place", released)):
                with tally.case(f"{word} under systemd keeps tap, address and TCP streams"):
                    _replace(pair, place, program)


def _service(where, place):
    line, name, folder, _, pool = where
    return Service(line, name, folder, str(place / "ipopd"), pool)


def _replace(pair, place, program):
    service = pair.right
    before, address, process = tap(service), service.address, main_process(service)

    def again():
        for file in place.iterdir():
            file.unlink()
        shutil.copytree(pathlib.Path(program).parent, place, dirs_exist_ok=True)
        service.systemctl("restart", "ipopd.service")
        until(lambda: main_process(service), lambda now: now not in (0, process), "systemd starts another ipopd")
        until(service.answers, lambda answers: answers, "the control socket answers")

    streams(pair.left, service, again)
    must(tap(service) == before, f"{before} became {tap(service)}")
    must(service.address == address, f"{service.address} instead of {address}")
