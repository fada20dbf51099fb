"""The partition WOWCFG of a disk that holds a whole machine: a configuration is put there in place, and read from there.

The partition has two halves. A FAT's boot sector says how many sectors are reserved before the file system begins, so the one at the partition's start
says which half it is. A stamp writes the other half, then that sector, and wipes the former half last, for keys may stand there. Whenever it is cut, the
machine finds the former configuration or the new one; what a cut leaves behind is told, and the next stamp ends it (docs/decisions/0047)."""

import struct

import configdisk
import onedisk
import tools
from onedisk import CONFIG, HOME, MIB, SECTOR, Part
from tools import ImageError

from wow.config import poolconf
from wow.lib.errors import WowError

SIZE = 16 * MIB
HALVES = {128: SIZE // 2, SIZE // 2 // SECTOR: SIZE}
"""Reserved sectors of each half, and the byte at which its file system ends. The first leaves the boot sector 64 KiB to itself."""
CHUNK = 64 * 1024
MOST = 1 << 20
"""Bytes of a pool.conf, and of what is said of the keys beside it. A file whose clusters lead in a circle has no end."""


class State:
    """What stands in the raw copy `image` of the partition. `half` is that in use, None where there is none; `pool_conf` its pool.conf as bytes, None where
    there is none; `is_foreign` whether something else stands there; `is_unfinished` whether a stamp was cut."""

    def __init__(self, image):
        content = image.read_bytes()
        reserved = struct.unpack_from("<H", content, 14)[0]
        is_ours = content[510:512] == b"\x55\xaa" and content[configdisk.LABEL:configdisk.LABEL + 11].rstrip() == CONFIG.encode()
        self.half = reserved if is_ours and reserved in HALVES else None
        self.is_foreign = self.half is None and any(content[:SECTOR])
        kept = range(self.half * SECTOR, HALVES[self.half]) if self.half else range(0)
        self.is_unfinished = not self.is_foreign and any(at not in kept for at in _used(content))
        self.pool_conf = content_of(image) if any(content[:SECTOR]) else None

    @property
    def next(self):
        """The half that is not in use."""
        return next(half for half in HALVES if half != self.half)


def content_of(image):
    """The pool.conf on a raw FAT, as bytes; None where there is none, and no bytes where there are more than it may have."""
    said, _, code = tools.heard("mtype", "-i", image, "::/pool.conf", most=MOST)
    return said if code == 0 else None if code else b""


def has_keys(image):
    """Whether a manager's or a machine's keys are on a raw FAT."""
    return any(not tools.heard("mdir", "-b", "-i", image, f"::/{name}", most=MOST)[2] for name in ("manager", "machine"))


def pool_of(pool_conf):
    """The Pool in those bytes, None where another release wrote them."""
    try:
        return poolconf.read(pool_conf)
    except WowError:
        return None


def part_of(disk):
    """Where the partition is. ImageError where the disk has none, or another one."""
    part = disk.parts.get(CONFIG)
    if part is None:
        raise ImageError(f"{disk.shown}: has no partition {CONFIG}: it is the system of an OVA, or of an earlier release; with -o OUT.img you get a "
                         "configuration disk to attach beside it")
    if part.size != SIZE:
        raise ImageError(f"{disk.shown}: its partition {CONFIG} has {part.size} bytes, not {SIZE}: another release made it; use the `wow` of that one")
    return part


def state_of(disk, scratch):
    """The State of a disk's partition."""
    onedisk.read(disk, part_of(disk), scratch / "wowcfg")
    return State(scratch / "wowcfg")


def is_used(disk, scratch):
    """Whether a machine has its home on the disk. Only where the first MiB is zero is one made (appliance/initrd/home.sh)."""
    home = disk.parts.get(HOME)
    if home is None:
        return False
    onedisk.read(disk, Part(home.start, MIB), scratch / "home")
    return any((scratch / "home").read_bytes())


def stamp(path, entries, scratch):
    """Puts the entries of a configuration into the file `path` in place. Returns the State before."""
    disk = onedisk.look(path, scratch)
    part = part_of(disk)
    onedisk.writable(disk)
    if is_used(disk, scratch):
        raise ImageError(f"{path}: a machine was started from this disk, and has its home there; it keeps the configuration that it has. Stamp a fresh copy "
                         "of the image")
    before = state_of(disk, scratch)
    configdisk.make_half(scratch / "new", entries, before.next, HALVES[before.next])
    wanted = (scratch / "new").read_bytes()
    used = list(_used(wanted))
    body = Part(used[0], used[-1] + CHUNK - used[0])
    onedisk.room(disk, body.size + 4 * MIB)
    (scratch / "body").write_bytes(wanted[body.start:body.start + body.size])
    (scratch / "boot").write_bytes(wanted[:SECTOR])

    def write(*command):
        onedisk.write(disk, part, *command, cwd=scratch)

    # It may hold keys from now on.
    path.chmod(path.stat().st_mode & 0o700)
    if before.is_foreign:
        write("write", "-P", "0", 0, SECTOR)
    write("write", "-s", "body", body.start, body.size)
    onedisk.read(disk, part, scratch / "now")
    now = (scratch / "now").read_bytes()
    if now[body.start:body.start + body.size] != wanted[body.start:body.start + body.size]:
        raise ImageError(f"{path}: does not read as it was written; the former configuration is still in use. Look after the disk that the file lies on")
    write("write", "-s", "boot", 0, SECTOR)
    for start, size in _left(now, wanted):
        # Not as a hole: of that the file's own bytes would stay.
        write("write", "-P", "0", start, size)
    return before


def _used(content):
    """Starts of the chunks behind the first one in which something stands."""
    zeros = bytes(CHUNK)
    return (at for at in range(CHUNK, len(content), CHUNK) if content[at:at + CHUNK] != zeros)


def _left(now, wanted):
    """Parts in which something stands and nothing shall."""
    keep = set(_used(wanted))
    starts = [at for at in _used(now) if at not in keep]
    runs = []
    for at in starts:
        if runs and sum(runs[-1]) == at:
            runs[-1] = Part(runs[-1].start, runs[-1].size + CHUNK)
        else:
            runs.append(Part(at, CHUNK))
    return runs
