"""Offloads switched off by hand."""

import json

from clients import lease, ping
from data import datagrams, transfer
from tally import must
from waiting import until

SWITCHES = ("tcp-segmentation", "udp-segmentation", "udp-runs", "udp-gro", "library-cipher", "esp", "priority", "moderation")
LONGEST_PACKET = 61400
ADDRESS = {"plain": "192.0.2.71", "whole": "192.0.2.72"}


def run(tally, world):
    """A pool of two, one with every switch off."""
    for name, address in ADDRESS.items():
        world.topology.public(name, address)
    plain, whole = (world.add(name, "switching") for name in ADDRESS)
    plain.options["offload"] = dict.fromkeys(SWITCHES, "no")
    with tally.case("with every offload switched off a node speaks with one that has all"):
        plain.start()
        whole.start(f"udp:{ADDRESS['plain']}:4433")
        for node in (plain, whole):
            until(node.status, lambda status: status["ring"]["joined"], f"{node.name} joins")
            node.lease = lease(node)
        must(ping(plain, whole.address) == 1, "no answer")
        for source, target in ((plain, whole), (whole, plain)):
            transfer(source, target)
            datagrams(source, target)

    with tally.case("status says what is off, what is done instead, and by which key"):
        said = {one["name"]: one for one in plain.status()["offload"]}
        must(tuple(said) == SWITCHES and not any(one["on"] for one in said.values()), f"{said}")
        must(said["udp-runs"]["why"] == f"datagrams are sent one by one: [offload] udp-runs = no in {plain.config}", f"{said['udp-runs']}")
        said = {one["name"]: one for one in whole.status()["offload"]}
        must(all(said[name]["on"] and said[name]["why"] is None for name in SWITCHES if name != "library-cipher"), f"{said}")

    with tally.case("the tap is root's: to one that is nobody's each account may attach, for /dev/net/tun is everybody's"):
        tap = json.loads(whole.run("ip", "-d", "-j", "link", "show", "wow0").stdout)[0]
        must(tap["linkinfo"]["info_data"].get("user") == "root", f"{tap['linkinfo']}")

    with tally.case("the kernel leaves no packet whole that would make more than one run of datagrams"):
        tap = json.loads(whole.run("ip", "-d", "-j", "link", "show", "wow0").stdout)[0]
        must(tap["gso_max_size"] == LONGEST_PACKET, f"{tap['gso_max_size']} bytes")
