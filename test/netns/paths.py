"""Packets reach everybody, the first one too, and take the best path there is."""

import time

from clients import ping
from tally import must
from waiting import PROMISED, until

# Two tries miss with 2 % each, four with one in six million; the fourth begins 50 s after the first.
GUESSING = 90


def run(tally, world, figures):
    """All pairs, then the paths."""
    with tally.case("the first packet between the two port-restricted sites arrives, on a direct path"):
        begin = time.monotonic()
        must(ping(world.one, world.two.address) == 1, "the first ping was lost")
        figures.add("one -> two: first ping answered after", time.monotonic() - begin, "s")
        for near, far in ((world.one, world.two), (world.two, world.one)):
            must(near.peer(far).get("path") == "direct", f"{near.name} -> {far.name}: {near.peer(far)}")

    for source in world.pool():
        for target in world.pool():
            if source is not target:
                with tally.case(f"one single ping from {source.name} to {target.name} is answered"):
                    must(ping(source, target.address) == 1, "no answer")

    for near, far in ((world.one, world.boot), (world.two, world.boot), (world.sym, world.boot), (world.boot, world.sym)):
        with tally.case(f"{near.name} reaches {far.name} directly"):
            until(lambda near=near, far=far: near.peer(far), lambda peer: peer.get("path") == "direct", f"{near.name} -> {far.name}")

    for near in (world.one, world.two):
        with tally.case(f"{near.name} and the symmetric site talk at once, and get through to each other directly by guessing ports"):
            begin, since = time.monotonic(), PROMISED.now()
            while not all(here.peer(there).get("path") == "direct" for here, there in ((near, world.sym), (world.sym, near))):
                must(PROMISED.now() - since < GUESSING, f"no direct path: {near.peer(world.sym)}, {world.sym.peer(near)}")
                must(ping(near, world.sym.address) == 1, "a ping was lost")
                must(ping(world.sym, near.address) == 1, "a ping was lost")
                time.sleep(0.2)
            figures.add(f"{near.name} <-> sym: direct, after the first ping", time.monotonic() - begin, "s")
