"""Daemons on machines of their own, that end together."""

import tempfile

from topology import Topology


class Nodes:
    """A topology, a folder and the daemons by name; leaving the block ends the daemons and takes away the others."""

    def __init__(self):
        self.nodes = {}
        self.topology = Topology()
        self.folder = tempfile.TemporaryDirectory(prefix="wow-netns-")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for node in self.nodes.values():
            node.end()
        self.topology.close()
        self.folder.cleanup()
