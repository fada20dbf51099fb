"""Disks laid out as the image's with one disk is, with next to nothing in them, in every format."""

import contextlib
import hashlib
import os
import pathlib
import subprocess
import tempfile
import unittest
from unittest import mock

MIB = 1 << 20
PARTS = {"WOWBOOT": (1, 1), "WOWESP": (2, 2), "WOWSYS": (4, 4), "WOWHOME": (24, 8), "WOWCFG": (8, 16)}
"""Start and size in MiB, in the order of the table."""
SIZE = 33
ID = "57a0d15c-0000-4000-8000-0000000000"
FORMS = {"raw": (), "qcow2": (), "vhdx": ("-o", "subformat=dynamic,block_size=1M"), "vmdk": ("-o", "subformat=monolithicSparse")}


def table(raw, parts=None, size=SIZE):
    """A raw disk of so many MiB that has these partitions and nothing else."""
    with open(raw, "wb") as file:
        file.truncate(size * MIB)
    lines = ["label: gpt", f"label-id: {ID}00", "first-lba: 34"]
    lines += [f"start={start}MiB, size={length}MiB, name={name}, uuid={ID}{start:02}" for name, (start, length) in (PARTS if parts is None else parts).items()]
    quiet("sfdisk", "--quiet", raw, text="\n".join(lines) + "\n")
    return raw


def image(raw, module=b"tutorial"):
    """The same with a system on it: a boot loader, a node layer that says its release, and layers that hold nothing of use."""
    table(raw)
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        tools = scratch / "tree/usr/lib/wow/node/wow/lib"
        tools.mkdir(parents=True)
        (tools / "version.py").write_text('"""The release."""\nVERSION = "0.3.0"\n', encoding="ascii")
        system = scratch / "system"
        for name in ("stacks", "layers", "boot/A"):
            (system / name).mkdir(parents=True)
        quiet("mksquashfs", scratch / "tree", system / "layers/node-1.squashfs")
        (system / "layers/base-1.squashfs").write_bytes(b"the base" * 999)
        (system / "layers/tutorial-1.squashfs").write_bytes(module)
        rows = [(kind, name, (system / f"layers/{name}-1.squashfs").read_bytes()) for kind, name in (("base", "base"), ("node", "node"), ("module", "tutorial"))]
        tree, booted = b"the tree" * 99, {"vmlinuz": b"the kernel" * 99, "initrd.img": b"the initrd" * 99}
        (system / "layers/base-1.tree").write_bytes(tree)
        (system / "stacks/A.conf").write_text("# kind name file size sha256; bottom first\n" + "".join(
            f"{kind} {name} {name}-1.squashfs {len(data)} {hashlib.sha256(data).hexdigest()}\n" for kind, name, data in rows)
            + f"# tree base-1.tree 2 {'0' * 64} {hashlib.sha256(tree).hexdigest()}\n", encoding="ascii")
        for name, data in booted.items():
            (system / "boot/A" / name).write_bytes(data)
        (system / "boot/A/SHA256SUMS").write_text("".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in booted.items()), encoding="ascii")
        start, size = PARTS["WOWSYS"]
        quiet("mke2fs", "-q", "-F", "-t", "ext4", "-O", "^has_journal", "-d", system, "-E", f"offset={start * MIB}", raw, f"{size}M")
        start, size = PARTS["WOWESP"]
        quiet("mkfs.vfat", "--offset", start * MIB // 512, raw, size * 1024)
        for name in ("EFI", "EFI/BOOT"):
            quiet("mmd", "-i", f"{raw}@@{start * MIB}", f"::/{name}")
        quiet("mcopy", "-i", f"{raw}@@{start * MIB}", system / "stacks/A.conf", "::/EFI/BOOT/BOOTX64.EFI")
    return raw


def converted(raw, form, *options):
    """The same disk in another format, beside it."""
    out = raw.with_suffix(f".{form}")
    if form != "raw":
        quiet("qemu-img", "convert", "-f", "raw", "-O", form, *(options or FORMS[form]), raw, out)
    return out


def part(disk, form, name="WOWCFG"):
    """What stands in a partition."""
    start, size = PARTS[name]
    out = disk.with_suffix(".part")
    quiet("qemu-img", "convert", "-f", form, "-O", "raw", disk, out)
    with open(out, "rb") as file:
        file.seek(start * MIB)
        content = file.read(size * MIB)
    out.unlink()
    return content


def quiet(*command, text=None):
    subprocess.run([str(word) for word in command], check=True, input=text, text=True, capture_output=True,
                   env={**os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"})


@contextlib.contextmanager
def synced():
    """Gives a list of the paths that are brought to the disk meanwhile, by the names that they have then."""
    seen = []
    with mock.patch.object(os, "fsync", side_effect=lambda descriptor: seen.append(pathlib.Path(os.readlink(f"/proc/self/fd/{descriptor}")))):
        yield seen


class Made(unittest.TestCase):
    """`made`: a small image, for all cases; `folder`: a new one for each."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.made = image(pathlib.Path(folder.name, "wow.raw"))

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
