"""A stack's layer comes to a pool of machines, most of it from each other, though some of those that said to have it lie, are away or slow. The CA is wow-ca itself, whose line is
narrow; what leaves it is counted by the kernel."""

import contextlib
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from tally import must
from topology import Topology
from waiting import until

POOL, SUBNET = "science", "192.0.2.0/24"
AUTHORITY, LIAR, AWAY, SLOW, FIRST = "192.0.2.1", "192.0.2.11", "192.0.2.12", "192.0.2.13", "192.0.2.14"
MACHINES = [f"192.0.2.{number}" for number in range(101, 141)]
SIZE = 3_000_000
LINE = f"""
table ip line {{
  counter sent {{ }}
  chain out {{
    type filter hook output priority filter;
    oifname "wan" limit rate over 2 mbytes/second burst 200 kbytes drop
    oifname "wan" tcp sport 8445 counter name sent
  }}
}}
"""
"""Two megabytes a second leave the CA; what is dropped is not counted."""
OFF = f"""
table ip off {{
  chain in {{
    type filter hook input priority filter
    ip daddr {AWAY} tcp dport 8446 drop
  }}
}}
"""
"""Nobody hears of this machine again."""
LONE, CROWD = 120.0, 240.0
"""Seconds for one machine that has nobody but bad ones and the CA, and for all others."""
LEAST_RATIO = 5
"""The CA sends so many times less than comes in, at least."""
IMAGE = f"base base base-1.squashfs 9 {'ba' * 32}\nnode node node-1.squashfs 9 {'0d' * 32}\n"


class Spread:
    """The CA, which has published one layer, and machines that are begun one after the other."""

    def __init__(self, program):
        self.topology, self._stack = Topology(), contextlib.ExitStack()
        self.folder = pathlib.Path(self._stack.enter_context(tempfile.TemporaryDirectory()))
        self._tool = str(pathlib.Path(program).with_name("wow-ca"))
        self._processes, self.layer = [], os.urandom(SIZE)
        self.digest = hashlib.sha256(self.layer).hexdigest()

    def __enter__(self):
        try:
            self._build()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _build(self):
        self.topology.public("ca", AUTHORITY)
        self.topology.public("pool", FIRST, LIAR, AWAY, SLOW, *MACHINES)
        self.topology.nft("ca", LINE)
        self.topology.nft("pool", OFF)
        made, state = self.folder / "made", str(self.folder / "ca")
        made.mkdir()
        (made / self.digest).write_bytes(self.layer)
        (made / "stack").write_text(f"wow-stack 1\nbase {'ba' * 32}\nnode {'0d' * 32}\nmodule maths {SIZE} {self.digest}\n", encoding="ascii")
        for words in (("init", "--pool", POOL, "--subnet", SUBNET), ("manager", "--out", str(self.folder), "--host", "manager"), ("publish", str(made))):
            subprocess.run([self._tool, *words, "--state", state], check=True, stdout=subprocess.DEVNULL)
        self._start("ca", "log.ca", self._tool, "serve", "--state", state, "--listen", f"{AUTHORITY}:8443", "--certificate", str(self.folder / "node.pem"),
                    "--key", str(self.folder / "node.key"))
        until(self._ca_listens, lambda listens: listens, "the CA listens")

    def __exit__(self, *_):
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait()
        self.topology.close()
        self._stack.close()

    def _start(self, where, log, *command):
        with open(self.folder / log, "wb") as file:
            process = subprocess.Popen(self.topology.inside(where, *command), stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT)
        self._processes.append(process)
        return process

    def _ca_listens(self):
        return ":8445" in subprocess.run(self.topology.inside("ca", "ss", "-Hltn"), stdout=subprocess.PIPE, text=True, check=True).stdout

    def sent(self):
        """Bytes of packets that the CA sent from the port of layers."""
        return int(re.search(r"counter sent \{\s*packets \d+ bytes (\d+)", self.topology.nft("ca", None).stdout).group(1))

    def bad(self, address, what):
        """One that says to have the layer and does not; what: lies, slow or away."""
        self._start("pool", f"log.{address}", sys.executable, str(pathlib.Path(__file__).with_name("bad_sharer.py")), what, address, AUTHORITY, self.digest, str(SIZE))
        until((self.folder / f"log.{address}").read_text, lambda text: "ready" in text, f"the machine that is bad ({what}) is there")

    def machine(self, address):
        """A machine that the notice has just reached."""
        folder = self.folder / address
        folder.mkdir()
        (folder / "notice-3").write_bytes((self.folder / "ca/stack.notice").read_bytes())
        (folder / "A.conf").write_text(IMAGE, encoding="ascii")
        self._start("pool", f"log.{address}", sys.executable, "-u", str(pathlib.Path(__file__).with_name("sharer.py")), str(folder), address, AUTHORITY)

    def has(self, address):
        """Whether a machine has the layer, and takes it at its next start."""
        if not (self.folder / address / "took").exists():
            return False
        must((self.folder / address / f"home/layers/{self.digest}").read_bytes() == self.layer, f"{address} took other bytes")
        must(self.digest in (self.folder / address / "home/stacks/next").read_text(encoding="ascii"), f"{address} does not take it")
        return True

    def log(self, address):
        """What a machine said."""
        return (self.folder / f"log.{address}").read_text(encoding="utf-8")

    def explain(self, error):
        """What failed, and the ends of the logs."""
        return [str(error)] + [f"{path.name}: {line}" for path in sorted(self.folder.glob("log.*")) for line in path.read_text(encoding="utf-8").splitlines()[-6:]]


def run(tally, program):
    """Both ways."""
    with Spread(program) as spread:
        for address, what in ((LIAR, "lies"), (AWAY, "away"), (SLOW, "slow")):
            spread.bad(address, what)
        with tally.case("a machine to which the CA names a liar, one that is away and a slow one leaves all three, and has the layer from the CA", spread.explain):
            before = spread.sent()
            spread.machine(FIRST)
            until(lambda: spread.has(FIRST), lambda has: has, "it has the layer", limit=LONE)
            said = spread.log(FIRST)
            for address, why in ((LIAR, "is not what was signed"), (AWAY, "was not brought"), (SLOW, "with less than")):
                must(re.search(f"{address} is asked no more: .*{why}", said), f"{address} was not left: {said}")
            must(spread.sent() - before > SIZE // 2, "it came from nowhere")
        with tally.case(f"of {len(MACHINES)} machines each has the layer, whoever lies, is away or slow, and the CA sends it a few times", spread.explain):
            began = time.monotonic()
            for address in MACHINES:
                spread.machine(address)
            until(lambda: [address for address in MACHINES if not spread.has(address)], lambda lacking: not lacking, "all have the layer", limit=CROWD, pause=0.5)
            came, sent = (1 + len(MACHINES)) * SIZE, spread.sent()
            print(f"     {came / SIZE:.0f} machines took {came / 1e6:.0f} MB, the last {len(MACHINES)} in {time.monotonic() - began:.0f} s; the CA sent {sent / 1e6:.1f} MB: "
                  f"{came / sent:.1f} times less", flush=True)
            must(came / sent > LEAST_RATIO, f"the CA sent {sent} bytes of {came}")
            must(not any(f"came from {bad}\n" in spread.log(address) for address in MACHINES for bad in (LIAR, SLOW)), "somebody believed a bad one")
