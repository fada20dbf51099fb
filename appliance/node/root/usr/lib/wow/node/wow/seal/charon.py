"""Gives charon what it seals with."""
import os
import time

from wow.lib import console, files, paths, system
from wow.lib.errors import WowError
from wow.seal import crl, swanctl

CONFIG = f"{paths.RUN}/swanctl.conf"
SEEN = {"ca.pem": f"{paths.RUN}/ca.seen", "node.pem": f"{paths.RUN}/node.seen"}
"""Which certificates charon has read together with its connection, as `watch` says it."""


def load(subnet: str, address: str, patience: float = 60.0) -> None:
    """Loads credentials, connection and trap policy; WowError if charon does not take them within `patience` seconds."""
    files.write(CONFIG, swanctl.config(address, subnet))
    crl.install()
    limit = time.monotonic() + patience
    system.systemctl("start", "strongswan.service")
    while True:
        # Before it is read: what is renewed meanwhile is read once more.
        read = {seen: os.stat(f"{paths.STATE}/{name}") for name, seen in SEEN.items()}
        code, output = system.run(["swanctl", "--load-all", "--noprompt"])
        if code == 0:
            for seen, which in read.items():
                files.write(seen, f"{which.st_ino} {int(which.st_mtime)} {which.st_size}\n")
            console.say("ipsec", policies="loaded", subnet=subnet)
            return
        if time.monotonic() > limit:
            raise WowError(system.last_line(output) or f"swanctl ended with {code}",
                           "Look with: swanctl --load-all; journalctl -u strongswan. Nothing leaves unsealed meanwhile", CONFIG)
        time.sleep(0.5)
