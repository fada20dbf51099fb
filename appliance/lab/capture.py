"""Records what passes a machine's network card, seen from the host, from before the machine is switched on."""

import os
import time

from network import inside
from shell import LabError, start


def record(machine, path, log, patience=20):
    """Starts tcpdump on the machine's tap and returns its process once it listens. Packets reach the file one by one.

    Frames between others, which the bridge floods until it has learned its ports, are left out.
    """
    if os.path.exists(log):
        os.remove(log)
    process = start(*inside(machine.namespace, "tcpdump", "-n", "-U", "-s", "0", "-Z", "root", "-i", machine.tap, "-w", path,
                             "ether", "host", machine.mac, "or", "ether", "multicast"), log=log)
    limit = time.monotonic() + patience
    while time.monotonic() < limit:
        with open(log, encoding="utf-8", errors="replace") as said:
            if "listening on" in said.read():
                return process
        if process.poll() is not None:
            break
        time.sleep(0.05)
    raise LabError(f"tcpdump does not record {machine.tap}; it says why in {log}", machine.name, "capture")
