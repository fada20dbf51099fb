"""wow peers"""
import json

import control
import dispatch
import table
from generate import paths

USAGE = "wow peers [--json] [--why] [--socket PATH]"
SUMMARY = "the machines that this one talks to, and over which path: direct, relay or ring; --why says why not direct"


def run(arguments):
    """Prints the peers; exit code 1 when ipopd cannot be asked."""
    found, words = dispatch.options(arguments, ("--json", "--why"), ("--socket",))
    dispatch.no_words(words)
    peers = control.ask("peers", found.get("--socket", paths.SOCKET))["peers"]
    if "--json" in found:
        print(json.dumps(peers))
    else:
        print("\n".join(lines(peers) + (reasons(peers) if "--why" in found else [])))


def reasons(peers):
    """Why each peer that is not direct is not."""
    return [f"{peer['address'] or peer['node'][:8]}: {peer['why_not_direct']}" for peer in peers if peer.get("why_not_direct")]


def lines(peers):
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
