"""wow peers"""
import json

from wow.lib import control, paths, table
from wow.lib.verb import JSON, SOCKET, Given, Option, Verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wow.lib.answers import Peer

WHY = Option("--why", "", "also say of each that is not direct why not")


def run(given: Given) -> int:
    """Prints the peers; exit code 1 when ipopd cannot be asked."""
    peers = control.peers(given.get(SOCKET, paths.SOCKET))
    if given.has(JSON):
        print(json.dumps(peers))
    else:
        print("\n".join(lines(peers) + (reasons(peers) if given.has(WHY) else [])))
    return 0


def reasons(peers: "list[Peer]") -> list[str]:
    """Why each peer that is not direct is not."""
    return [f"{peer['address'] or peer['node'][:8]}: {peer['why_not_direct']}" for peer in peers if peer.get("why_not_direct")]


def lines(peers: "list[Peer]") -> list[str]:
    """The peers for people, in the order of their addresses."""
    if not peers:
        return ["no peers yet"]
    rows = [["address", "name", "path", "endpoint or relay", "rtt", "loss", "mtu", "sent", "received", "age", "certified", "node"]]
    for peer in sorted(peers, key=lambda one: [int(part) for part in (one["address"] or "0").split(".")]):
        rows.append([peer["address"] or "-", peer["host"] or "-", peer["path"], peer["endpoint"] or (peer.get("relay") or "-")[:8],
                     table.milliseconds(peer["rtt_ms"]), table.share(peer.get("loss")), str(peer.get("mtu") or "-"),
                     table.size(peer["sent_bytes"]), table.size(peer["received_bytes"]), table.duration(peer["age_s"]),
                     "yes" if peer["certified"] else "no", peer["node"][:8]])
    return table.columns(rows, right=(4, 5, 6, 7, 8, 9))


VERB = Verb("peers", "", "the machines that this one talks to, and over which path: direct, relay or ring", (WHY, JSON, SOCKET), run)
