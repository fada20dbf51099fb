"""The ring as a manager has it: the nodes that its ipopd has a session with, and how it reaches each. The manager's own page draws it (web/ring.py), and other machines
get it with the snapshot, without addresses."""
from wow.lib import names

MOST = 4000
"""Members that other machines are told of."""
UDP, TCP, RELAY, RING = KINDS = ("direct by UDP", "direct by TCP", "over a relay", "over the ring")
NEAR, SHORTCUT, OTHER = USES = ("near", "shortcut", "other")
UNKNOWN = -1.0
"""A round trip that nobody has measured."""
ALONE = -1
"""For the number of a relay: no relay, or one that there is no session with."""
LINKS = ("connections", "near", "relayed_frames", "relayed_bytes", "sent", "received", "uptime")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterable, Mapping, Sequence

    from wow.lib.answers import Peer, Status


class Member:
    """A node with a session. way: the relay's name, where the path goes over one; relay: its number among all of them, ALONE for none of them; rtt: milliseconds."""

    __slots__ = ("name", "kind", "relay", "way", "rtt", "use")

    def __init__(self, name: str, kind: str, relay: int, way: str, rtt: float, use: str) -> None:
        self.name, self.kind, self.relay, self.way, self.rtt, self.use = name, kind, relay, way, rtt, use


def members(own: str, peers: "Iterable[Peer]", at: "Mapping[str, str]") -> list[Member]:
    """All of them, in the order of the ring, clockwise from this manager, whose address there is `own`. at: {virtual address: machine} as ads say it, which names those
    without a certificate, as all are in an open pool."""
    ordered = sorted(peers, key=lambda peer: (int(peer["node"], 16) - int(own, 16)) % (1 << 160))
    number = {peer["node"]: place for place, peer in enumerate(ordered)}
    called = [_name(peer, at) for peer in ordered]
    found = []
    for name, peer in zip(called, ordered):
        kind = {"direct": TCP if str(peer["endpoint"]).startswith("tcp:") else UDP, "relay": RELAY}.get(peer["path"], RING)
        node, rtt, use = peer.get("relay") or "", peer["rtt_ms"], peer.get("use")
        relay = number.get(node, ALONE)
        way = "-" if not node else called[relay] if relay != ALONE and called[relay] else names.clean(node[:8])
        found.append(Member(name, kind, relay, way, UNKNOWN if rtt is None else float(rtt), use if use in USES else OTHER))
    return found


def _name(peer: "Peer", at: "Mapping[str, str]") -> str:
    address = names.clean(peer["address"])
    return names.clean(peer["host"]) or at.get(address) or address or names.clean(peer["node"][:8])


def links(status: "Status") -> dict[str, int]:
    """What the overview says of its links: their numbers, and frames, bytes and seconds since its start."""
    ring, udp = status["ring"], status["udp"]
    return dict(zip(LINKS, (ring["connections"], ring["near"], ring["relayed"]["frames"], ring["relayed"]["bytes"], udp["sent_bytes"], udp["received_bytes"],
                            status["uptime_s"])))


def facts(status: "Status", peers: "Sequence[Peer]", at: "Mapping[str, str]") -> "dict[str, Any]":
    """All of it, as JSON has it: a row for each member (rows)."""
    known = members(status["node"], peers, at)
    kept = known[:MOST]
    return {"host": status["host"] or "", "links": links(status), "beyond": len(known) - len(kept), "members": [
        [one.name, KINDS.index(one.kind), one.relay if one.relay < len(kept) else ALONE, one.way, one.rtt, USES.index(one.use)] for one in kept]}


def heard(rows: "Iterable[Sequence[Any]]") -> list[Member]:
    """The members of such rows, whose numbers somebody looked at (heard.py)."""
    return [Member(name, KINDS[kind], relay, way, rtt, USES[use]) for name, kind, relay, way, rtt, use in rows]
