"""Daemons die, ways out change, bootstrap nodes come late, machines are copied."""

import re
import shutil
import time

from clients import lease, ping
from tally import must
from waiting import until
from world import BOOTSTRAP


def run(tally, world, figures):
    """kill -9, SIGTERM, a late bootstrap, a late name."""
    with tally.case("ipopd killed with -9: the interface keeps its address, the next start takes up address and peers"):
        before = world.two.status()
        world.two.kill()
        figures.promised("killed ipopd: last answer to host unreachable", until(
            lambda: world.one.run("ping", "-n", "-c", "1", "-W", "1", before["address"], check=False).stdout,
            lambda said: "Destination Host Unreachable" in said, "ping says that the host is unreachable")[1])
        must(before["address"] in world.two.run("ip", "-4", "address", "show", "wow0").stdout, "the interface lost its address")
        begin = time.monotonic()
        world.two.start(BOOTSTRAP)
        until(lambda: ping(world.one, before["address"], patience=1), lambda got: got == 1, "one reaches two again")
        figures.add("killed ipopd: start to reached again", time.monotonic() - begin, "s")
        after = until(world.two.status, lambda status: status["address"], "two has an address again")[0]
        must((after["node"], after["address"]) == (before["node"], before["address"]), f"{before} became {after}")
        must(lease(world.two)["ip"] == before["address"], "DHCP gives another address")

    with tally.case("SIGTERM: exit 0, a goodbye, the control socket is gone, the interface stays"):
        gone = world.two.status()["node"]
        must(world.two.stop() == 0, "another exit code")
        must(not world.two.socket.exists(), "the control socket is still there")
        world.two.run("ip", "link", "show", "wow0")
        until(lambda: world.one.peer(gone), lambda peer: peer.get("path") != "direct", "one sees that two is gone")
        world.two.start(BOOTSTRAP)
        until(lambda: ping(world.one, world.two.lease["ip"], patience=1), lambda got: got == 1, "one reaches two again")

    other_ways_out(tally, world, figures)
    late_bootstrap(tally, world, figures)
    late_name(tally, world, figures)
    twins(tally, world)


def other_ways_out(tally, world, figures):
    """The machine's default route goes and comes, and then its address is another one."""
    two = world.two

    def reached():
        return until(lambda: ping(two, world.one.address, patience=0.2), lambda got: got == 1, "two reaches one again")[1]

    with tally.case("a default route that went and comes back, addresses as before: the machine is on the ring again at once"):
        two.run("ip", "route", "delete", "default")
        until(lambda: world.one.peer(two), lambda peer: peer.get("path") != "direct", "one misses two")
        time.sleep(5)
        two.run("ip", "route", "add", "default", "via", "10.2.0.1")
        figures.promised("default route back: to reached again", reached())
    for before, after in (("10.2.0.2", "10.2.0.7"), ("10.2.0.7", "10.2.0.2")):
        with tally.case(f"another address, {after} in place of {before}: the machine is on the ring again at once"):
            two.run("ip", "address", "delete", f"{before}/24", "dev", "eth0")
            time.sleep(2)
            two.run("ip", "address", "add", f"{after}/24", "dev", "eth0")
            two.run("ip", "route", "replace", "default", "via", "10.2.0.1")
            figures.promised(f"address {after}: to reached again", reached())


def late_bootstrap(tally, world, figures):
    """A pool of its own on the same network."""
    with tally.case("bootstrap started 6 s late: the node joins by itself"):
        world.topology.public("early", "192.0.2.40")
        world.topology.public("late", "192.0.2.41")
        early, late = world.add("early", "other"), world.add("late", "other")
        early.start("udp:192.0.2.41:4433")
        time.sleep(6)
        must(not early.status()["ring"]["joined"], "it is on a ring without anybody")
        late.start()
        figures.promised("late bootstrap: its start to joined", until(early.status, lambda status: status["ring"]["joined"], "early joins")[1])
        lease(early)
        lease(late)
        must(ping(early, late.address) == 1, "no ping")


def late_name(tally, world, figures):
    """/etc/hosts of the namespace learns the name after the start."""
    with tally.case("a bootstrap name that does not resolve at first: the node says so, tries on and joins by itself"):
        world.topology.hosts("named", "127.0.0.1 localhost\n")
        world.topology.public("named", "192.0.2.42")
        named = world.add("named", "other")
        named.start("udp:ring.example:4433")
        until(lambda: "\n".join(named.tail()), lambda log: re.search(r"bootstrap udp:ring\.example:4433 does not resolve", log), "the log says so")
        must(not named.status()["ring"]["joined"], "joined without a name")
        world.topology.hosts("named", "127.0.0.1 localhost\n192.0.2.41 ring.example\n")
        figures.promised("late name: in DNS to joined", until(named.status, lambda status: status["ring"]["joined"], "named joins")[1])


def twins(tally, world):
    """A machine was copied after it had run, and both copies are switched on."""
    with tally.case("two machines with one key: both say so as critical, one leaves the ring and says what to do, the other goes on"):
        world.topology.public("copied", "192.0.2.43")
        early, copied = world.early, world.add("copied", "other")
        state = copied.folder / "state"
        state.mkdir()
        shutil.copy2(early.folder / "state/node.key", state)
        copied.start("udp:192.0.2.41:4433")
        both = (early, copied)
        for node in both:
            until(lambda node=node: "\n".join(node.tail(200)), lambda log: "another machine runs with the key of this node" in log, f"{node.name} says so")
        until(
            lambda: sorted((node.status()["ring"]["joined"], any(one["code"] == "twin" and "type wow reset" in one["text"] for one in node.status()["warnings"])) for node in both),
            lambda seen: seen == [(False, True), (True, False)], "one is off the ring and says what to do, the other on it")
        copied.stop()
