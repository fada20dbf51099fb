"""Every node finds the ring, and an ordinary DHCP client beside it gets an address."""

import ipaddress
import time

from clients import lease
from tally import must
from waiting import PROMISED, until
from world import BOOTSTRAP


def run(tally, world, figures):
    """Starts the four nodes."""
    with tally.case("the first node of an open pool is its own ring and its manager"):
        world.boot.start()
        until(world.boot.status, lambda status: status["ring"]["joined"], "boot joins")
        world.boot.lease = lease(world.boot)
        until(world.boot.status, lambda status: status["address"] and status["manager"] == status["address"], "boot is the manager")

    for node in world.pool()[1:]:
        with tally.case(f"{node.name} finds the ring by the bootstrap, from behind its NAT"):
            begin = time.monotonic()
            node.start(BOOTSTRAP)
            until(node.status, lambda status: status["ring"]["joined"], f"{node.name} joins")
            joined, since = time.monotonic(), PROMISED.now()
            figures.add(f"{node.name}: start to on the ring", joined - begin, "s")
        if node is world.two:
            with tally.case("both port-restricted sites are up: their path is direct within 2 s of the second's joining, before any traffic"):
                for near, far in ((world.one, world.two), (world.two, world.one)):
                    until(lambda near=near, far=far: near.peer(far), lambda peer: peer.get("path") == "direct", f"{near.name} -> {far.name} becomes direct")
                took = PROMISED.now() - since
                figures.add("one <-> two: start of the second to direct on both sides", time.monotonic() - begin, "s")
                must(took <= 2.0, f"it took {took:.2f} s")
        with tally.case(f"udhcpc on {node.name} gets an address of the pool"):
            begin = time.monotonic()
            node.lease = lease(node)
            figures.add(f"{node.name}: address by udhcpc", time.monotonic() - begin, "s")
            must(ipaddress.ip_address(node.lease["ip"]) in ipaddress.ip_network("10.128.0.0/16"), f"it got {node.lease}")
            must(node.address == node.lease["ip"], f"udhcpc got {node.lease['ip']}, status says {node.address}")
            must(node.lease.get("mtu") == "1280", f"MTU is {node.lease.get('mtu')}")

    with tally.case("no two nodes have one address"):
        addresses = [node.address for node in world.pool()]
        must(None not in addresses and len(set(addresses)) == len(addresses), f"addresses: {addresses}")

    with tally.case("udhcpc asked again gets the same address"):
        must(lease(world.one)["ip"] == world.one.lease["ip"], "another address")
