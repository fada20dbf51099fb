"""One open pool: a first node that keeps the ring, and one node for each client, all on one public network."""

import pathlib
import shutil
import tempfile
import traceback

from frames import messages
from node import Node
from topology import Topology
from waiting import until

BOOTSTRAP = "udp:192.0.2.10:4433"


class Pool:
    """close() ends all."""

    def __init__(self, program):
        self.topology = Topology()
        self.folder = tempfile.mkdtemp(prefix="wow-dhcp-")
        self._program = program
        self.nodes = {}
        self.guests = []

    def build(self, names):
        """Starts the nodes, and waits until they have found each other."""
        for number, name in enumerate(["boot", *names]):
            self.topology.public(name, f"192.0.2.{10 + number}")
            node = self.nodes[name] = Node(self.topology, name, self.folder, self._program, "dhcp")
            node.options["node"]["host"] = name.lower()
            node.options["tap"] = {"capture": str(node.folder / "tap.pcap")}
            node.start("" if name == "boot" else BOOTSTRAP)
        for node in self.nodes.values():
            until(node.status, lambda status: status["ring"]["joined"], f"{node.name} joins the ring")

    def said(self, name):
        """Every DHCP message on the tap of a node."""
        return messages((self.nodes[name].folder / "tap.pcap").read_bytes())

    def explain(self, error):
        """What helps to understand a failure."""
        where = traceback.extract_tb(error.__traceback__)[-1]
        lines = [f"{error} ({pathlib.Path(where.filename).name}:{where.lineno})"]
        for guest in self.guests:
            lines += [f"{guest.node.name}: {line}" for line in guest.tail()]
        return lines

    def close(self):
        """Ends every process, removes every namespace and file."""
        for guest in self.guests:
            guest.kill()
        for node in self.nodes.values():
            node.end()
        self.topology.close()
        shutil.rmtree(self.folder)
