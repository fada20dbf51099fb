"""Gives charon what it seals with."""
import os
import time

from wow.lib import console, files, paths, system
from wow.lib.errors import WowError
from wow.seal import crl, swanctl

CONFIG = f"{paths.RUN}/swanctl.conf"
SEEN = f"{paths.RUN}/ca.seen"
"""Which certificate of the CA charon has read, as `watch` says it."""


def load(subnet: str, address: str, patience: float = 60.0) -> None:
    """Loads credentials, connection and trap policy; WowError if charon does not take them within `patience` seconds."""
    files.write(CONFIG, swanctl.config(address, subnet))
    crl.install()
    limit = time.monotonic() + patience
    system.systemctl("start", "strongswan.service")
    while True:
        # Before it is read: what is renewed meanwhile is read once more.
        read = os.stat(f"{paths.STATE}/ca.pem")
        code, output = system.run(["swanctl", "--load-all", "--noprompt"])
        if code == 0:
            files.write(SEEN, f"{read.st_ino} {int(read.st_mtime)} {read.st_size}\n")
            console.say("ipsec", policies="loaded", subnet=subnet)
            return
        if time.monotonic() > limit:
            raise WowError(system.last_line(output) or f"swanctl ended with {code}",
                           "Look with: swanctl --load-all; journalctl -u strongswan. Nothing leaves unsealed meanwhile", CONFIG)
        time.sleep(0.5)


def load_credentials() -> None:
    """Has charon read the certificate anew; its connections stay. WowError says why it does not."""
    system.must(["swanctl", "--load-creds", "--noprompt"])
