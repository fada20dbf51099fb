"""wow ping, trace and metrics beside real daemons: each path as it is."""

import json
import pathlib

import promtool
from clients import ping
from shell import run as run_program
from tally import must
from waiting import until
from world import BOOTSTRAP

WOW = str(pathlib.Path(__file__).resolve().parents[2] / "appliance/wow")
PORT = 9433
SCRAPE = ("curl", "-s", "-S", "--max-time", "120", "-i", f"http://127.0.0.1:{PORT}/metrics")

# Connections that say nothing, more than the daemon keeps, while one asks.
CROWD = f"""
import socket, subprocess
held = [socket.create_connection(("127.0.0.1", {PORT})) for _ in range(40)]
held[5].sendall(b"GET /met")
print(subprocess.run({SCRAPE!r}, stdout=subprocess.PIPE, check=True, text=True).stdout)
"""


def wow(node, *words, code=0, **options):
    """What a verb says, asked beside the daemon; it must end with this code."""
    ended = run_program(*node.inside(WOW, *words, "--socket", str(node.socket)), check=False, **options)
    must(ended.returncode == code, f"wow {' '.join(words)} on {node.name} ended with {ended.returncode}: {ended.stdout}")
    return ended.stdout


def asked(node, *words, code=0):
    """The same as JSON."""
    return json.loads(wow(node, *words, "--json", code=code))


def seen(node, other):
    """What wow peers shows on a node of another one. They talk first, for who was silent for a while stands there no more."""
    def ask():
        ping(node, other.address)
        return {peer["address"]: peer for peer in asked(node, "peers")}.get(other.address)
    return until(ask, lambda peer: peer, f"{other.name} stands among {node.name}'s peers")[0]


def run(tally, world, figures):
    """The pool is up and its nodes have talked."""
    one, two, sym, walled, boot = world.one, world.two, world.sym, world.walled, world.boot
    node_of_two = two.status()["node"]

    with tally.case("wow ping by address, host name, node address and its first digits: direct, and as fast as the path"):
        for name in (two.address, "two", node_of_two, node_of_two[:8]):
            found = asked(one, "ping", name, "--count", "3", "--interval", "0.1")
            must((found["received"], found["paths"]) == (3, {"direct": 3}), f"{name}: {found}")
            must(found["target"]["node"] == node_of_two, f"{name}: {found['target']}")
        figures.add("wow ping one -> two, direct", found["min_ms"], "ms")
        must("0% lost" in wow(one, "ping", "two", "-c", "2", "-i", "0.1"), "the text does not say that nothing was lost")

    with tally.case("wow ping of nobody: exit 1 and what to do"):
        must("was not found; name a virtual address" in wow(one, "ping", "nobody", "-c", "1", code=1), "nothing said")
        must("nobody in the pool has the address 10.128.255.253" in wow(one, "ping", "10.128.255.253", "-c", "1", code=1), "nothing said")
        stranger = asked(one, "ping", "ab" * 20, "-c", "1", "-W", "2", code=1)
        must(stranger["received"] == 0 and not stranger["answers"][0]["session"], f"{stranger}")
        must("is this node itself" in wow(one, "ping", one.address, "-c", "1", code=1), "a ping of itself")

    with tally.case("wow trace of a direct peer names its endpoint, its paths and their round trips"):
        way = asked(one, "trace", "two")
        used = way["paths"][0]
        must((way["path"], way["why_not_direct"], way["ring"]) == ("direct", None, None), f"{way}")
        must(used["used"] and used["alive"] and used["endpoint"] == "192.0.2.22:4433" and used["rtt_ms"] < 1000, f"{used}")

    with tally.case("wow trace of a node without UDP from behind a NAT that moves ports names the relay, and says why it is not direct"):
        way = asked(sym, "trace", walled.address)
        must(way["path"] in ("relay", "ring") and way["why_not_direct"], f"{way}")
        if way["path"] == "relay":
            must(way["paths"][0]["relay"]["node"] in [node.status()["node"] for node in (boot, one, two)], f"{way['paths'][0]}")
        must("not direct:" in wow(walled, "trace", sym.address), "the text does not say why")

    with tally.case("wow trace --ring: every hop answers in its place, the last is the node"):
        way = asked(one, "trace", "two", "--ring")
        hops = way["ring"]["hops"]
        must(way["ring"]["arrived"] and [hop["hop"] for hop in hops] == list(range(1, len(hops) + 1)), f"{way['ring']}")
        must(len(hops) >= 2 and hops[-1]["node"]["node"] == node_of_two and hops[-1]["end"] == "arrived", f"{hops}")
        must(all(hop["next"] == after["node"]["node"] for hop, after in zip(hops, hops[1:])), f"{hops}")

    with tally.case("wow trace to an address that no node has ends at the node that stands nearest"):
        way = asked(one, "trace", "ab" * 20, code=1)
        must(not way["ring"]["arrived"] and way["ring"]["hops"][-1]["end"] == "nobody-nearer", f"{way['ring']}")

    with tally.case("wow status and wow peers tell NAT, paths, loss and why not direct"):
        told = {node.name: asked(node, "status") for node in (boot, one, sym)}
        kinds = {name: status["nat"]["kind"] for name, status in told.items()}
        must(kinds["boot"] == "none" and kinds["one"] == "one-mapping", f"{kinds}")
        must(kinds["sym"] in ("nat", "per-peer"), f"{told['sym']['nat']}")
        must(told["one"]["nat"]["outside"] == ["192.0.2.21:4433"] and told["one"]["bootstrap"][0]["linked"], f"{told['one']}")
        must(told["one"]["udp"]["received_datagrams"] > 100, f"{told['one']['udp']}")
        linked = seen(one, two)
        must(linked["loss"] is not None and linked["why_not_direct"] is None, f"{linked}")
        parted = seen(sym, walled)
        must(parted["why_not_direct"], f"{parted}")
        must("median round trip" in wow(one, "status") and "not direct" not in wow(one, "peers"), "the text lacks the links")

    metrics(tally, world)


