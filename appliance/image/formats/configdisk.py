"""The configuration: a small disk (FAT) or a CD (ISO 9660) labelled WOWCFG that holds pool.conf; for a manager manager/, for a machine with an assigned
address machine/; in a pool with several managers managers.notice, the CA's list of them; keys.notice, the keys that sign the pool's stack."""

import contextlib
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "node/root/usr/lib/wow/node"))

import archive  # noqa: E402
import onedisk  # noqa: E402
import tools  # noqa: E402
from tools import ImageError  # noqa: E402
from wow.config import poolconf  # noqa: E402
from wow.lib import agreed  # noqa: E402
from wow.lib.errors import WowError  # noqa: E402
from wow.setup import outside  # noqa: E402

LIST, KEYS = "managers.notice", "keys.notice"
NAMES = ("pool.conf", LIST, KEYS, "manager", "machine")
MANAGER = ("node.key", "node.pem", "ca")
MACHINE = ("node.key", "node.pem")
# Where the boot sector of a FAT12 or FAT16 has the label; the initrd looks there (appliance/initrd/config.sh).
LABEL = 43
# Where a CD has its own, of 32 bytes (ECMA-119, 8.4).
CD_LABEL = 16 * 2048 + 40
MIB = 1024 * 1024
# What the initrd reads at most (appliance/initrd/config.sh).
CONTENT_LIMIT = 16 * MIB
# What half of the partition in an image holds, beside the FAT's own tables (inplace.py).
HALF_LIMIT = 8 * MIB - 256 * 1024
# A FAT entry rounds up to its cluster and needs room in its folder.
ENTRY = 4096
# xorriso 1.5.4 dies of a fault of its own once in some thousand times; the same call is then good.
CRASHED = b"UNIX-SIGNAL:  SIGSEGV"


class StampError(ImageError):
    """What is wrong with what shall be stamped, and what to do."""


def loaded(pool_conf):
    """The pool of a file. Refuses what the machine would refuse."""
    if not pool_conf.is_file():
        raise StampError(f"{pool_conf}: no such file; give the pool.conf that the machines shall read")
    try:
        return poolconf.load(str(pool_conf), str(pool_conf))
    except WowError as error:
        raise StampError(str(error)) from error


def check(pool_conf, manager=None, machine=None, managers=None, keys=None):
    """Refuses a pool.conf that the machine would refuse, and a folder with keys that is not whole or not for this machine. A manager beside others, which the
    CA's list `managers` names, may be without the CA. Returns the Pool."""
    pool = loaded(pool_conf)
    if managers is not None and (pool.open or not managers.is_file()):
        raise StampError(f"{managers}: is no file, or [pool] open is yes; give the list that `wow-ca managers` wrote")
    if keys is not None and (pool.open or not keys.is_file()):
        raise StampError(f"{keys}: is no file, or [pool] open is yes; give the keys.notice of the CA's folder, or a machine's /var/lib/wow/notice-5")
    if machine is not None:
        if pool.is_manager or pool.open:
            raise StampError(f"{pool_conf}: --machine is given, but [node] role is manager or [pool] open is yes; it is for a machine with a certificate of its own")
        whole(machine, MACHINE, "node.key and node.pem (from `wow-ca machine`)")
    if manager is None:
        if pool.is_manager and not pool.open:
            raise StampError(f"{pool_conf}: [node] role = manager needs the manager's key and CA; give their folder with --manager")
        return pool
    if not pool.is_manager:
        raise StampError(f"{pool_conf}: --manager is given, but [node] role is not manager; a worker must not hold the CA's key")
    what = "node.key, node.pem (from `wow-ca manager`) and ca/ (the folder of `wow-ca init`)"
    whole(manager, MACHINE if managers is not None else MANAGER, what)
    return pool


def whole(folder, names, what):
    """Refuses a folder that lacks one of the names."""
    for name in names:
        if not (folder / name).exists():
            raise StampError(f"{folder}/{name}: is missing; the folder holds {what}")


def files_below(entries):
    for entry in entries:
        yield entry
        if entry.is_dir():
            yield from sorted(entry.rglob("*"))


def refuse_what_is_not_ours(out):
    """StampError where something is at `out` that cannot be made again as it was made here, like a machine's disk: its home would be lost."""
    if not out.exists():
        return
    if not out.is_file() or onedisk.form_of(out):
        raise StampError(f"{out}: is a disk already, maybe a machine's with its home; give another name with -o")
    if out.stat().st_size and not (is_disk(out) or _label(out, CD_LABEL, 32) or _is_archive(out)):
        raise StampError(f"{out}: is there already, and nothing that was stamped; give another name with -o")


def _is_archive(path):
    try:
        with tarfile.open(path) as source:
            return archive.kind_of(source.getnames()) is not None
    except (*archive.BROKEN, OSError):
        return False


def content_of(entries):
    """Bytes that the entries take, StampError if the machine would not read so many."""
    used = sum(ENTRY + (path.stat().st_size if path.is_file() else 0) for path in files_below([source for _, source in entries]))
    if used > CONTENT_LIMIT:
        raise StampError(f"{used} bytes for the configuration; the machine reads at most {CONTENT_LIMIT}")
    return used


@contextlib.contextmanager
def fresh(out):
    """What `tools.beside` gives, for an `out` that may be written over."""
    refuse_what_is_not_ours(pathlib.Path(out))
    with tools.beside(out) as new:
        yield new


