"""
The kernel's limit for what an account has in home's file system (quotactl(2)): bytes and files, of all that it owns there.

Each starter waits for this: so it takes from posix what os would hand on.
"""
import posix
import struct

from wow.lib import libc, paths

QUOTACTL_FD = 443
VALUES = struct.Struct("=8QI4x")
"""struct if_dqblk: limit, lower limit and use of KiB (use: of bytes), the same of files, two times, which of these count."""
LIMITS = 1 | 4


def of_accounts(number: int) -> int:
    """A command for quotas of accounts (linux/quota.h: QCMD, USRQUOTA)."""
    return number << 8


GET_FORMAT, GET, SET = of_accounts(0x800004), of_accounts(0x800007), of_accounts(0x800008)


def is_on(path: str = paths.STATE) -> bool:
    """Whether the kernel counts where this file or folder stands. Everybody may ask."""
    try:
        _ask(path, GET_FORMAT, 0, libc.room(8))
    except OSError:
        return False
    return True


def bound(account: int, kib: int, count: int, path: str = paths.STATE) -> None:
    """Lets an account have so many KiB and files more than it has now; 0 KiB: as many as it likes. OSError if the kernel does not count there."""
    values = libc.room(VALUES.size)
    if kib:
        _ask(path, GET, account, values)
        _, _, used, _, _, inodes, _, _, _ = VALUES.unpack(values.raw)
        kib, count = kib + (used + 1023) // 1024, count + inodes
    _ask(path, SET, account, VALUES.pack(kib, 0, 0, count if kib else 0, 0, 0, 0, 0, LIMITS))


def _ask(path: str, command: int, account: int, values: object) -> None:
    """quotactl_fd(2), which the C library has no name for."""
    descriptor = posix.open(path, posix.O_RDONLY)
    try:
        libc.call("syscall", QUOTACTL_FD, descriptor, command, account, values)
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from None
    finally:
        posix.close(descriptor)
