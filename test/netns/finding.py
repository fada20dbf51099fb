"""Nodes on one bridge that find each other without a living bootstrap: by multicast, by peers that they remember on disk."""

import json
import time

from tally import must
from waiting import until

DEAD = "udp:192.0.2.99:4433"


def run(tally, world, figures):
    """Pools of their own on the public network; nobody has DEAD."""
    for number, name in enumerate(("lan-one", "lan-two", "lan-deaf", "old-boot", "old-one", "old-two")):
        world.topology.public(name, f"192.0.2.{70 + number}")
    multicast(tally, world, figures)
    remembered(tally, world, figures)


def joined(node):
    """Whether it has a link to a member: a first node is on its own ring without any."""
    return node.status()["ring"]["connections"] > 0


def direct(near, far):
    """Waits until one reaches the other straight."""
    until(lambda: near.peer(far), lambda peer: peer.get("path") == "direct", f"{near.name} -> {far.name} becomes direct")


def multicast(tally, world, figures):
    """No bootstrap entry that answers, but one secret."""
    one, two, deaf = (world.add(name, "lan", multicast=True) for name in ("lan-one", "lan-two", "lan-deaf"))
    with tally.case("two nodes on one bridge find each other by multicast: the first has no bootstrap entry, the second a dead one"):
        one.start()
        until(one.status, lambda status: status["ring"]["joined"], "the first node begins a ring")
        begin = time.monotonic()
        two.start(DEAD)
        until(lambda: joined(two) and joined(one), lambda both: both, "they are linked", limit=15)
        figures.add("multicast: start of the second to linked", time.monotonic() - begin, "s")
        must(one.peer(two).get("path") == "direct", f"the path is {one.peer(two)}")
        # The kernel's list of groups has them in hexadecimal, back to front.
        must("4F57FFEF" in two.run("cat", "/proc/net/igmp").stdout, "two is not in the group")

    with tally.case("with multicast = no nobody is asked, and the overlay's port is nobody else's"):
        deaf.options["udp"]["multicast"] = "no"
        deaf.start(DEAD)
        time.sleep(4)
        must(not joined(deaf), "it found the ring")
        must("4F57FFEF" not in deaf.run("cat", "/proc/net/igmp").stdout, "it is in the group")
        steal = "import socket as s; u = s.socket(s.AF_INET6, s.SOCK_DGRAM); u.setsockopt(s.SOL_SOCKET, s.SO_REUSEADDR, 1); u.bind(('::', 4433))"
        must("Address already in use" in two.run("python3", "-c", steal, check=False).stdout, "a program could take the overlay's port")


def remembered(tally, world, figures):
    """One first node that everybody has as bootstrap, two others."""
    boot, one, two = (world.add(name, "old") for name in ("old-boot", "old-one", "old-two"))
    boot.start()
    one.start("udp:192.0.2.73:4433")
    two.start("udp:192.0.2.73:4433")
    for near, far in ((one, two), (two, one), (boot, one)):
        direct(near, far)

    with tally.case("a node that stops keeps where members were reached, without the bootstrap, for root's eyes"):
        must(one.stop() == 0, "exit code")
        file = one.folder / "state" / "peers.json"
        must(json.loads(file.read_text(encoding="ascii")) == {"peers": ["udp:192.0.2.75:4433"]}, file.read_text(encoding="ascii"))
        must(file.stat().st_mode & 0o777 == 0o600, "everybody may read it")

    with tally.case("its bootstrap is dead: it comes back by its remembered peers"):
        begin = time.monotonic()
        one.start(DEAD)
        until(lambda: joined(one), lambda there: there, "one is back", limit=15)
        figures.add("remembered peers: start to linked, bootstrap dead", time.monotonic() - begin, "s")

    with tally.case("the first node, which has no list, comes back to its ring by its remembered peers"):
        direct(boot, one)
        direct(boot, two)
        must(boot.stop() == 0, "exit code")

        # Whose bootstrap it is would call it: that is not what is to be seen here.
        must(two.stop() == 0, "exit code")
        begin = time.monotonic()
        boot.start()
        until(lambda: joined(boot), lambda there: there, "boot is back", limit=15)
        figures.add("remembered peers: restart of the first node to linked", time.monotonic() - begin, "s")

    with tally.case("a damaged peers.json is no reason not to start"):
        boot.stop()
        (boot.folder / "state" / "peers.json").write_text('{"peers": ["udp:239.255.87.79:4433", 5', encoding="ascii")
        boot.start()
        until(boot.status, lambda status: status["ring"]["joined"], "it starts")
