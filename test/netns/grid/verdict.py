"""Which path a flow of pings took, from the packets on the physical interfaces of both ends alone."""

from collections import Counter
from itertools import pairwise
from typing import NamedTuple

from pressure import passed

# What docs/protocol.md puts around an IP packet, in bytes of UDP payload: a seal of 32 and the message's type; on a relay's links the
# relay header of 41 and a second seal; on the ring's links the routed header of 84 and a second seal, and both where such a link is itself relayed. Pings have sizes of their own,
# so a packet of exactly such a size is one of theirs. A change of the protocol must come here, or every path becomes `none`.
STRAIGHT = 33
RELAYED = 41 + 32
RELAY = STRAIGHT + RELAYED
RING = STRAIGHT + 84 + 32
NEARLY_ALL = 0.9


class Seen(NamedTuple):
    """A packet on a physical interface: when, which way, whose address is at the other end, bytes of the frame on it."""
    at: float
    is_out: bool
    far: str
    size: int


def kind(packet, ip_size, far_addresses):
    """How this packet carries an IP packet of that size, or None if it carries another."""
    extra = packet.size - ip_size
    if extra == STRAIGHT:
        return "direct" if packet.far in far_addresses else None
    return {RELAY: "relay", RING: "ring", RING + RELAYED: "ring"}.get(extra)


def arrivals(packets, ip_size, far_addresses, since=0.0):
    """(time, kind) of what came in."""
    found = ((packet.at, kind(packet, ip_size, far_addresses)) for packet in packets if not packet.is_out and packet.at >= since)
    return [(at, name) for at, name in found if name]


def path(one, two):
    """The path of a flow from what arrived at both ends: the worse of both ways; `none` if nothing arrived at one of them."""
    ways = [_main(one), _main(two)]
    return max(ways, key=("direct", "relay", "ring", "none").index)


def direct_at(one, two):
    """When both ends had received something straight from each other, or None."""
    firsts = [min((at for at, name in way if name == "direct"), default=None) for way in (one, two)]
    return None if None in firsts else max(firsts)


def _main(way):
    counts = Counter(name for _, name in way)
    if not counts:
        return "none"
    if counts["direct"] >= NEARLY_ALL * sum(counts.values()):
        return "direct"
    return max(("ring", "relay"), key=lambda name: counts[name])


def contradiction(seen, said):
    """What the daemons say beside what the wire shows, or None if they agree. An empty word is a peer that is not known."""
    worse = max((word or "none" for word in said), key=("direct", "relay", "ring", "none").index)
    # The tables of both ends change one after the other, so ring and relay may be told a moment before they are used.
    if (worse == "direct") == (seen == "direct"):
        return None
    return f"the wire shows {seen}, the daemons say {' and '.join(word or 'nothing' for word in said)}"


def silence(answers, since, until):
    """The longest time without an answer between two moments, in seconds without what the computer's host took; `until` ends a silence that is still going on."""
    before = max((at for at in answers if at <= since), default=since)
    return longest([before, *sorted(at for at in answers if since < at <= until), until])


def longest(moments):
    """The longest time between two moments that follow each other, as of `silence`, or None."""
    return max((passed(first, after) for first, after in pairwise(moments)), default=None)