def metrics(tally, world):
    """Prometheus."""
    with tally.case("wow metrics: promtool finds no fault, and the figures are the daemon's"):
        text = wow(world.one, "metrics")
        must(not (said := promtool.complaints(text)), said)
        must(promtool.complaints("# TYPE a_seconds counter\na_seconds{ 1\n"), "promtool finds no fault in what is no metric")
        values = {(sample["name"], *sorted(sample["labels"].items())): sample["value"] for sample in asked(world.one, "metrics")}
        must(values["wow_ring_joined",] == 1 and values["wow_peers", ("path", "direct")] >= 2, f"{values}")
        must(values["wow_received_datagrams_total",] > 100 and values["wow_dropped_packets_total", ("reason", "not_our_source")] >= 0, f"{values}")
        node = world.two.status()["node"]
        must(0 < values["wow_peer_rtt_seconds", ("host", ""), ("node", node)] < 1, f"{values}")

    with tally.case("[metrics] listen serves the same over HTTP on loopback, to one who asks among forty who keep silent"):
        world.topology.public("meter", "192.0.2.45")
        node = world.add("meter")
        node.options["metrics"] = {"listen": f"127.0.0.1:{PORT}"}
        node.start(BOOTSTRAP)
        until(node.status, lambda status: status["ring"]["joined"], "meter joins")
        for answer in (node.run(*SCRAPE).stdout, node.run("python3", "-c", CROWD).stdout):
            head, _, body = answer.replace("\r\n", "\n").partition("\n\n")
            must(head.startswith("HTTP/1.0 200 OK") and f"Content-Length: {len(body.rstrip(chr(10))) + 1}" in head, head)
            must("wow_ring_joined 1\n" in body and not promtool.complaints(body.rstrip("\n") + "\n"), body)
        must("404 Not Found" in node.run(*SCRAPE[:-1], f"http://127.0.0.1:{PORT}/").stdout, "no 404")
        must(node.run("curl", "-s", "--max-time", "60", f"http://192.0.2.45:{PORT}/metrics", check=False).returncode == 7, "it is reached from outside")
        must(node.status()["ok"], "the daemon is gone")
        must(node.stop() == 0, "another exit code")
