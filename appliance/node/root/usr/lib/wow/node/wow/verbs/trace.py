"""wow trace"""
import json

from wow.lib import control, paths, table
from wow.lib.verb import JSON, SOCKET, Given, Option, UsageError, Verb
from wow.verbs import ping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wow.lib.answers import Path, Ping, RingTrace, Trace

RING = Option("--ring", "", "also show the hops over the ring where packets go another way")


def run(given: Given) -> int:
    """Prints the way; exit code 1 if the node does not answer by any."""
    if len(given.words) != 1:
        raise UsageError(ping.WHICH)
    path = given.get(SOCKET, paths.SOCKET)
    # Makes a session where there is none; what is traced is then the way of real packets.
    pinged = control.ping(given.words[0], path, 20.0, 3000)
    way = control.trace(given.words[0], path, 20.0, given.has(RING))
    if given.has(JSON):
        answer = {"rtt_ms": pinged["rtt_ms"], "path": pinged["path"], "session": pinged["session"]}
        print(json.dumps({**{key: value for key, value in way.items() if key != "ok"}, "ping": answer}))
    else:
        print("\n".join(lines(way, pinged)))
    return 0 if pinged["rtt_ms"] is not None or way["ring"] and way["ring"]["arrived"] else 1


def lines(way: "Trace", pinged: "Ping") -> list[str]:
    """The way for people."""
    answered = pinged["rtt_ms"]
    text = [f"{ping.name(way['target'])}, node {way['target']['node']}",
            f"packets go {said(way)}; " + ("it does not answer" if answered is None else f"a ping came back after {answered:.2f} ms, by {pinged['path']}")]
    if way["why_not_direct"]:
        text.append(f"not direct: {way['why_not_direct']}")
    if way["paths"]:
        text += ["", *table.columns([["path", "to", "rtt", "loss", "state"], *map(row, way["paths"])], right=(2, 3))]
    return text + ring(way["ring"])


def said(way: "Trace") -> str:
    """How packets go, in words."""
    used = next((path for path in way["paths"] if path["used"]), None)
    if used is None or way["path"] == "ring":
        return "over the ring"
    return f"direct to {used['endpoint']}" if used["path"] == "direct" else f"over the relay {ping.name(used['relay']) if used['relay'] else ''}"


def row(path: "Path") -> list[str]:
    """One path of the table."""
    state = "in use" if path["used"] else "in reserve" if path["alive"] else "does not answer"
    heard = "" if path["heard_s"] is None or path["alive"] else f", last heard {table.duration(path['heard_s'])} ago"
    place = path["endpoint"] or (ping.name(path["relay"]) if path["relay"] else "-")
    return [path["path"], place, table.milliseconds(path["rtt_ms"]), table.share(path["loss"]), state + heard]


def ring(found: "RingTrace | None") -> list[str]:
    """The hops for people."""
    if found is None:
        return []
    if not found["hops"]:
        return ["", "over the ring: no hop answers. Only members of the pool are traced for: this machine needs its certificate and a place on the ring."]
    rows = [["hop", "node", "address", "answered after", "next hop", "rtt to it"]]
    for hop in found["hops"]:
        end = {"arrived": "this is the node", "nobody-nearer": "knows nobody nearer: the way ends here"}.get(hop["end"] or "")
        rows.append([str(hop["hop"]), hop["node"]["node"][:8], hop["node"]["address"] or "-", table.milliseconds(hop["ms"]),
                     end or f"{(hop['next'] or '')[:8]}, {hop['next_path']}", table.milliseconds(hop["next_rtt_ms"])])
    last = [] if found["arrived"] or found["hops"][-1]["end"] else ["the hops after that kept silent"]
    return ["", "over the ring:", *table.columns(rows, right=(0, 3, 5)), *last]


VERB = Verb("trace", "NODE", "the way that packets to a node take: the path in use and those in reserve, or the hops over the ring, and why it is not direct",
            (RING, JSON, SOCKET), run)
