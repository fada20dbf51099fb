"""The overlay's UDP port of a machine that others do not begin at: one of its own, always the same.

A router that leaves a machine's port as it is (Linux does) has it once: a second machine behind it that sends from the same port to the same place gets another
one there by chance, and nobody knows where to call it (docs/decisions/0113)."""
from wow.lib import agreed, files, paths

FIRST, COUNT = 20000, 12768
"""Ports to choose from: above those that services have, below those that Linux takes for connections (ip_local_port_range)."""


def number() -> int:
    """What follows from the machine's number, which is kept with its home and is nobody else's; the usual port where there is none that can be read."""
    try:
        return FIRST + int(files.read(f"{paths.STATE}/machine-id"), 16) % COUNT
    except (OSError, ValueError):
        return agreed.OVERLAY_PORT
