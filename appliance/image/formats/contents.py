"""What stands on the system's disk of an image: release, architecture and layers; and for which pool it is."""

import hashlib
import re
import subprocess

import inplace
import onedisk
import stacks
import tools
from tools import ImageError

VERSION_FILE = "usr/lib/wow/node/wow/lib/version.py"
VERSION = re.compile(rb'^VERSION = "([!#-~]+)"$', re.MULTILINE)
MOST = 1 << 16
"""Bytes of that file, and of the names of boot loaders."""
LOADERS = {"BOOTX64.EFI": "amd64", "BOOTAA64.EFI": "arm64"}
"""UEFI's names of what it starts, which are different for each architecture (UEFI 2.10, 3.5.1.1)."""
SUMS = "boot/A/SHA256SUMS"
"""What the disk says of the kernel and the initrd."""
BOOTED = ("vmlinuz", "initrd.img")


def read(disk, scratch):
    """{version, architecture, layers, boot}; each file says what is wrong with it, or None. boot: kernel, initrd, and the layers' hash trees. ImageError where the
    system cannot be read."""
    system = scratch / "system"
    onedisk.read(disk, disk.parts[onedisk.SYSTEM], system)
    listed = inside(disk, system, f"cat {stacks.FILE}")
    rows = stacks.lines(listed)
    if any(len(row) != 5 or not row[3].isdecimal() for row in rows) or not {"base", "node"} <= {row[0] for row in rows}:
        raise ImageError(f"{disk.shown}: its list of layers, {stacks.FILE}, is none that this release reads; use the `wow` of the release that made it")
    layers = [layer(system, *row) for row in rows]
    node = next(one for one in layers if one["kind"] == "node")
    return {"version": version(disk, system, node, scratch), "architecture": architecture(disk, scratch), "layers": layers,
            "boot": [*booted(system), *trees(system, listed)]}


def layer(system, kind, name, file, size, digest):
    """One line of the list, and what is wrong with its file."""
    found, sha = measured(system, f"layers/{file}")
    wrong = "is missing" if not found else f"has {found} bytes, not {size}" if found != int(size) else "is damaged" if sha != digest else None
    return {"kind": kind, "name": name, "file": file, "bytes": int(size), "sha256": digest, "wrong": wrong}


def booted(system):
    """Kernel and initrd, without which GRUB starts nothing."""
    said, _ = stacks.asked(system, f"cat /{SUMS}")
    sums = {words[1]: words[0] for words in (line.split() for line in said.splitlines()) if len(words) == 2}
    return [compared(system, f"boot/A/{name}", sums.get(name)) for name in BOOTED]


def trees(system, listed):
    """The hash trees that a list names, in comments that older initrds read over (the node's stack/verity.py). An image of an older release has none."""
    words = (line.split() for line in listed.splitlines() if line.startswith("# tree "))
    return [compared(system, f"layers/{row[2]}", row[5]) for row in words if len(row) == 6]


def compared(system, file, digest):
    """A file, and what is wrong with it. digest: what is said of it, None where nothing is."""
    found, sha = measured(system, file)
    wrong = "is missing" if not found else f"is not named in {SUMS}, or that is damaged" if digest is None else "is damaged" if sha != digest else None
    return {"file": file, "bytes": found, "sha256": digest, "wrong": wrong}


def measured(system, file):
    """Size and SHA-256 of a file on the system's disk; no bytes where it is not there."""
    sha, found = hashlib.sha256(), 0
    with subprocess.Popen(["debugfs", "-R", f"cat /{file}", system.name], cwd=system.parent, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          env=tools.ENVIRONMENT) as process:
        while block := process.stdout.read(1 << 20):
            sha.update(block)
            found += len(block)
    return found, sha.hexdigest()


def version(disk, system, node, scratch):
    """The release, as the node's own programs say it; None where the layer cannot be read."""
    inside(disk, system, f"dump /layers/{node['file']} node")
    said, _, code = tools.heard("unsquashfs", "-cat", scratch / "node", VERSION_FILE, most=MOST)
    if code is None:
        raise ImageError(f"{disk.shown}: its node layer's file of the release, {VERSION_FILE}, is none that this release reads; take a whole copy")
    found = VERSION.search(said)
    return found and found.group(1).decode()


def architecture(disk, scratch):
    """By the name of the boot loader; None where there is none that is known."""
    esp = scratch / "esp"
    onedisk.read(disk, disk.parts[onedisk.BOOT], esp)
    said, _, _ = tools.heard("mdir", "-b", "-i", esp, "::/EFI/BOOT", most=MOST)
    names = {line.rpartition("/")[2].upper() for line in said.decode("latin-1").splitlines()}
    return next((words for name, words in LOADERS.items() if name in names), None)


def inside(disk, system, request):
    """What debugfs says to one request. ImageError where it cannot."""
    said, wrong = stacks.asked(system, request)
    if wrong:
        raise ImageError(f"{disk.shown}: its system cannot be read ({wrong}); take a whole copy")
    return said


def pool(config):
    """{name, subnet, role, keys} of the pool.conf on a raw FAT; None where there is none. All but `keys` is None where another release wrote it."""
    pool_conf = config and inplace.content_of(config)
    if pool_conf is None:
        return None
    found = inplace.pool_of(pool_conf)
    return {"name": found and found.name, "subnet": found and found.subnet, "role": found and found.role, "keys": inplace.has_keys(config)}
