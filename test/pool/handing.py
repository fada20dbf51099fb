"""A file of the pool's stack from one machine to another, by the unit as systemd starts it: confined, for one connection, and gone after it."""

import hashlib
import os
import pathlib
import subprocess

import layers
from tally import must
from waiting import until

SIZE = 1_500_000
PORT = 8446
NOTICE = "/var/lib/wow/notice-3"
FETCH = """
import sys
sys.path.insert(0, "/usr/lib/wow/node")
from wow.lib.errors import WowError
from wow.stack import fetch, peers
from wow.stack.text import Layer
try:
    fetch.layer(peers.Peer("{there}", "{here}"), Layer("module", "maths", {size}, "{digest}"), "/run")
    print("came")
except fetch.Busy:
    print("busy")
except WowError as error:
    print(error.what)
"""
HOLD = "import socket, sys; link = socket.create_connection(('{there}', {port})); print('held', flush=True); sys.stdin.read()"
"""Keeps a connection, and says nothing on it."""
REACH = """
import socket, sys
try:
    socket.create_connection((sys.argv[1], int(sys.argv[2])), 10)
    print("open")
except OSError as error:
    print(type(error).__name__)
"""


def run(tally, pool):
    """From alpha to beta."""
    alpha, beta = pool.alpha, pool.beta
    layer = os.urandom(SIZE)
    digest = hashlib.sha256(layer).hexdigest()
    over = "".join(f"{row[0]} {row[4]}\n" for row in map(str.split, layers.stack().splitlines()) if row[0] in ("base", "node"))
    alpha.sh("mkdir -p -m 700 /run/layers/home/layers")
    put(alpha, f"/run/layers/home/layers/{digest}", layer)
    # An open pool has no CA that would have published it.
    put(alpha, NOTICE, b"WOWN\x03" + (7).to_bytes(8, "big") + b"\x01s" + f"wow-stack 1\n{over}module maths {SIZE} {digest}\n".encode())

    def fetched():
        return beta.run("/usr/bin/python3", "-I", "-S", "-c", FETCH.format(there=alpha.address, here=beta.address, size=SIZE, digest=digest)).stdout.strip()
    with tally.case("a machine hands a file of the published stack to another one, and nothing is in memory before and after"):
        must(alpha.run("systemctl", "is-active", "wow-share.socket").stdout.strip() == "active", "nobody listens")
        must(not serving(alpha), f"there is {serving(alpha)} before anybody asks")
        must((said := fetched()) == "came", said)
        must(beta.run("sha256sum", f"/run/{digest}").stdout.split()[0] == digest, "other bytes came")
        beta.run("rm", f"/run/{digest}")
        until(lambda: serving(alpha), lambda units: not units, "the unit is gone")
        must(alpha.run("cat", "/run/wow-share/sent").stdout.split()[1:] == [str(SIZE)], "what was sent is not counted")
    with tally.case("one connection a machine is served, and another one is closed without a word"):
        holding = beta.inside("/usr/bin/python3", "-I", "-S", "-c", HOLD.format(there=alpha.address, port=PORT))
        with subprocess.Popen(holding, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as held:
            must(held.stdout.readline() == b"held\n", "no connection")
            must((said := fetched()) == "busy", said)
        until(fetched, lambda said: said == "came", "it is served again")
        beta.run("rm", f"/run/{digest}")
    with tally.case("a paused machine hands out nothing"):
        alpha.run("wow", "pause")
        must("does not serve" in (said := fetched()), said)
        alpha.run("wow", "resume")
        must((said := fetched()) == "came", said)
        beta.run("rm", f"/run/{digest}")
    with tally.case("on the machine's own network nobody hears of it"):
        outside = alpha.sh("ip -4 -o address show | awk '$2 != \"lo\" && $2 != \"wow0\" { sub(\"/.*\", \"\", $4); print $4; exit }'").strip()
        must(outside, "it has no address there")
        asked = {address: beta.run("/usr/bin/python3", "-I", "-S", "-c", REACH, address, str(PORT)).stdout.strip() for address in (alpha.address, outside)}
        must(asked == {alpha.address: "open", outside: "TimeoutError"}, f"{asked}")
    alpha.sh(f"rm -r {NOTICE} /run/layers/home")


def put(machine, path, data):
    """Leaves a file in a machine."""
    pathlib.Path(f"/proc/{machine.first}/root{path}").write_bytes(data)


def serving(machine):
    """Units that serve now."""
    return machine.run("systemctl", "list-units", "--no-legend", "--plain", "wow-share@*").stdout.split("\n")[0]
