"""The one exception in the fence and in IPsec: a machine that enrols talks with the CA in the clear, on two ports, and with nobody else."""
import time

from wow.lib import files, paths, system
from wow.seal import fence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

DONE = {"06", "07"}
"""TIME_WAIT and CLOSE of /proc/net/tcp: the other side has nothing to say any more."""


def open_for(address: str, ca: str) -> None:
    """Lets pass TCP to the CA's port and its possession check, to and from this one address. charon's block stays for all else."""
    system.must(["nft", "-f", "-"], fence.open_enrolment(ca))
    system.must(["ip", "-batch", "-"], fence.open_enrolment_policies(address, ca))


def close_for(address: str, ca: str) -> None:
    """Takes the exception away; what is not there any more is no error."""
    system.run(["nft", "-f", "-"], fence.close_enrolment())
    system.run(["ip", "-force", "-batch", "-"], fence.close_enrolment_policies(address, ca))


def wait_for_goodbye(ca: str, patience: float = 15.0, read: "Callable[[], str]" = lambda: files.read("/proc/net/tcp")) -> None:
    """Waits, `patience` seconds at most, until the connections with the CA are closed on both sides. A fence that falls before the CA's last
    packet makes the CA repeat it for minutes, in the clear, when nothing in the clear is expected any more."""
    limit = time.monotonic() + patience
    while time.monotonic() < limit and open_connections(ca, read()):
        time.sleep(0.2)


def open_connections(ca: str, table: str) -> int:
    """How many lines of /proc/net/tcp are connections with the CA's port that still wait for a packet of the CA."""
    peer = "".join(f"{int(part):02X}" for part in reversed(ca.split("."))) + f":{paths.CA_PORT:04X}"
    rows = [line.split() for line in table.splitlines()[1:]]
    return sum(row[2] == peer and row[3] not in DONE for row in rows)
