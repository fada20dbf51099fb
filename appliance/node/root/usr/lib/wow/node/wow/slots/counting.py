"""
Has the kernel count what each account has in home's file system.

What is counted stands in a file of the kernel's, which is made anew at each boot, when no job has begun: what earlier jobs left is removed then and
counts for nobody. So the file needs no journal, a power cut does it no harm, a home of before needs no change, and a system of before finds a home
that it knows.
"""
import errno
import fcntl
import os
import struct

from wow.lib import files, libc
from wow.slots import quota

HOME = "/run/layers/home"
NAME = "slots.quota"
QUOTA_ON = quota.of_accounts(0x800002)
FORMAT = 4
"""QFMT_VFS_V1."""
EMPTY = 2048
"""Bytes of a file that counts nothing yet."""
GET_FLAGS, SET_FLAGS, IMMUTABLE = 0x80086601, 0x40086602, 0x10
"""ioctl_iflags(2). The kernel makes the file immutable while it counts, and so leaves it where power goes."""


def begin(home: str = HOME) -> None:
    """Has the kernel count from now on, where it does not yet. OSError if it cannot."""
    if quota.is_on(home):
        return
    disk = device(os.stat(home).st_dev)
    make(f"{home}/{NAME}")
    try:
        libc.call("quotactl", QUOTA_ON, disk.encode(), FORMAT, f"{home}/{NAME}".encode())
    except OSError as error:
        raise OSError(error.errno, error.strerror, home) from None


def make(path: str) -> None:
    """Makes the kernel's file anew: nobody has anything (fs/quota/quota_v2.c, quota_tree.c: a header, and the empty root of a tree)."""
    try:
        with open(path, "rb") as former:
            flags = int.from_bytes(fcntl.ioctl(former, GET_FLAGS, bytes(8))[:4], "little")
            fcntl.ioctl(former, SET_FLAGS, (flags & ~IMMUTABLE).to_bytes(8, "little"))
    except FileNotFoundError:
        pass
    week = 7 * 24 * 3600
    head = struct.pack("<8I", 0xd9c01f11, 1, week, week, 0, 2, 0, 0)
    # In its former place, for a full disk may have no other.
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600), "wb") as file:
        file.write(head.ljust(EMPTY, b"\0"))
        file.truncate()
        file.flush()
        os.fsync(file.fileno())


def device(number: int, folder: str = "/sys/dev/block") -> str:
    """The path of a block device that has this number. OSError if there is none, as in ephemeral mode, where home is in memory."""
    place = f"{folder}/{os.major(number)}:{os.minor(number)}/uevent"
    for line in (files.find(place) or "").splitlines():
        if line.startswith("DEVNAME="):
            return f"/dev/{line.partition('=')[2]}"
    raise OSError(errno.ENOTBLK, "home is on no disk", place)


def start_counting() -> None:
    """Has the kernel count before HTCondor starts; where it cannot jobs run all the same, and the journal says why."""
    try:
        begin()
    except OSError as error:
        print(f"the kernel does not bound what jobs write (wow doctor says so): {error.filename}: {error.strerror}", flush=True)
