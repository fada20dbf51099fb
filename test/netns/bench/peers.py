"""What is compared: the bare wire, a floor, wireguard-go and ourselves. Each brings an address of `b` that `a` reaches, and the processes that carry it."""

import pathlib
import re
import shutil
import tempfile

import sealing
from clients import lease
from daemons import Daemons
from node import Node
from rows import FLOOR
from shell import run
from two import ADDRESS
from waiting import until

HERE = pathlib.Path(__file__).resolve().parent
PORT = 5001
MTU = 1420


class Native:
    """Nothing between the two: the limit."""
    name = "native"

    def start(self, _two):
        """Returns b's address."""
        return ADDRESS["b"]

    def processes(self):
        """Process numbers of the daemons."""
        return []

    def stop(self):
        """Ends what start() began."""


class Socat(Daemons):
    """
    A TUN on both, carried as it is in plain UDP by a program that does nothing else: no seal, no runs, a system call for each packet in and out. What a
    packet through any program costs on this machine, by its wake-ups most of all. It is asked for the round trip alone.
    """
    name = FLOOR

    def start(self, two):
        """Returns b's address inside."""
        inner = {"a": "10.9.1.1", "b": "10.9.1.2"}
        for name, other in (("a", "b"), ("b", "a")):
            # The kernel would greet IPv6's routers by a TUN that is up; the other socat's kernel, where none listens yet, would refuse, and that ends socat.
            run(*two.inside(name, "sysctl", "-qw", "net.ipv6.conf.default.disable_ipv6=1"))
            self.begin(two, name, "socat", f"UDP:{ADDRESS[other]}:{PORT},bind={ADDRESS[name]}:{PORT}", f"TUN:{inner[name]}/24,tun-name=floor,iff-no-pi,up")
        for name, address in inner.items():
            # socat opens the TUN last: where the TUN is up with its address, the socket is there, too.
            until(lambda n=name: two.ip(n, "address", "show", "up").stdout, lambda said, a=address: f"{a}/24" in said, "socat has its TUN")
        return inner["b"]


class WireguardGo(Daemons):
    """The fastest of the peers that work in user space."""
    name = "wireguard-go"

    def __init__(self, program):
        super().__init__()
        self._program = program

    def start(self, two):
        """Returns b's address inside the tunnel."""
        inner = {"a": "10.9.0.1", "b": "10.9.0.2"}
        private = {name: run("wg", "genkey").stdout.strip() for name in ADDRESS}
        public = {name: run("wg", "pubkey", text_in=key).stdout.strip() for name, key in private.items()}
        for name, other in (("a", "b"), ("b", "a")):
            device = f"wg{two.prefix}{name}"[:15]
            self.begin(two, name, self._program, "-f", device, WG_PROCESS_FOREGROUND="1")
            until(lambda n=name, d=device: run(*two.inside(n, "wg", "show", d), check=False).returncode, lambda code: code == 0, "wireguard-go answers")
            run(*two.inside(
                name, "wg", "set", device, "listen-port", str(PORT), "private-key", "/dev/stdin", "peer", public[other], "allowed-ips",
                f"{inner[other]}/32", "endpoint", f"{ADDRESS[other]}:{PORT}"), text_in=private[name])
            two.ip(name, "address", "add", f"{inner[name]}/24", "dev", device)
            two.ip(name, "link", "set", device, "mtu", str(MTU), "up")
        return inner["b"]


class Wow:
    """ipopd on both, an open pool, the whole path: tap, checks of addresses, seal, wire."""
    name = "wow"

    def __init__(self, program, library):
        self._program = program
        self._library = library
        self._folder = None
        self._nodes = []
        self.sealer = None  # known once they run

    def start(self, two):
        """Returns b's virtual address."""
        self._folder = tempfile.mkdtemp(prefix="wow-bench-")
        self._nodes = [Node(two, name, self._folder, self._program, "bench", environment=sealing.environment(self._library)) for name in ADDRESS]
        first, second = self._nodes
        first.start()
        until(first.status, lambda status: status["ring"]["joined"], "a joins")
        lease(first)
        second.start(f"udp:{ADDRESS['a']}:4433")
        until(second.status, lambda status: status["ring"]["joined"], "b joins")
        self.sealer = sealing.sealer(second.pid)
        return lease(second)["ip"]

    def processes(self):
        """Process numbers of the daemons."""
        return [int(re.search(r"\d+", node.run("pgrep", "-f", str(node.config)).stdout).group()) for node in self._nodes]

    def stop(self):
        """Ends what start() began."""
        for node in self._nodes:
            node.end()
        self._nodes = []
        if self._folder:
            shutil.rmtree(self._folder)
            self._folder = None
