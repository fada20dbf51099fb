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
        read = {seen: _which(f"{paths.STATE}/{name}")[0] for name, seen in SEEN.items()}
        code, output = system.run(["swanctl", "--load-all", "--noprompt"])
        if code == 0:
            for seen, which in read.items():
                files.write(seen, which)
            console.say("ipsec", policies="loaded", subnet=subnet)
            return
        if time.monotonic() > limit:
            raise WowError(system.last_line(output) or f"swanctl ended with {code}",
                           "Look with: swanctl --load-all; journalctl -u strongswan. Nothing leaves unsealed meanwhile", CONFIG)
        time.sleep(0.5)


def unread(state: str = paths.STATE) -> float | None:
    """When the newest certificate was written that charon has not read, in seconds since 1970; None where it has read all that there are, or was not given any yet."""
    found: list[float] = []
    for name, seen in SEEN.items():
        try:
            which, written = _which(f"{state}/{name}")
        except OSError:
            continue
        if files.find(seen) not in (None, which):
            found.append(written)
    return max(found, default=None)


def _which(path: str) -> tuple[str, float]:
    """Which file it is, as `watch` writes it, and when it was written."""
    about = os.stat(path)
    return f"{about.st_ino} {int(about.st_mtime)} {about.st_size}\n", about.st_mtime
