"""
The kernel's limit for what an account has in home's file system (quotactl(2)): bytes and files, of all that it owns there.

What is counted stands in a file of the kernel's, which is made anew at each boot, when no job has begun: what earlier jobs left is removed then and
counts for nobody. So the file needs no journal, a power cut does it no harm, a home of before needs no change, and a system of before finds a home
that it knows.
"""
import ctypes
import errno
import fcntl
import os
import struct

from wow.lib import files, paths

HOME = "/run/layers/home"
NAME = "slots.quota"
QUOTACTL_FD = 443
QUOTA_ON, GET_FORMAT, GET, SET = (number << 8 for number in (0x800002, 0x800004, 0x800007, 0x800008))
"""Commands for quotas of accounts (linux/quota.h: QCMD, USRQUOTA)."""
FORMAT = 4
"""QFMT_VFS_V1."""
EMPTY = 2048
"""Bytes of a file that counts nothing yet."""
VALUES = struct.Struct("=8QI4x")
"""struct if_dqblk: limit, lower limit and use of KiB (use: of bytes), the same of files, two times, which of these count."""
LIMITS = 1 | 4
GET_FLAGS, SET_FLAGS, IMMUTABLE = 0x80086601, 0x40086602, 0x10
"""ioctl_iflags(2). The kernel makes the file immutable while it counts, and so leaves it where power goes."""


def begin(home: str = HOME) -> None:
    """Has the kernel count from now on, where it does not yet. OSError if it cannot."""
    if is_on(home):
        return
    disk = device(os.stat(home).st_dev)
    make(f"{home}/{NAME}")
    if ctypes.CDLL(None, use_errno=True).quotactl(QUOTA_ON, disk.encode(), FORMAT, f"{home}/{NAME}".encode()) < 0:
        raise _error(home)


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


def is_on(path: str = paths.STATE) -> bool:
    """Whether the kernel counts where this file or folder stands. Everybody may ask."""
    try:
        _ask(path, GET_FORMAT, 0, ctypes.create_string_buffer(8))
    except OSError:
        return False
    return True


def bound(account: int, kib: int, count: int, path: str = paths.STATE) -> None:
    """Lets an account have so many KiB and files more than it has now; 0 KiB: as many as it likes. OSError if the kernel does not count there."""
    values = ctypes.create_string_buffer(VALUES.size)
    if kib:
        _ask(path, GET, account, values)
        _, _, used, _, _, inodes, _, _, _ = VALUES.unpack(values.raw)
        kib, count = kib + (used + 1023) // 1024, count + inodes
    _ask(path, SET, account, ctypes.create_string_buffer(VALUES.pack(kib, 0, 0, count if kib else 0, 0, 0, 0, 0, LIMITS), VALUES.size))


def _ask(path: str, command: int, account: int, values: "ctypes.Array[ctypes.c_char]") -> None:
    """quotactl_fd(2), which the C library has no name for."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if ctypes.CDLL(None, use_errno=True).syscall(QUOTACTL_FD, descriptor, command, account, values) < 0:
            raise _error(path)
    finally:
        os.close(descriptor)


def _error(path: str) -> OSError:
    return OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), path)


def start_counting() -> None:
    """Has the kernel count before HTCondor starts; where it cannot jobs run all the same, and the journal says why."""
    try:
        begin()
    except OSError as error:
        print(f"the kernel does not bound what jobs write (wow doctor says so): {error.filename}: {error.strerror}", flush=True)
