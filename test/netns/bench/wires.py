"""What a wire between two namespaces can be for a while: one that cuts runs, one that loses, one that is slow."""

import contextlib

from shell import run

OFFLOADS = ("tx-udp-segmentation", "tx-tcp-segmentation", "tx-tcp6-segmentation")

# Each datagram by itself, in both directions, before the kernel looks at it; so only on a wire that cuts runs.
LOSS = """
table inet loss {{
  chain arrives {{
    type filter hook prerouting priority raw;
    iifname "wire" numgen random mod 1000 < {permille} drop
  }}
}}
"""


@contextlib.contextmanager
def cut(two):
    """Runs of datagrams and segments are cut before they leave, as most network cards do it."""
    _runs(two, "off")
    try:
        yield
    finally:
        _runs(two, "on")


@contextlib.contextmanager
def lossy(two, permille):
    """A wire that cuts, and of a thousand packets loses so many."""
    with cut(two):
        for name in two.ends:
            two.nft(name, LOSS.format(permille=permille))
        try:
            yield
        finally:
            for name in two.ends:
                run(*two.inside(name, "nft", "delete", "table", "inet", "loss"))


@contextlib.contextmanager
def slow(two, mbits):
    """A wire that cuts, of so many Mb/s each way, with room for 20 ms."""
    with cut(two):
        for name in two.ends:
            run(*two.inside(
                name, "tc", "qdisc", "add", "dev", "wire", "root", "tbf", "rate", f"{mbits}mbit", "burst", "16kb", "latency", "20ms"))
        try:
            yield
        finally:
            for name in two.ends:
                run(*two.inside(name, "tc", "qdisc", "delete", "dev", "wire", "root"))


def _runs(two, word):
    for name in two.ends:
        run(*two.inside(name, "ethtool", "-K", "wire", *(each for offload in OFFLOADS for each in (offload, word))))
