"""Disks in the formats of hypervisors: conversions of raw ones by qemu-img, and blank ones for a home."""

import hashlib
import re
import struct

import tools

QCOW2, SYSTEM_QCOW2 = "wowcfg.qcow2", "wow.qcow2"
"""Disks of the box for libvirt."""
HOME_SIZE = 64 << 30
"""Bytes of a home's own disk. It is thin: what nobody wrote takes no room."""
SECTOR = 512
# Magic, version, flags, capacity, grain, and where the text that describes the disk stands, in sectors (VMware, Virtual Disk Format 5.0).
VMDK_HEAD = struct.Struct("<4sIIQQQQ")
# Sectors of a grain and of the text, grains of a table; where the directory stands when the footer says it; kinds of markers.
GRAIN, DESCRIPTOR, TABLE, AT_END = 128, 20, 512, (1 << 64) - 1
END_OF_STREAM, DIRECTORY, FOOTER = 0, 2, 3


def to_vmdk(raw, out):
    """streamOptimized, the only form that an OVA may hold; compat6 is what VMware reads."""
    convert(raw, out, "vmdk", "-o", "subformat=streamOptimized,adapter_type=lsilogic,compat6")
    name_by_content(out)


def name_by_content(vmdk):
    """Replaces the disk's content id, which qemu-img takes by chance, by one that follows from the bytes: the same disk gives the same file."""
    with open(vmdk, "r+b") as file:
        magic, *_, start, length = VMDK_HEAD.unpack(file.read(VMDK_HEAD.size))
        file.seek(start * SECTOR)
        text = file.read(length * SECTOR)
        if magic != b"KDMV" or not re.search(rb"^CID=", text, re.MULTILINE):
            raise ValueError(f"{vmdk}: no VMDK with a content id")

        def put(value):
            # qemu-img writes the text twice with another id each time; where the second is shorter, the end of the first stands behind it.
            changed = re.sub(rb"^CID=[0-9a-f]+$", b"CID=%08x" % value, text.partition(b"\0")[0], count=1, flags=re.MULTILINE)
            file.seek(start * SECTOR)
            file.write(changed.ljust(len(text), b"\0"))
            file.seek(0)

        put(0)
        # ffffffff and fffffffe mean something else.
        put(int(hashlib.file_digest(file, "sha256").hexdigest()[:8], 16) % 0xfffffffe)


def to_qcow2(raw, out):
    convert(raw, out, "qcow2")


def blank_qcow2(out, size):
    """A disk of so many bytes on which nothing stands."""
    tools.run("qemu-img", "create", "-q", "-f", "qcow2", out, size, about=out)


def blank_vmdk(out, size):
    """The same, streamOptimized, as VirtualBox and VMware write one that nobody wrote to: a directory without a table. qemu-img's has all tables, twice: 8 MB
    for 64 GiB (VMware, Virtual Disk Format 5.0)."""
    cylinders = min(size // SECTOR // (255 * 63), 65535)
    text = (f'# Disk DescriptorFile\nversion=1\nCID=0\nparentCID=ffffffff\ncreateType="streamOptimized"\n\n# Extent description\n'
            f'RW {size // SECTOR} SPARSE "{out.name}"\n\n# The Disk Data Base\n#DDB\n\nddb.virtualHWVersion = "6"\nddb.geometry.cylinders = "{cylinders}"\n'
            'ddb.geometry.heads = "255"\nddb.geometry.sectors = "63"\nddb.adapterType = "lsilogic"\nddb.toolsVersion = "2147483647"\n').encode()
    directory = bytes(-(-size // (GRAIN * TABLE * SECTOR)) * 4)
    directory += bytes(-len(directory) % SECTOR)
    at = GRAIN + 1
    footer = _sparse_head(size, at)
    with open(out, "wb") as file:
        file.write((_sparse_head(size, AT_END) + text.ljust(DESCRIPTOR * SECTOR, b"\0")).ljust(GRAIN * SECTOR, b"\0"))
        for kind, part in ((DIRECTORY, directory), (FOOTER, footer), (END_OF_STREAM, b"")):
            file.write(struct.pack("<QII", len(part) // SECTOR, 0, kind).ljust(SECTOR, b"\0") + part)
    name_by_content(out)


def _sparse_head(size, directory):
    """The first sector, and the footer, which alone says where the directory stands."""
    head = VMDK_HEAD.pack(b"KDMV", 3, 0x30001, size // SECTOR, GRAIN, 1, DESCRIPTOR)
    return (head + struct.pack("<IQQQ?4sH", TABLE, 0, directory, GRAIN, False, b"\n \r\n", 1)).ljust(SECTOR, b"\0")


def convert(raw, out, form, *options):
    tools.run("qemu-img", "convert", "-f", "raw", "-O", form, *options, raw, out, about=out)
