"""Records what passes a machine's network card, seen from the host, from before the machine is switched on."""

from network import inside
from shell import served


def record(machine, path, log):
    """Starts tcpdump on the machine's tap and returns its process once it listens. Packets reach the file one by one.

    Frames between others, which the bridge floods until it has learned its ports, are left out.
    """
    return served(*inside(machine.namespace, "tcpdump", "-n", "-U", "-s", "0", "-Z", "root", "-i", machine.tap, "-w", path,
                          "ether", "host", machine.mac, "or", "ether", "multicast"),
                  log=log, says="listening on", what=f"tcpdump does not record {machine.tap}")
