"""wow doctor beside real daemons, well and ill."""

import json

from seeing import WOW
from shell import run as run_program
from tally import must
from waiting import until
from world import BOOTSTRAP

MUTE = "udp:192.0.2.50:4433"
DROP = """
table inet mute {
  chain in {
    type filter hook input priority 0
    meta l4proto udp drop
  }
}
"""


def doctor(node, code):
    """{check: (state, sentence)} of a diagnosis, which must end with this code; the first check of a name counts."""
    ended = run_program(*node.inside(WOW, "doctor", "--json", "--socket", str(node.socket), "--config", str(node.config)), check=False)
    must(ended.returncode == code, f"wow doctor on {node.name} ended with {ended.returncode}: {ended.stdout}")
    told = json.loads(ended.stdout)
    must(told["healthy"] == (code == 0), f"{told}")
    found = {}
    for one in told["findings"]:
        found.setdefault(one["check"], (one["state"], f"{one['what']} {one['todo']}"))
    return found


def run(tally, world):
    """The pool is up."""
    with tally.case("wow doctor on a healthy node: nothing is wrong, exit 0"):
        found = doctor(world.one, 0)
        must({state for state, _ in found.values()} <= {"ok", "unknown"} and found["ring"][0] == found["tap"][0] == found["names"][0] == "ok", f"{found}")

    with tally.case("wow doctor where the tap has lost its address: says so, exit 1"):
        address = world.two.address
        world.two.run("ip", "address", "flush", "dev", "wow0")
        try:
            found = doctor(world.two, 1)
        finally:
            world.two.run("ip", "address", "add", f"{address}/16", "dev", "wow0")
        must(found["tap"][0] == "wrong" and f"gave out {address}, but wow0 has no address" in found["tap"][1], f"{found}")
        doctor(world.two, 0)

    world.topology.public("mute", "192.0.2.50")
    run_program(*world.topology.inside("mute", "nft", "-f", "-"), text_in=DROP)
    world.topology.public("lonely", "192.0.2.51")
    lonely = world.add("lonely")

    with tally.case("wow doctor where the bootstrap drops UDP: says that no answer comes by UDP, and what to do"):
        lonely.start(MUTE)
        until(lonely.status, lambda status: status["udp"]["sent_datagrams"] >= 3, "it calls the bootstrap")
        found = doctor(lonely, 1)
        must(found["udp"][0] == "wrong" and f"from {MUTE}" in found["udp"][1] and "Let UDP out" in found["udp"][1], f"{found}")

    with tally.case("wow doctor where nobody listens on the bootstrap's port: tells that apart"):
        run_program(*world.topology.inside("mute", "nft", "flush", "ruleset"))
        found = doctor(lonely, 1)
        must("udp" not in found and "nobody listens on that UDP port" in found["seed"][1], f"{found}")
        lonely.stop()

    with tally.case("wow doctor without ipopd: says that first, and finds by itself whether the bootstrap answers"):
        found = doctor(lonely, 1)
        must(next(iter(found)) == "ipopd" and found["ipopd"][0] == "wrong" and "nobody listens on that UDP port" in found["seed"][1], f"{found}")
        lonely.options["pool"]["bootstrap"] = BOOTSTRAP
        lonely.write()
        found = doctor(lonely, 1)
        must(found["ring"][0] == "ok" and f"{BOOTSTRAP} answers by UDP after" in found["ring"][1], f"{found}")
        lonely.options["pool"]["bootstrap"] = "udp:no-such-name.invalid:4433"
        lonely.write()
        must("does not resolve" in doctor(lonely, 1)["bootstrap"][1], "the name is not told")

    with tally.case("wow doctor with another secret: the bootstrap does not answer"):
        lonely.options["pool"]["bootstrap"] = BOOTSTRAP
        lonely.options["pool"]["secret"] = "ab" * 32
        lonely.write()
        must("[pool] secret is the same there" in doctor(lonely, 1)["udp"][1], "the secret is not told")
