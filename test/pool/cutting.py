"""Cuts a machine off: its card keeps its carrier, but no packet enters or leaves by it, as where the network between is broken."""

import contextlib

RULES = """table inet cut {
  chain in { type filter hook prerouting priority raw; iifname "wan" counter drop; }
  chain out { type filter hook output priority raw; oifname "wan" counter drop; }
}
"""


@contextlib.contextmanager
def cut(machine):
    """The machine is cut off until the end of the block."""
    machine.run("nft", "-f", "-", text_in=RULES)
    try:
        yield
    finally:
        machine.run("nft", "delete table inet cut")


def dropped(machine):
    """How many packets a cut machine lost so far: what came in, what should have gone out."""
    said = machine.run("nft", "list", "table", "inet", "cut").stdout
    return [int(line.split("packets ")[1].split()[0]) for line in said.splitlines() if "packets " in line]


def has_carrier(machine):
    """Whether the machine's card has its carrier."""
    return machine.run("cat", "/sys/class/net/wan/carrier").stdout.strip() == "1"
