"""
Two nodes whose gates let no UDP pass connect to each other at the same time. One gate drops who comes unasked, the other sends a reset. The gates count the
packets.
"""

import re
import time
from typing import NamedTuple

from clients import lease, ping
from tally import must
from waiting import until
from world import BOOTSTRAP

WALLED, BARRED, ONE = "192.0.2.24", "192.0.2.25", "192.0.2.21"
PINGS, SIZE = 40, 600
# A ping's packet (28 bytes more), sealed (33), as UDP between the two (28) is 689 bytes, over the ring by a TCP link (routed, sealed once more, framed, in TLS) some 860.
SEALED = "680-880"
COUNTERS = """
table ip heard {{
  counter far {{ }}
  counter others {{ }}
  chain in {{
    type filter hook prerouting priority raw;
    iifname "wan" ip saddr {far} meta l4proto tcp meta length > 400 counter name far
    iifname "wan" ip saddr != {far} meta length {sealed} counter name others
  }}
}}
"""


class Count(NamedTuple):
    """Of nftables; bytes with the headers of IP."""
    packets: int
    bytes: int


def run(tally, world, figures):
    """Walled is up; barred is started here."""
    walled, barred, one = world.walled, world.barred, world.one
    for gate, far in (("gate-walled", BARRED), ("gate-barred", WALLED)):
        world.topology.nft(gate, COUNTERS.format(far=far, sealed=SEALED))
    try:
        with tally.case("walled and barred, which no UDP reaches, meet by TCP"):
            begin = time.monotonic()
            barred.start(BOOTSTRAP)
            until(barred.status, lambda status: status["ring"]["joined"], "barred joins")
            barred.lease = lease(barred)
            must(ping(walled, barred.address) == 1, "the first ping was lost")
            for here, there, far in ((walled, barred, BARRED), (barred, walled, WALLED)):
                peer, _ = until(lambda here=here, there=there: here.peer(there), lambda peer: peer.get("path") == "direct", f"{here.name} -> {there.name}")
                must(peer["endpoint"].startswith(f"tcp:{far}:"), f"{peer}")
            figures.add("walled and barred: start to met by TCP", time.monotonic() - begin, "s")

        with tally.case("their packets pass from gate to gate and nowhere else"):
            before = [counted(world, gate) for gate in ("gate-walled", "gate-barred")]
            must(ping(walled, barred.address, count=PINGS, interval=0.02, size=SIZE) >= PINGS - 2, "more than two pings were lost")
            after = [counted(world, gate) for gate in ("gate-walled", "gate-barred")]
            for old, new in zip(before, after):
                # In bytes: two pings that wait for the daemon leave in one segment.
                must(new["far"].bytes - old["far"].bytes >= (PINGS - 2) * (SIZE + 28 + 33), f"large packets from the far gate: {old} then {new}")
                must(new["others"].packets - old["others"].packets <= PINGS // 4, f"packets of a ping's length from elsewhere: {old} then {new}")

        with tally.case("one, whose gate lets UDP pass, has itself seen by TCP and meets both"):
            for far in (walled, barred):
                must(ping(one, far.address) == 1, f"a ping to {far.name} was lost")
                for here, there in ((one, far), (far, one)):
                    peer, _ = until(lambda here=here, there=there: here.peer(there), lambda peer: peer.get("path") == "direct", f"{here.name} -> {there.name}")
                    must(peer["endpoint"].startswith("tcp:"), f"{peer}")

        with tally.case("when their connection is cut, walled and barred meet again"):
            begin = time.monotonic()
            barred.run("ss", "-K", "dst", WALLED)
            until(lambda: walled.peer(barred), lambda peer: peer.get("path") == "direct", "walled meets barred again")
            must(ping(walled, barred.address) == 1, "a ping was lost")
            figures.add("walled and barred: connection cut to met again", time.monotonic() - begin, "s")
    finally:
        barred.stop()


def counted(world, gate):
    """What came so far, by the counter's name."""
    text = world.topology.nft(gate, None).stdout
    return {name: Count(int(packets), int(size)) for name, packets, size in re.findall(r"counter (\w+) {\s+packets (\d+) bytes (\d+)", text)}
