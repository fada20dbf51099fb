"""The figures of the bench: what each is called, and how one round of one peer finds them."""

import time

import measure
from wires import cut, lossy, slow
from shell import run

# The peer that is asked for round trips alone.
FLOOR = "socat"
SIZES = (100, 300, 1000)
# Seconds after its start when a peer is looked at as an idle one.
IDLE = 3
# Seconds of TCP before any figure, for each peer: what ipopd carries most packets by is compiled once more in the first half of a second.
WARM = 2

WORDS = {
    "tcp_mbits": "TCP, one flow, Mb/s", "resent": "segments sent again", "processor_s_per_gbit": "daemons' processor s a Gbit", "rtt_ms": "round trip, ms",
    "rtt_tcp_ms": "round trip beside TCP, ms", "rtt_taken_ms": "round trip, processors half taken, ms",
    "udp64_kpps": "64 B UDP, kpps", "rss_idle_mb": "resident before, MB", "rss_mb": "resident after, MB",
    "flows8_mbits": "TCP, 8 flows, Mb/s", "flows8_least": "the least of 8, of the mean", "flows64_mbits": "TCP, 64 flows, Mb/s",
    "flows64_least": "the least of 64, of the mean",
    "ping_tcp_ms": "ping beside TCP, p99, ms", "ping_udp_ms": "ping beside 64 B UDP, p99, ms",
    "cut_mbits": "TCP, wire cuts runs, Mb/s", "lost01_mbits": "the same, 0.1 % lost, Mb/s", "lost1_mbits": "the same, 1 % lost, Mb/s",
    **{f"slow{size}_mbits": f"100 Mb/s, sends of {size} B, Mb/s" for size in SIZES}}


def all_of(two, peer, address, seconds):
    """Every figure of one peer in one round."""
    run(*two.inside("a", "ping", "-c", "1", "-W", "10", address))
    if peer.name == FLOOR:
        return _round_trips(two, address)
    return {**_plain(two, peer, address, seconds), **_many(two, address, seconds), **_wires(two, address, seconds)}


def _plain(two, peer, address, seconds):
    time.sleep(IDLE)
    idle = measure.resident(peer.processes())
    measure.tcp(two, address, WARM)
    before = measure.processor(peer.processes())
    mbits, resent = measure.tcp(two, address, seconds)
    used = measure.processor(peer.processes()) - before
    return {
        "tcp_mbits": mbits, "resent": resent, "processor_s_per_gbit": round(used / (mbits * seconds / 1000), 3),
        **_round_trips(two, address), "udp64_kpps": measure.udp(two, address, seconds), "rss_idle_mb": idle,
        "rss_mb": measure.resident(peer.processes())}


def _round_trips(two, address):
    return {
        "rtt_ms": measure.round_trip(two, address), "rtt_tcp_ms": measure.round_trip_beside(two, address),
        "rtt_taken_ms": measure.round_trip_taken(two, address)}


def _many(two, address, seconds):
    found = {}
    for count in (8, 64):
        found[f"flows{count}_mbits"], found[f"flows{count}_least"] = measure.flows(two, address, seconds, count)
    found["ping_tcp_ms"] = measure.pings_beside(two, address, seconds)
    found["ping_udp_ms"] = measure.pings_beside(two, address, seconds, *measure.FLOOD)
    return found


def _wires(two, address, seconds):
    found = {}
    with cut(two):
        found["cut_mbits"] = measure.tcp(two, address, seconds)[0]
    for name, permille in (("lost01_mbits", 1), ("lost1_mbits", 10)):
        with lossy(two, permille):
            found[name] = measure.tcp(two, address, seconds)[0]
    for size in SIZES:
        with slow(two, 100):
            found[f"slow{size}_mbits"] = measure.tcp(two, address, seconds, "-l", str(size))[0]
    return found
