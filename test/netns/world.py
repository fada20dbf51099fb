"""The topology with its nodes, and the end of both."""

import pathlib
import shutil
import tempfile
import traceback

from node import Node
from shell import run
from topology import SYMMETRIC, Topology

BOOTSTRAP = "udp:192.0.2.10:4433"


class World:
    """boot, one, two, sym, walled and barred; close() ends all."""

    def __init__(self, program):
        self.program = program
        self.topology = Topology()
        self.folder = tempfile.mkdtemp(prefix="wow-netns-")
        self.nodes = {}

    def build(self):
        """Makes the namespaces; starts nothing."""
        self.topology.public("boot", "192.0.2.10")
        self.topology.site("one", "192.0.2.21", "10.1.0")
        self.topology.site("two", "192.0.2.22", "10.2.0")
        self.topology.site("sym", "192.0.2.23", "10.3.0", how=SYMMETRIC)
        self.topology.site("walled", "192.0.2.24", "10.5.0", allow="meta l4proto tcp")
        self.topology.site("barred", "192.0.2.25", "10.6.0", allow="meta l4proto tcp", refuse="meta l4proto tcp reject with tcp reset")
        self.topology.public("probe", "192.0.2.30", "192.0.2.31")
        for name in ("boot", "one", "two", "sym", "walled", "barred"):
            self.add(name)

    def add(self, name, pool="netns", multicast=False):
        """One more node, in the namespace of that name. Without multicast the pools on one bridge, which have one secret, do not meet."""
        self.nodes[name] = Node(self.topology, name, self.folder, self.program, pool, multicast)
        return self.nodes[name]

    def __getattr__(self, name):
        try:
            return self.__dict__["nodes"][name]
        except KeyError:
            raise AttributeError(name) from None

    def pool(self):
        """The four nodes of the picture."""
        return [self.nodes[name] for name in ("boot", "one", "two", "sym")]

    def logs(self):
        """The last lines of every log."""
        return [f"{name}: {line}" for name, node in self.nodes.items() for line in node.tail()]

    def explain(self, error):
        """What helps to understand a failure."""
        where = traceback.extract_tb(error.__traceback__)[-1]
        return [f"{error} ({pathlib.Path(where.filename).name}:{where.lineno})", *self.logs()]

    def close(self):
        """Ends every process, removes every namespace and file."""
        for node in self.nodes.values():
            node.end()
        self.topology.close()
        shutil.rmtree(self.folder)

    def must_be_gone(self):
        """Fails if something of this run is still there."""
        left = self.topology.left()
        left += run("pgrep", "-f", self.folder, check=False).stdout.split()
        if pathlib.Path(self.folder).exists():
            left.append(self.folder)
        if left:
            raise AssertionError(f"still there: {left}")