def make(image, entries=()):
    """Writes the raw disk `image`, of 1 MiB or what the content needs. `entries` are (path in the disk, source) pairs; beside pool.conf stands what the
    initrd needs of it. Returns its size."""
    size = MIB * max(1, (content_of(entries) * 5 // 4 + 128 * 1024 + MIB - 1) // MIB)
    with fresh(image) as new:
        os.truncate(new, size)
        fill(new, image, entries)
    return size


def make_half(image, entries, reserved, end):
    """Writes the raw disk `image` whose file system lies behind so many reserved sectors and ends at the byte `end`. Behind each is room for 8 MiB less
    what a FAT's own tables take."""
    used = content_of(entries)
    if used > HALF_LIMIT:
        raise StampError(f"{used} bytes for the configuration; the partition in an image takes {HALF_LIMIT}. Make a configuration disk of its own: "
                         "wow image stamp IMAGE POOL.CONF -o OUT.img")
    with open(image, "wb") as file:
        file.truncate(end)
    fill(image, image, entries, "-F", "16", "-s", "1", "-R", str(reserved))


@contextlib.contextmanager
def laid_out(entries):
    """Gives the parts, in order, of a folder laid out as the disk: links to the sources, and beside pool.conf what the initrd needs of it."""
    with tempfile.TemporaryDirectory() as folder:
        for name, source in entries:
            place = pathlib.Path(folder, name)
            place.parent.mkdir(exist_ok=True)
            _link(source.absolute(), place)
            if name == "pool.conf":
                place.with_name(outside.NAME).write_text(outside.of_file(str(source)), encoding="utf-8")
        yield pathlib.Path(folder), [path for name in (outside.NAME, *NAMES) if (path := pathlib.Path(folder, name)).exists()]


def _link(source, place):
    # The programs below follow a link to a file, but mcopy none to a folder.
    if source.is_dir():
        place.mkdir(exist_ok=True)
        for one in sorted(source.iterdir()):
            _link(one, place / one.name)
    else:
        place.symlink_to(source)


def fill(image, shown, entries, *options):
    """Makes the file system and puts the entries into it. People call the image `shown`."""
    tools.run("mkfs.vfat", "--invariant", *options, "-n", agreed.CONFIG_LABEL, image, about=shown)
    with laid_out(entries) as (_, parts):
        if parts:
            tools.run("mcopy", "-s", "-Q", "-i", image, *parts, "::/", about=shown)


def _burn(folder, file):
    """Runs xorrisofs on a folder, its CD into an open file."""
    return subprocess.run(["xorrisofs", "-quiet", "-R", "-J", "-f", "-V", agreed.CONFIG_LABEL, "-uid", "0", "-gid", "0", folder], check=False, stdout=file,
                          stderr=subprocess.PIPE, pass_fds=tools.HELD)


def make_cd(image, entries):
    """Writes the CD `image` with the same entries. Linux reads its names by Rock Ridge, Windows by Joliet."""
    content_of(entries)
    # Of a folder: in a list of files for mkisofs, a name with "=" in it would be two.
    with fresh(image) as new, laid_out(entries) as (folder, _), open(new, "wb") as file:
        done = _burn(folder, file)
        if CRASHED in done.stderr:
            file.truncate(0)
            file.seek(0)
            done = _burn(folder, file)
        if done.returncode != 0:
            raise StampError(f"{image}: was not written; xorrisofs says: {done.stderr.decode(errors='replace').strip()}")


def entries(pool_conf, manager=None, machine=None, managers=None, keys=None):
    """What `make` shall put on the disk for a checked pool.conf, the folder of a manager, or of a machine with an assigned address, the list of managers, and the keys of
    the stack."""
    found = [("pool.conf", pool_conf), *((name, path) for name, path in ((LIST, managers), (KEYS, keys)) if path is not None)]
    for name, folder, parts in (("manager", manager, MANAGER), ("machine", machine, MACHINE)):
        if folder is not None:
            found += [(f"{name}/{part}", folder / part) for part in parts if part != "ca" or (folder / part).exists()]
    return found


def is_disk(path):
    """Whether a file is a configuration disk that `make` wrote."""
    return _label(path, LABEL, 11)


def _label(path, place, size):
    """Whether the configuration's label is there."""
    with open(path, "rb") as file:
        file.seek(place)
        return file.read(size).rstrip() == agreed.CONFIG_LABEL.encode()


def unpacked(disk, folder):
    """(pool.conf, manager, machine, managers, keys), as `check` takes them, of a configuration disk; they are copied into the folder."""
    for name in NAMES:
        subprocess.run(["mcopy", "-s", "-n", "-i", disk, f"::/{name}", folder], check=False, capture_output=True)
    found = {name: folder / name if (folder / name).exists() else None for name in NAMES}
    if found["pool.conf"] is None:
        raise StampError(f"{disk}: is a configuration disk without a pool.conf; give another one, or a pool.conf")
    return found["pool.conf"], found["manager"], found["machine"], found[LIST], found[KEYS]


def entries_of(folder):
    """What `make` shall put on the disk from a folder laid out as the disk, unchecked."""
    found = [(name, folder / name) for name in NAMES if (folder / name).exists()]
    if not folder.is_dir():
        raise StampError(f"{folder}: no such folder; give one that holds pool.conf and, if need be, manager/ or machine/")
    return found
