"""A volunteer whose network lets no UDP out, and one whose network lets out TCP to port 443 alone: both join, do jobs and have theirs done, and `wow doctor`
says by what."""

import json

from jobs import Job
from pool import ZONE, Pool
from shell import run as run_program
from tally import must
from waiting import until

NO_UDP, WEB = "alpha", "beta"
WALL = """table bridge wall-{name} {{
    counter refused {{ }}
    chain wall {{
        type filter hook forward priority filter
        {within}iifname "{port}" meta l4proto udp counter name refused drop
        oifname "{port}" meta l4proto udp drop
        oifname "{port}" tcp flags & (syn | ack) == syn drop
    }}
}}
"""
"""What a firewall of a network does that keeps no connections in mind. Its DHCP and DNS are on this side of it."""
WEB_ALONE = """iifname "{port}" meta l4proto tcp tcp dport != 443 drop
        """
LINES = 50000
SCRIPT = f"hostname; seq {LINES}"
"""300 kB come back."""


def make():
    """A pool for this part alone. A machine of which nothing is refused is in it, too."""
    return Pool((NO_UDP, WEB, "gamma"))


def run(tally, pool):
    """Raises the walls, starts the pool and has it work."""
    def case(name):
        return tally.case(name, pool.explain)

    for name, more in ((NO_UDP, ""), (WEB, WEB_ALONE)):
        port = pool.topology.port(name)
        pool.topology.nft("net", WALL.format(name=name, port=port, within=more.format(port=port)))
    with case("a machine whose network lets no UDP out, and one that may use TCP to port 443 alone, join, and the manager lists them"):
        pool.start()
        for name in (NO_UDP, WEB):
            must(refused(pool, name) > 0, f"nothing of {name} was refused")
            must(pool.machines[name].ask("status")["udp"]["received_datagrams"] == 0, f"a datagram came to {name}")
    with case("jobs of a machine that may use all run on both, and jobs of each of the two on the other, and their outputs come back"):
        jobs = [(worker, Job(pool.machines[submitter], "alice", SCRIPT, on=f"{worker}.{ZONE}"))
                for submitter, worker in (("gamma", NO_UDP), ("gamma", WEB), (NO_UDP, WEB), (WEB, NO_UDP))]
        for worker, job in jobs:
            lines = job.result().split()
            must(lines[:1] == [worker] and len(lines) == 1 + LINES, f"the job on {worker} said {len(lines)} lines, the first ones {lines[:3]}")
    with case("both are linked to the manager by TCP, port 443 where no other is let out, and to each other by a relay"):
        manager = pool.manager.ask("status")["node"]
        for name, ports in ((NO_UDP, ("4433", "443")), (WEB, ("443",))):
            ends = [f"tcp:192.0.2.10:{port}" for port in ports]
            until(lambda name=name: peer(pool.machines[name], manager), lambda found, ends=ends: found.get("path") == "direct" and found.get("endpoint") in ends,
                  f"{name} is linked to the manager by {ends}")
        other = pool.machines[WEB].ask("status")["node"]
        must((path := peer(pool.machines[NO_UDP], other).get("path")) == "relay", f"{NO_UDP} and {WEB} are linked by {path}")
    with case("wow doctor on both says in words that UDP is refused, and what goes by TCP; and nothing of it on the third"):
        for name in (NO_UDP, WEB):
            found = [one for one in findings(pool.machines[name]) if one["check"] == "udp"]
            must(len(found) == 1 and "by TCP alone" in found[0]["what"] and "Let UDP out" in found[0]["todo"], f"{name}: {found}")
        must(not [one for one in findings(pool.gamma) if one["check"] == "udp"], f"gamma: {findings(pool.gamma)}")


def refused(pool, name):
    """Datagrams that the wall of a machine refused."""
    said = json.loads(run_program(*pool.topology.inside("net", "nft", "-j", "list", "counter", "bridge", f"wall-{name}", "refused")).stdout)
    return next(one["counter"]["packets"] for one in said["nftables"] if "counter" in one)


def peer(machine, node):
    """What a machine says of its link to a node."""
    return next((one for one in machine.ask("peers")["peers"] if one["node"] == node), {})


def findings(machine):
    """What wow doctor found."""
    return json.loads(machine.sh("wow doctor --json || :"))["findings"]
