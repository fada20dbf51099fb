"""A site whose network lets no UDP pass: it joins by TCP and reaches everybody."""

import time

from clients import lease, ping
from tally import must
from waiting import until
from world import BOOTSTRAP


def run(tally, world, figures):
    """Starts walled; the others are up."""
    walled = world.walled
    with tally.case("walled, whose network blocks UDP, finds the ring by TCP"):
        begin = time.monotonic()
        walled.start(BOOTSTRAP)
        until(walled.status, lambda status: status["ring"]["joined"], "walled joins")
        figures.add("walled: start to on the ring, by TCP", time.monotonic() - begin, "s")
        walled.lease = lease(walled)
        must(walled.peer(world.boot)["endpoint"] in ("tcp:192.0.2.10:4433", "tcp:192.0.2.10:443"), f"{walled.peer(world.boot)}")

    with tally.case("walled reaches a public node directly, and one whose NAT has a port for each connection over a relay, from the first packet on"):
        for far, path in ((world.boot, "direct"), (world.sym, "relay")):
            must(ping(walled, far.address) == 1 and ping(far, walled.address) == 1, f"a ping between walled and {far.name} was lost")
            for here, there in ((walled, far), (far, walled)):
                until(lambda here=here, there=there: here.peer(there), lambda peer, path=path: peer.get("path") == path, f"{here.name} -> {there.name}")

    with tally.case("large packets, too, and many of them"):
        must(ping(walled, world.one.address, count=50, interval=0.02, size=1200) >= 48, "more than two of fifty were lost")

    with tally.case("when its connections are cut, walled makes new ones"):
        walled.run("ss", "-K", "dst", "192.0.2.10")
        begin = time.monotonic()
        until(lambda: ping(walled, world.one.address, patience=1), lambda answers: answers == 1, "walled is heard of again")
        figures.add("walled: connections cut to reached again", time.monotonic() - begin, "s")
