"""Raw disks as they may lie in the home's place: other people's volumes, homes of today and of before, and what only looks like one."""

import random
import struct
import subprocess

from checks import run

MIB = 1024 * 1024
SIZE = 192 * MIB  # so that the first copy of the superblock, at 128 MiB, is in it
MARK = b"WOWHOME.new\n"
MARK_AT = SIZE - 4096
KEPT = "kept by whoever used it\n"


def noise(length, seed=1):
    """Bytes that are nobody's format."""
    return random.Random(seed).randbytes(length)


def put(path, offset, data):
    """Writes at an offset of a raw disk."""
    with open(path, "r+b") as file:
        file.seek(offset)
        file.write(data)


def get(path, offset, length):
    """Reads at an offset of a raw disk."""
    with open(path, "rb") as file:
        file.seek(offset)
        return file.read(length)


def blank(path):
    """Nothing was ever written."""
    with open(path, "wb") as file:
        file.truncate(SIZE)


def luks(path):
    """The start of a LUKS2 volume (its binary head, its second head at 16 KiB) and what is encrypted."""
    put(path, 0, b"LUKS\xba\xbe\0\2" + struct.pack(">Q", 16384) + noise(4080))
    put(path, 16384, b"SKUL\xba\xbe\0\2" + noise(4088))
    put(path, 16 * MIB, noise(MIB))


def xfs(path):
    put(path, 0, b"XFSB" + struct.pack(">IQ", 4096, SIZE // 4096) + noise(16384))


def btrfs(path):
    """Nothing stands before 64 KiB."""
    put(path, 65536, noise(64) + b"_BHRfS_M" + noise(4024))


def random_bytes(path):
    put(path, 0, noise(4 * MIB))


def random_later(path):
    """Zero where most formats stand, something at the end of the first MiB."""
    put(path, MIB - 1, b"x")


def swap(path):
    run("mkswap", path)


def table(path, kind):
    subprocess.run(["sfdisk", "--quiet", path], input=f"label: {kind}\nstart=2048\n", text=True, check=True, capture_output=True)


def ext4(path, label, blocks=None):
    """Somebody's file system with a file in it, on so many blocks of 4 KiB, or on all; a home, which has its folders, where the label is ours."""
    name = path.with_suffix(".kept")
    name.write_text(KEPT)
    run("mke2fs", "-q", "-F", "-t", "ext4", "-b", "4096", "-L", label, path, *([blocks] if blocks else []))
    folders = "mkdir home\nmkdir state\n" if label == "WOWHOME" else ""
    subprocess.run(["debugfs", "-w", "-f", "-", path], input=f"write {name} kept\n{folders}", text=True, check=True, capture_output=True)
    name.unlink()


def over_old_home(path, make):
    """What somebody made of the partition of an earlier home, whose copies of the superblock stay behind."""
    ext4(path, "WOWHOME")
    make(path)


def after_a_cut(path, make):
    """What somebody made of a partition on which the making of a home had been cut."""
    put(path, MARK_AT, MARK)
    make(path)


STRANGERS = {
    "luks": (luks, "LUKS"),
    "xfs": (xfs, "XFS"),
    "swap": (swap, "swap space"),
    "btrfs": (btrfs, "Btrfs"),
    "mbr": (lambda path: table(path, "dos"), "partition table"),
    "gpt": (lambda path: table(path, "gpt"), "GPT"),
    "random": (random_bytes, "unknown kind"),
    "late": (random_later, "unknown kind"),
    "photos": (lambda path: ext4(path, "photos"), "somebody else, labelled photos"),
    "unnamed": (lambda path: ext4(path, ""), "without a label"),
    "luks-old": (lambda path: over_old_home(path, luks), "LUKS"),
    "swap-old": (lambda path: over_old_home(path, swap), "swap space"),
    "luks-cut": (lambda path: after_a_cut(path, luks), "LUKS"),
    "btrfs-cut": (lambda path: after_a_cut(path, btrfs), "Btrfs"),
    "photos-cut": (lambda path: after_a_cut(path, lambda disk: ext4(disk, "photos")), "photos"),
}
"""Maker of the disk and what the console calls it."""


def old_home_with_a_file_like_the_mark(path):
    """A home of before, whose file system reaches over the last block; there stands what a user wrote into a file."""
    ext4(path, "WOWHOME")
    put(path, MARK_AT, MARK)


def beheaded_home(path):
    """A home that lost its first block."""
    ext4(path, "WOWHOME")
    put(path, 0, bytes(4096))


HOMES = {"full": old_home_with_a_file_like_the_mark, "headless": beheaded_home}
"""Homes whose file `kept` must be there afterwards."""


def cleared(path):
    """The first MiB was zeroed, as the console advises; an earlier home's copies of the superblock are still there."""
    ext4(path, "WOWHOME")
    put(path, 0, bytes(MIB))


def label_of_before(path):
    """What an earlier release left when it was cut."""
    ext4(path, "WOWHOME.new")


NEW = {"blank": lambda path: None, "cleared": cleared, "label": label_of_before}
"""Disks on which a home must be made."""
