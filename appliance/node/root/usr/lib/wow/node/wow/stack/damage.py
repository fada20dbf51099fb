"""What the disk lost of the running system, as wow-layers found it. Where a whole copy is to be had it is mended in its place, which has a disk give the bad block
another place; else the machine starts with its other system, where that is whole: the initrd decides it (appliance/initrd/damage.sh, docs/decisions/0080)."""
import hashlib
import os

from wow.lib import files, paths
from wow.lib.errors import WowError
from wow.stack import kept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO, TypedDict

    from wow.stack.kept import Place
    from wow.stack.systems import Systems

    class Said(TypedDict):
        """running: the system of this start. damaged: the one that was left for it, "" if none was. is_cut: whether that was for two starts that did not come to their
        end, and not for what the disk lost. lost: files of the running one, in WOWSYS. is_kept: whether the initrd found both damaged. has_spare: whether there is
        another one to go to. unhashed: why what is read of it is not held against hashes, "" where it is."""
        running: str
        damaged: str
        is_cut: bool
        lost: list[str]
        is_kept: bool
        has_spare: bool
        unhashed: str

FILE = f"{paths.RUN}/damaged"
"""wow-layers': a line `SHA256 FILE` of each file of the running system that is other than its list says."""
LOOK = "once\n"
BLOCK, PIECE = 4096, 1 << 18
REMEDY = "Take a fresh image for the system's disk: home is kept. Where this comes again the disk is failing: save what is in /home, and take another disk"


def lost(systems: "Systems", path: str = "") -> dict[str, str]:
    """{SHA-256: file} of what is damaged. Which file has which digest the system's own lists say, and nobody else."""
    named = {line.split(" ")[0] for line in kept.read(path or FILE).splitlines()}
    return {digest: file for digest, file in systems.everything(systems.running).items() if digest in named}


def source(digest: str, place: "Place", systems: "Systems") -> str:
    """Where a whole copy is; "" where none is."""
    there = (f"{place.layers}/{digest}", systems.files(systems.other).get(digest, ""))
    return next((path for path in there if path and path != systems.everything(systems.running).get(digest) and _is_whole(path, digest)), "")


def _is_whole(path: str, digest: str) -> bool:
    try:
        with open(path, "rb") as copy:
            return hashlib.file_digest(copy, "sha256").hexdigest() == digest
    except OSError:
        return False


def mend(digest: str, path: str, whole: str) -> None:
    """Has a file be what its digest says: writes those of its blocks that differ from a copy, each in its place. A power cut leaves fewer of them damaged. WowError,
    OSError."""
    with open(whole, "rb") as copy:
        if hashlib.file_digest(copy, "sha256").hexdigest() != digest:
            raise WowError("the copy is damaged, too", REMEDY, whole)
        with open(path, "r+b") as file:
            forget(file)
            for at in range(0, os.fstat(copy.fileno()).st_size, PIECE):
                _write(file, at, os.pread(copy.fileno(), PIECE, at))
            os.ftruncate(file.fileno(), os.fstat(copy.fileno()).st_size)
            os.fsync(file.fileno())
            forget(file)
            if hashlib.file_digest(file, "sha256").hexdigest() != digest:
                raise WowError("was written anew, and the disk does not keep it", REMEDY, path)


def forget(file: "BinaryIO") -> None:
    """What is read next comes from the disk."""
    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _write(file: "BinaryIO", at: int, wanted: bytes) -> None:
    for start in range(0, len(wanted), BLOCK):
        block = wanted[start:start + BLOCK]
        try:
            is_there = os.pread(file.fileno(), len(block), at + start) == block
        except OSError:
            is_there = False  # the disk cannot read it
        if not is_there and os.pwrite(file.fileno(), block, at + start) != len(block):
            raise OSError(5, "a block was not written")


def ask_to_look(place: "Place") -> None:
    """Has the initrd read all of the system at the next start, and leave it for the other one where that is whole."""
    files.write(place.begun, LOOK, 0o600, sync=True)


def said(systems: "Systems", path: str = "") -> "Said":
    """For the doctor."""
    names = [os.path.relpath(file, systems.root) for file in lost(systems, path).values()]
    return {"running": systems.running, "damaged": systems.damaged, "is_cut": systems.is_cut, "lost": names, "is_kept": systems.is_kept,
            "has_spare": systems.has_spare, "unhashed": systems.unhashed}
