"""Machines on one wire: `a` and `b` joined by a veth of MTU 1500, or `a` and eight others on one bridge."""

from topology import Topology

ADDRESS = {"a": "192.0.2.1", "b": "192.0.2.2"}


class Two(Topology):
    """build(), then close()."""
    ends = tuple(ADDRESS)

    def build(self):
        """Makes both."""
        for name in ADDRESS:
            self.namespace(name)
        self.ip("a", "link", "add", "wire", "type", "veth", "peer", "name", "wire", "netns", self.prefix + "b")
        for name, address in ADDRESS.items():
            self.ip(name, "address", "add", f"{address}/24", "dev", "wire")
            self.ip(name, "link", "set", "wire", "up")


class Star(Topology):
    """`a`, and `b1` to `b8`, each with a cable to one switch."""
    addresses = {"a": ADDRESS["a"], **{f"b{number}": f"192.0.2.{10 + number}" for number in range(1, 9)}}

    def build(self):
        """Makes all."""
        for name, address in self.addresses.items():
            self.public(name, address)
