"""A pool whose machines have certificates, and its CA."""

import pathlib
import shutil
import subprocess

from clients import lease
from node import Node
from nodes import Nodes
from waiting import until

BOOTSTRAP, SUBNET = "udp:192.0.2.10:4433", "10.128.0.0/16"


class Certified(Nodes):
    """A manager and three machines with certificates, on one network; the second build's wow-ca made them."""

    def __init__(self, first, second, pool):
        super().__init__()
        self.ca = pathlib.Path(self.folder.name) / "ca"
        self._tool = str(pathlib.Path(second).with_name("wow-ca"))
        self._server = None
        self.certify("init", "--pool", pool, "--subnet", SUBNET)
        for number, (name, program) in enumerate((("manager", first), ("one", second), ("two", first), ("gone", second))):
            self.topology.public(name, f"192.0.2.{10 + number}")
            node = self.nodes[name] = Node(self.topology, name, self.folder.name, program, pool)
            node.options["pool"]["open"] = "no"
            state = node.folder / "state"
            state.mkdir()
            assigned = ("manager",) if name == "manager" else ("machine", "--address", f"10.128.0.{10 + number}")
            self.certify(*assigned, "--out", str(state), "--host", name)
            shutil.copy(self.ca / "ca.pem", state)

    def __exit__(self, *ended):
        if self._server:
            self._server.kill()
            self._server.wait()
        super().__exit__(*ended)

    def certify(self, verb, *arguments, folder=None):
        """What somebody types in the CA's folder, or in a copy of it."""
        subprocess.run([self._tool, verb, *arguments, "--state", str(folder or self.ca)], check=True, stdout=subprocess.DEVNULL)

    def join(self):
        """All start, with the addresses of their certificates."""
        for node in self.nodes.values():
            node.start("" if node.name == "manager" else BOOTSTRAP)
            until(node.status, lambda status: status["ring"]["joined"] and status["certified"], f"{node.name} joins")
            lease(node)

    def serve(self):
        """The CA beside the manager, which hands what it signs to its ipopd."""
        manager = self.nodes["manager"]
        state = manager.folder / "state"
        self._server = subprocess.Popen(
            manager.inside(self._tool, "serve", "--state", str(self.ca), "--listen", "127.0.0.1:8443", "--certificate", str(state / "node.pem"),
                           "--key", str(state / "node.key"), "--control", str(manager.socket)),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def revoke(self, name):
        """Takes a machine's certificate back."""
        self.certify("revoke", name)

    def revocations(self):
        """How many certificates each that stays knows to be taken back."""
        return {name: (node.status()["revocations"] or {}).get("certificates") for name, node in self.nodes.items() if name != "gone"}
