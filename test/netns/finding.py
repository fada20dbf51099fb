"""Nodes on one bridge that find each other without a living bootstrap: by multicast, by peers that they remember on disk."""

import json
import time

from tally import must
from waiting import until

DEAD = "udp:192.0.2.99:4433"
GROUP_SIX = "ff150000000000000000000080574f57"


def run(tally, world, figures):
    """Pools of their own on the public network; nobody has DEAD."""
    for number, name in enumerate(("lan-one", "lan-two", "lan-deaf", "old-boot", "old-one", "old-two")):
        world.topology.public(name, f"192.0.2.{70 + number}")
    for name, address in (("six-one", ["fd57::1"]), ("six-two", ["fd57::2"]), ("bare-one", []), ("bare-two", [])):
        world.topology.public(name, *address)
    multicast(tally, world, figures)
    multicast_six(tally, world, figures)
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
        until(lambda: joined(two) and joined(one), lambda both: both, "they are linked")
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


def multicast_six(tally, world, figures):
    """Machines without IPv4, two with an address of their network's, two with what every machine gives itself. No bootstrap."""
    for kind, secret in (("six", "66" * 32), ("bare", "67" * 32)):
        one, two = (world.add(f"{kind}-{number}", kind, multicast=True) for number in ("one", "two"))
        for node in (one, two):
            node.options["pool"]["secret"] = secret
            # As a container's: the kernel gives it a link-local address, too.
            world.topology.ip(node.name, "link", "add", "docker0", "type", "bridge")
            world.topology.ip(node.name, "link", "add", "veth-in", "type", "veth", "peer", "name", "veth-out")
            world.topology.ip(node.name, "link", "set", "veth-out", "master", "docker0")
            for link in ("docker0", "veth-in", "veth-out"):
                world.topology.ip(node.name, "link", "set", link, "up")

    def linked(one, two, what):
        """Starts both; returns the endpoint at which the first reaches the second."""
        one.start()
        until(one.status, lambda status: status["ring"]["joined"], "the first node begins a ring")
        begin = time.monotonic()
        two.start("udp:[2001:db8::dead]:4433")
        until(lambda: joined(two) and joined(one), lambda both: both, "they are linked")
        figures.add(f"multicast, {what}: start of the second to linked", time.monotonic() - begin, "s")
        direct(one, two)
        for node in (one, two):
            groups = [line.split()[1] for line in node.run("cat", "/proc/net/igmp6").stdout.splitlines() if GROUP_SIX in line]
            must(groups == ["wan"], f"{node.name} listens on {groups}")
            nat = node.status()["nat"]
            must(not any("fe80" in endpoint for endpoint in nat["outside"] + nat["inside"]), f"{node.name} tells of {nat}")
        return one.peer(two)["endpoint"]

    with tally.case("two nodes on a network with IPv6 alone find each other by multicast, not asked for on the overlay and towards containers"):
        endpoint = linked(world.nodes["six-one"], world.nodes["six-two"], "IPv6 alone")
        must(endpoint == "[fd57::2]:4433", f"it is reached at {endpoint}")

    with tally.case("so do two that have link-local addresses alone, which they tell nobody and do not keep"):
        endpoint = linked(world.nodes["bare-one"], world.nodes["bare-two"], "link-local addresses alone")
        must(endpoint.startswith("[fe80::") and "%" in endpoint, f"it is reached at {endpoint}")
        must(world.nodes["bare-two"].stop() == 0, "exit code")
        file = world.nodes["bare-two"].folder / "state" / "peers.json"
        must(not file.exists() or "fe80" not in file.read_text(encoding="ascii"), "it remembers a link-local address")


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
        until(lambda: joined(one), lambda there: there, "one is back")
        figures.add("remembered peers: start to linked, bootstrap dead", time.monotonic() - begin, "s")

    with tally.case("the first node, which has no list, comes back to its ring by its remembered peers"):
        direct(boot, one)
        direct(boot, two)
        must(boot.stop() == 0, "exit code")

        # Whose bootstrap it is would call it: that is not what is to be seen here.
        must(two.stop() == 0, "exit code")
        begin = time.monotonic()
        boot.start()
        until(lambda: joined(boot), lambda there: there, "boot is back")
        figures.add("remembered peers: restart of the first node to linked", time.monotonic() - begin, "s")

    with tally.case("a damaged peers.json is no reason not to start"):
        boot.stop()
        (boot.folder / "state" / "peers.json").write_text('{"peers": ["udp:239.255.87.79:4433", 5', encoding="ascii")
        boot.start()
        until(boot.status, lambda status: status["ring"]["joined"], "it starts")
