"""What nodes find out about their NATs by having others knock: whom each lets in, and how long one keeps a silent mapping.

A pool of its own, which learns while other stages run: three public nodes, and full cone 10.61.0.2, address-restricted 10.62.0.2, port-restricted
10.63.0.2 and a port-restricted one, 10.64.0.2, that forgets after 30 s.
"""

import pathlib
import sys
import time

from seeing import wow
from shell import run as shell
from tally import must
from waiting import until

sys.path.append(str(pathlib.Path(__file__).resolve().parent / "grid"))

import rules  # noqa: E402
from sites import Gate  # noqa: E402

HUBS = {"hub": "192.0.2.60", "hub-b": "192.0.2.68", "hub-c": "192.0.2.69"}
GATES = (
    Gate("cone", "192.0.2.61", "10.61.0", "full"),
    Gate("known", "192.0.2.62", "10.62.0", "address"),
    Gate("strict", "192.0.2.63", "10.63.0"),
    Gate("brief", "192.0.2.64", "10.64.0", udp_seconds=30),
)
LETS_IN = {
    "hub": "independent", "cone": "independent", "known": "address-dependent", "strict": "address-and-port-dependent",
    "brief": "address-and-port-dependent"}


def begin(world):
    """Starts the pool."""
    for name, address in HUBS.items():
        world.topology.public(name, address)
    for gate in GATES:
        world.topology.site(gate.name, gate.outside, gate.lan)
        if gate.kind != "port":
            shell(*world.topology.inside(f"gate-{gate.name}", "nft", "-f", "-"), text_in="flush ruleset\n" + rules.text(gate))
        if gate.udp_seconds:
            for kind in ("", "_stream"):
                shell(*world.topology.inside(
                    f"gate-{gate.name}", "sysctl", "-qw", f"net.netfilter.nf_conntrack_udp_timeout{kind}={gate.udp_seconds}"))
    for name in (*HUBS, *(gate.name for gate in GATES)):
        world.add(name, "learning").start("" if name == "hub" else f"udp:{HUBS['hub']}:4433")


def run(tally, world, figures):
    """Waits for what is not known yet, and ends the pool."""
    for name, expected in LETS_IN.items():
        with tally.case(f"{name} finds out that its NAT's filtering is {expected}"):
            until(lambda name=name: nat(world, name)["filtering"], lambda found, expected=expected: found == expected, name, pause=1)

    with tally.case("brief, whose NAT forgets after 30 s, finds out that it may be silent for 20 to 24 s"):
        began = time.monotonic()
        until(lambda: nat(world, "brief")["keep_alive_s"], lambda seconds: 20 <= seconds <= 24, "brief", pause=1)
        figures.add("waited for brief to learn its NAT's 30 s", time.monotonic() - began, "s")

    with tally.case("strict, whose NAT keeps mappings for Linux's 120 s, may be silent for longer; and nobody has lost a link"):
        until(lambda: nat(world, "strict")["keep_alive_s"], lambda seconds: 30 <= seconds <= 96, "strict", pause=1)
        for gate in GATES:
            path = world.nodes[gate.name].peer(world.nodes["hub"]).get("path")
            must(path == "direct", f"{gate.name} reaches hub by: {path}")

    with tally.case("wow status says it in words, and wow metrics too"):
        text = wow(world.nodes["brief"], "status")
        must("machines that this one has sent to, from the port it sent to" in text, text)
        text = wow(world.nodes["cone"], "metrics")
        must('filtering="independent"' in text and "wow_nat_keep_alive_seconds" in text, text)

    for name in (*HUBS, *(gate.name for gate in GATES)):
        world.nodes[name].end()


def nat(world, name):
    """What a node's status says of its NAT."""
    return world.nodes[name].status()["nat"]
