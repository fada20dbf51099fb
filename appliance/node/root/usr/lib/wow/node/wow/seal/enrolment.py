"""The one exception in the fence and in IPsec: a machine that enrols talks with the CA in the clear, on two ports, and with nobody else. So does one that fetches layers from the
CA; what two open at a time, the last of them closes."""
import fcntl
import os
import time

from wow.lib import files, paths, system
from wow.seal import fence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

DONE = {"06", "07"}
"""TIME_WAIT and CLOSE of /proc/net/tcp: the other side has nothing to say any more."""
LOCK = f"{paths.RUN}/enrolment.lock"
"""Shared by those who have the exception open."""


class Opened:
    """Has the exception open while a block runs; and until the CA has said goodbye."""

    __slots__ = ("_address", "_ca", "_lock")

    def __init__(self, address: str, ca: str) -> None:
        self._address, self._ca = address, ca
        self._lock = -1

    def __enter__(self) -> None:
        self._lock = os.open(LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_SH)
            open_for(self._address, self._ca)
        except BaseException:
            os.close(self._lock)
            raise

    def __exit__(self, *_: object) -> None:
        try:
            wait_for_goodbye(self._ca)
        finally:
            try:
                # Where this fails somebody else holds it still; the shared lock is gone then, so that one closes.
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                close_for(self._address, self._ca)
            except BlockingIOError:
                pass
            finally:
                os.close(self._lock)


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
