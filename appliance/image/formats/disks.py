"""Conversions of raw disks by qemu-img."""

import hashlib
import re
import struct
import subprocess

QCOW2 = "wowcfg.qcow2"
SECTOR = 512
# Magic, version, flags, capacity, grain, and where the text that describes the disk stands, in sectors (VMware, Virtual Disk Format 5.0).
VMDK_HEAD = struct.Struct("<4sIIQQQQ")


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


def convert(raw, out, form, *options):
    subprocess.run(["qemu-img", "convert", "-f", "raw", "-O", form, *options, str(raw), str(out)], check=True)
