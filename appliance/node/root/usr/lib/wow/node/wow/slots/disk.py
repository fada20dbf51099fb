"""
What disk space a job has. HTCondor measures what stands in its folder: bytes and files, at its end and once a minute. The kernel counts blocks at each
write. The kernel's limits are so much higher that what meets one has more than HTCondor lets a job have, and so is held; that is a MiB or two.
"""

BLOCK = 4
"""KiB: what a file takes more than its bytes, at most."""
GRACE = 1024
"""KiB of files' ends that nobody asks for: HTCondor's own few files are among them."""
FILES, KIB_A_FILE = 1000, 16
"""A job has so many files, and one more for each so many KiB that it asked for: home has no more (mke2fs -i)."""
OWN_FILES = 8
"""Inodes that HTCondor does not see."""


def kernel(kib: int) -> tuple[int, int]:
    """The kernel's limits, in KiB and files, for a job that has these KiB. Folders are larger the more names are in them."""
    return kib + 2 * GRACE + kib // 256, FILES + kib // KIB_A_FILE + OWN_FILES


def exceeded(kib: str) -> str:
    """The ClassAd expression that a job has more than it may; kib names the attribute with what it may. False where nothing was measured."""
    return (f"((DiskUsage > {kib} || DiskUsage + {BLOCK} * ScratchDirFileCount > {kib} + {GRACE} || "
            f"ScratchDirFileCount >= {FILES} + {kib} / {KIB_A_FILE}) =?= true)")


def reason(kib: str) -> str:
    """The ClassAd expression that says so in a sentence."""
    return (f'strcat("The job\'s ", ScratchDirFileCount ?: 0, " files take ", DiskUsage, " KB, and its request_disk gave it ", {kib}, " KB and ", '
            f'{FILES} + {kib} / {KIB_A_FILE}, " files: ask for more (request_disk)")')
