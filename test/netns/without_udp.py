"""A site whose network lets no UDP pass: it joins by TCP and reaches everybody."""

import time

from clients import lease, ping
from pings import Pings, watched
from rules import STRICT
from shell import run as run_command
from tally import must
from verdict import silence
from waiting import until
from world import BOOTSTRAP

INTERVAL, SIZE, WARM, LOOKED_AT = 0.1, 200, 2.0, 6.0
# Kernel's patience with what nobody acknowledges is ten seconds; a round trip is a millisecond here, and the machine may be slow.
SILENT_AT_MOST = 3.0


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

    for verdict, words in (("drop", "nobody is told"), ("reject with tcp reset", "the machine is told")):
        with tally.case(f"walled's gate forgets its connections and takes up none in the middle, {words}: pings go on"):
            silences = _forget(world, verdict)
            figures.promised(f"walled: gate forgot, {words}: silence", max(silences))
            must(max(silences) < SILENT_AT_MOST, f"silent for {silences} s towards boot and one")


def _forget(world, verdict):
    """Seconds of the longest silence of walled's pings to boot and to one, without what the computer's host took."""
    topology = world.topology

    def gate(*command):
        run_command(*topology.inside("gate-walled", *command))

    topology.nft("gate-walled", STRICT.format(verdict=verdict))
    gate("sysctl", "-qw", "net.netfilter.nf_conntrack_tcp_loose=0")
    flows = [Pings(topology.prefix + "walled", far.address, SIZE, INTERVAL) for far in (world.boot, world.one)]
    begun, ended = watched(flows, lambda: gate("conntrack", "-F"), WARM, LOOKED_AT)
    gate("sysctl", "-qw", "net.netfilter.nf_conntrack_tcp_loose=1")
    topology.nft("gate-walled", "delete table ip strict")
    return [round(silence(flow.answers, begun, ended), 2) for flow in flows]
