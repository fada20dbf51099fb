"""What the header of a disk image names outside of the file. Whoever made the image chose it: qemu would open, and write, any file or address that stands
there. So it is read before any of qemu's programs is given the file."""

import struct

import vhdx
from disks import SECTOR, VMDK_HEAD

# Magic, version, and where the backing file's name stands (QEMU, docs/interop/qcow2.txt).
QCOW2_HEAD = struct.Struct(">4sIQ")
INCOMPATIBLE_AT = 72
"""Where a qcow2 from version 3 on says what its reader must know."""
DATA_FILE = 1 << 2
INSIDE = 1 << 0 | 1 << 1 | 1 << 3 | 1 << 4
"""Of these, what concerns this file alone: in use, damaged, how it is compressed, larger entries."""
DESCRIPTOR_AT, DESCRIPTOR_SIZE = SECTOR, 20 * SECTOR
"""Where QEMU reads the text of a VMDK, wherever its header says that it stands."""


def wrong(path, form):
    """(why a file of this format is not opened, what helps), or None where it is whole by itself."""
    with open(path, "rb") as file:
        return LOOKS[form](file) if form in LOOKS else None


def _elsewhere(what, helps="If you know where it comes from, make one file of it, and take that: qemu-img convert -O qcow2 FILE WHOLE.qcow2"):
    return f"has a part of its content elsewhere, in its {what}, and only what stands in the file itself is opened", helps


def _qcow2(file):
    head = file.read(INCOMPATIBLE_AT + 8).ljust(INCOMPATIBLE_AT + 8, b"\0")
    _, version, backing = QCOW2_HEAD.unpack_from(head)
    features = struct.unpack_from(">Q", head, INCOMPATIBLE_AT)[0] if version > 2 else 0
    if backing or features & DATA_FILE:
        return _elsewhere("backing file" if backing else "data file")
    return ("has a feature that this release does not know", "Take an image that `make image` made") if features & ~INSIDE else None


def _vmdk(file):
    head = file.read(VMDK_HEAD.size).ljust(VMDK_HEAD.size, b"\0")
    file.seek(DESCRIPTOR_AT)
    if b"parentFileNameHint" in file.read(DESCRIPTOR_SIZE):
        return _elsewhere("parent")
    # One without a capacity is a list of other files and no more.
    return None if VMDK_HEAD.unpack(head)[3] else _elsewhere("extents")


def _vhdx(file):
    return _elsewhere("parent", "Delete the machine's checkpoints in Hyper-V, which makes one file of it") if vhdx.has_parent(file) else None


LOOKS = {"qcow2": _qcow2, "vmdk": _vmdk, "vhdx": _vhdx}
