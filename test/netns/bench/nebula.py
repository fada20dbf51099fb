"""Nebula as a peer of the bench: of those that work in user space the fastest with small datagrams."""

import pathlib
import shutil
import subprocess
import tempfile

from daemons import Daemons
from two import ADDRESS
from waiting import until

PORT = 4242
INNER = {"a": "10.9.2.1", "b": "10.9.2.2"}
# Its batches and its cipher as its manual advises for speed; everything may pass.
CONFIGURATION = """\
pki: {{ca: {folder}/ca.crt, cert: {folder}/{name}.crt, key: {folder}/{name}.key}}
static_host_map: {{"{inner}": ["{outer}:{port}"]}}
lighthouse: {{am_lighthouse: false, hosts: []}}
listen: {{host: 0.0.0.0, port: {port}, batch: 64}}
tun: {{dev: neb{name}, mtu: 1300}}
cipher: aes
firewall: {{outbound: [{{port: any, proto: any, host: any}}], inbound: [{{port: any, proto: any, host: any}}]}}
"""


def configuration(folder, name, other):
    """The text of one side's configuration."""
    return CONFIGURATION.format(folder=folder, name=name, inner=INNER[other], outer=ADDRESS[other], port=PORT)


class Nebula(Daemons):
    """Nebula on both, a certificate authority made for it."""
    name = "nebula"

    def __init__(self, program):
        super().__init__()
        self._program = pathlib.Path(program)
        self._folder = None

    def start(self, two):
        """Returns b's address inside."""
        self._folder = tempfile.mkdtemp(prefix="wow-bench-")
        self._certify("ca", "-name", "bench", "-out-crt", "ca.crt", "-out-key", "ca.key")
        for name, other in (("a", "b"), ("b", "a")):
            self._certify("sign", "-name", name, "-ip", f"{INNER[name]}/24", "-out-crt", f"{name}.crt", "-out-key", f"{name}.key")
            file = pathlib.Path(self._folder) / f"{name}.yml"
            file.write_text(configuration(self._folder, name, other), encoding="utf-8")
            self.begin(two, name, self._program, "-config", file)
        for name, address in INNER.items():
            until(lambda n=name: two.ip(n, "address", "show", "up").stdout, lambda said, a=address: f"{a}/24" in said, "nebula has its TUN")
        return INNER["b"]

    def stop(self):
        """Ends what start() began."""
        super().stop()
        if self._folder:
            shutil.rmtree(self._folder)
            self._folder = None

    def _certify(self, *arguments):
        subprocess.run([self._program.with_name("nebula-cert"), *arguments], cwd=self._folder, check=True, stdout=subprocess.DEVNULL)
