"""Two machines on one wire: namespaces `a` and `b` joined by a veth of MTU 1500."""

from topology import Topology

ADDRESS = {"a": "192.0.2.1", "b": "192.0.2.2"}


class Two(Topology):
    """build(), then close()."""

    def build(self):
        """Makes both."""
        for name in ADDRESS:
            self.namespace(name)
        self.ip("a", "link", "add", "wire", "type", "veth", "peer", "name", "wire", "netns", self.prefix + "b")
        for name, address in ADDRESS.items():
            self.ip(name, "address", "add", f"{address}/24", "dev", "wire")
            self.ip(name, "link", "set", "wire", "up")
