"""wow trace"""
import json

import control
import dispatch
import table
from generate import paths
from verbs import ping

USAGE = "wow trace NODE [--ring] [--json] [--socket PATH]"
SUMMARY = "the way that packets to a node take: the path in use and those in reserve, or the hops over the ring, and why it is not direct"


def run(arguments):
    """Prints the way; exit code 1 if the node does not answer by any."""
    found, words = dispatch.options(arguments, ("--json", "--ring"), ("--socket",))
    if len(words) != 1:
        raise dispatch.UsageError("name one node: its virtual address, its host name, or its node address as `wow peers` shows it")
    path = found.get("--socket", paths.SOCKET)
    # Makes a session where there is none; what is traced is then the way of real packets.
    pinged = control.ask("ping", path, 20.0, target=words[0], timeout_ms=3000)
    way = control.ask("trace", path, 20.0, target=words[0], ring="--ring" in found)
    way["ping"] = {key: pinged[key] for key in ("rtt_ms", "path", "session")}
    if "--json" in found:
        print(json.dumps({key: value for key, value in way.items() if key != "ok"}))
    else:
        print("\n".join(lines(way)))
    return 0 if pinged["rtt_ms"] is not None or (way["ring"] or {}).get("arrived") else 1


def lines(way):
    """The way for people."""
    answered = way["ping"]["rtt_ms"]
    text = [f"{ping.name(way['target'])}, node {way['target']['node']}",
            f"packets go {said(way)}; " + ("it does not answer" if answered is None else f"a ping came back after {answered:.2f} ms, by {way['ping']['path']}")]
    if way["why_not_direct"]:
        text.append(f"not direct: {way['why_not_direct']}")
    if way["paths"]:
        text += ["", *table.columns([["path", "to", "rtt", "loss", "state"], *map(row, way["paths"])], right=(2, 3))]
    return text + ring(way["ring"])


def said(way):
    """How packets go, in words."""
    used = next((path for path in way["paths"] if path["used"]), None)
    if used is None or way["path"] == "ring":
        return "over the ring"
    return f"direct to {used['endpoint']}" if used["path"] == "direct" else f"over the relay {ping.name(used['relay'])}"


def row(path):
    """One path of the table."""
    state = "in use" if path["used"] else "in reserve" if path["alive"] else "does not answer"
    heard = "" if path["heard_s"] is None or path["alive"] else f", last heard {table.duration(path['heard_s'])} ago"
    return [path["path"], path["endpoint"] or ping.name(path["relay"]), table.milliseconds(path["rtt_ms"]), table.share(path["loss"]), state + heard]


def ring(found):
    """The hops for people."""
    if found is None:
        return []
    if not found["hops"]:
        return ["", "over the ring: no hop answers. Only members of the pool are traced for: this machine needs its certificate and a place on the ring."]
    rows = [["hop", "node", "address", "answered after", "next hop", "rtt to it"]]
    for hop in found["hops"]:
        end = {"arrived": "this is the node", "nobody-nearer": "knows nobody nearer: the way ends here"}.get(hop["end"])
        rows.append([str(hop["hop"]), hop["node"]["node"][:8], hop["node"]["address"] or "-", table.milliseconds(hop["ms"]),
                     end or f"{hop['next'][:8]}, {hop['next_path']}", table.milliseconds(hop["next_rtt_ms"])])
    last = [] if found["arrived"] or found["hops"][-1]["end"] else ["the hops after that kept silent"]
    return ["", "over the ring:", *table.columns(rows, right=(0, 3, 5)), *last]
