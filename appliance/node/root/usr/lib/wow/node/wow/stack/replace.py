"""wow-system: writes the system that the pool's stack carries beside the running one, and has GRUB try it at the next start; or, when that start brought the machine
back into its pool, has GRUB stay with it. wow-stack starts it when all files are in home; it has the rights to write WOWSYS, and no network.

Power may go at any time. What GRUB starts is never written: it is told to stay with the running system first, the other one is replaced, WOWSYS is brought to the
disk with no journal left to be played, for GRUB plays none, and only then it is told of the other one."""
import hashlib
import os
import zlib

from wow.lib import files, paths, system
from wow.lib.errors import WowError
from wow.stack import bring, damage, environment, growing, kept, text, verity
from wow.stack.systems import ARMED, BOOTED, LAYERS, SUMS, SUMS_OF_GRUB, Systems, layer_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO, Callable

    from wow.stack.kept import Place
    from wow.stack.text import Layer, Stack

MOUNT = f"{paths.RUN}/esp"
PIECE = 1 << 18
ROOM = 64 << 20
"""Bytes of WOWSYS that stay free."""


class Disk:
    """What is done to the machine's disk."""

    def __init__(self, root: str) -> None:
        self._root = root

    def environment(self, values: dict[str, str]) -> bool:
        """Changes GRUB's variables; whether they were others. WowError, OSError."""
        return environment.set_on(environment.device(self._root), MOUNT, values)

    def writable(self, is_writable: bool) -> None:
        """Has WOWSYS take writes, or none, with all that was written in its place. WowError."""
        system.must(["mount", "-o", "remount,rw" if is_writable else "remount,ro", self._root], todo=environment.REMEDY)


def main() -> int:
    """Exit code."""
    data = bring.read(bring.NOTICE)
    systems, is_back = Systems(), os.path.exists(kept.SETTLED)
    disk = Disk(systems.root)
    if os.path.exists(bring.TROUBLE):
        os.unlink(bring.TROUBLE)
    try:
        note(systems, disk, is_back)
        restore(kept.Place(), systems, disk)
        act(kept.Place(), systems, text.notice(data) if data else None, disk, is_back)
    except text.NoStack:
        return 0  # wow-stack tells of it
    except WowError as error:
        return tell(error)
    except OSError as error:
        return tell(WowError(f"the other system cannot be written: {error.strerror or error}", environment.REMEDY))
    return 0


def tell(error: WowError) -> int:
    """For the journal, and for wow-stack, which waits; the exit code."""
    print(error, flush=True)
    files.write(bring.TROUBLE, f"{error.what}\n{error.todo}\n")
    return 1


def note(systems: Systems, disk: Disk, is_back: bool) -> None:
    """Has GRUB stay with a system on trial that is good, whatever is published by now. WowError, OSError."""
    if systems.is_trial and is_back:
        stay(systems, disk)


def stay(systems: Systems, disk: Disk) -> None:
    """Has GRUB start the running system, and try no other one. WowError, OSError."""
    disk.environment({"system": systems.running, "trial": "", "tries": ""})


def restore(place: "Place", systems: Systems, disk: Disk) -> None:
    """Mends the running system. What cannot be done of that keeps the other one from nothing: wow-stack sees what is still lost, and the next start what has no tree."""
    steps: tuple[Callable[[], None], ...] = (lambda: mend(place, systems, disk), lambda: grow(systems, disk))
    for step in steps:
        try:
            step()
        except (WowError, OSError) as error:
            print(error, flush=True)  # for the journal


def mend(place: "Place", systems: Systems, disk: Disk) -> None:
    """Mends what the disk lost of the running system, as far as there are copies. What it has then is what its own lists say. WowError, OSError."""
    lost = damage.lost(systems)
    found = {digest: path for digest in lost if (path := damage.source(digest, place, systems))}
    if not found:
        return
    try:
        disk.writable(True)
        for digest, whole in found.items():
            damage.mend(digest, lost[digest], whole)
    finally:
        disk.writable(False)
    place.look_anew()
    files.write(damage.FILE, "".join(f"{digest} -\n" for digest in lost if digest not in found))
    print(f"mended what the disk had lost: {', '.join(lost[digest] for digest in found)}", flush=True)  # for the journal


def grow(systems: Systems, disk: Disk) -> None:
    """Makes the hash trees that the running system lacks. WowError, OSError."""
    if not growing.is_wanted(systems):
        return
    try:
        disk.writable(True)
        growing.grow(systems)
    finally:
        disk.writable(False)
    os.unlink(growing.WANTED)


def act(place: "Place", systems: Systems, stack: "Stack | None", disk: Disk, is_back: bool, armed: str = ARMED) -> None:
    """Does what is to be done now. is_back: whether this start brought the machine back into its pool. WowError, OSError."""
    if stack is None and systems.is_trial and not is_back:
        # This machine forgets its pool: the system of before starts next.
        disk.environment({"trial": "", "tries": ""})
        return
    if stack is None or not stack.system or systems.is_running(stack):
        if os.path.exists(armed):
            stay(systems, disk)
            os.unlink(armed)
        return
    if not is_back or systems.is_over(place, stack, armed) or systems.wanting(place, stack):
        return
    was_armed = os.path.exists(armed)
    # What was armed in this start is not what was given up before it, unless that has its last one.
    is_last = systems.is_given_up(stack) and (not was_armed or kept.of_home(place.last) == f"{stack.number}\n")
    if not systems.is_there(stack) or systems.lacking(stack):
        # Whatever GRUB would try or start is to be replaced: it stays with what runs.
        stay(systems, disk)
        try:
            disk.writable(True)
            write(place, systems, stack)
            place.look_anew()
        finally:
            disk.writable(False)
    else:
        # Whoever wrote it may have been ended before this.
        disk.writable(False)
    place.take(stack, systems.lines(stack))
    if is_last:
        files.write(place.last, f"{stack.number}\n", 0o600, sync=True)
    if not was_armed:
        place.count_anew()
    files.write(armed, f"{stack.number}\n")
    whole = {"damaged": ""} if systems.damaged else {}
    # With the running one's name, for a block that lost it has GRUB take A for the good one.
    asked = {"system": systems.running, "trial": systems.other, "tries": "1" if is_last else environment.TRIES, **whole}
    if not disk.environment(asked) and not was_armed:
        os.unlink(armed)
        raise WowError("GRUB was told to try another system, and did not count that start: it cannot write to this disk", environment.REMEDY)


def write(place: "Place", systems: Systems, stack: "Stack") -> None:
    """Replaces the other system. WowError, OSError."""
    running, there = systems.files(systems.running), systems.having(stack)
    sources = {file.digest: there.get(file.digest, f"{place.layers}/{file.digest}") for file in stack.system}
    trees = {**systems.trees(systems.other), **systems.trees(systems.running)}
    listed = systems.list_of(systems.other)
    if os.path.exists(listed):
        os.unlink(listed)
        files.sync_folder(listed)
    layers = [file for file in stack.system if file.kind in LAYERS]
    keep = {row[2] for row in systems.rows(systems.running)} | {layer_name(file) for file in layers}
    clear(systems.layers, keep | {verity.name_of(name) for name in keep})
    stays = [file for file in layers if sources[file.digest] == f"{systems.layers}/{layer_name(file)}"]
    room(systems.root, sum(file.size for file in stack.system if file not in stays))
    hashed: list[str] = []
    for file in layers:
        name = layer_name(file)
        if file not in stays:
            tree = verity.Tree()
            copy(sources[file.digest], f"{systems.layers}/{name}", file, place, tree)
            hashed += verity.put(systems.layers, name, tree)
            continue
        if file.digest not in running:
            look(f"{systems.layers}/{name}", file)
        # Whether the tree is whole the initrd looks, too; where there is none it is made when this system runs.
        hashed += [trees[tree_name] for tree_name in (verity.name_of(name),) if tree_name in trees]
    write_boot(place, systems, [file for file in stack.system if file.kind in BOOTED], sources)
    files.write(listed, "\n".join([f"# stack {stack.number}", *systems.lines(stack), *hashed]) + "\n", sync=True)


def write_boot(place: "Place", systems: Systems, booted: "list[Layer]", sources: dict[str, str]) -> None:
    """Replaces the other system's kernel and initrd. WowError, OSError."""
    folder, fresh = systems.boot(systems.other), systems.boot("new")
    os.makedirs(fresh, 0o755, exist_ok=True)
    clear(fresh, set())
    sums = [copy(sources[file.digest], f"{fresh}/{BOOTED[file.kind]}", file, place) for file in booted]
    files.write(f"{fresh}/{SUMS}", "".join(f"{file.digest}  {BOOTED[file.kind]}\n" for file in booted), sync=True)
    files.write(f"{fresh}/{SUMS_OF_GRUB}", "".join(f"{found:08x}  {BOOTED[file.kind]}\n" for file, found in zip(booted, sums)), sync=True)
    if os.path.exists(folder):
        clear(folder, set())
        os.rmdir(folder)
    os.rename(fresh, folder)
    files.sync_folder(folder)


def clear(folder: str, keep: set[str]) -> None:
    """Removes a folder's files but some."""
    for name in os.listdir(folder):
        if name not in keep:
            os.unlink(f"{folder}/{name}")


def room(root: str, size: int) -> None:
    """WowError where so many bytes have no room."""
    status = os.statvfs(root)
    if size + ROOM > status.f_bavail * status.f_frsize:
        raise WowError(f"the system's disk has no room for another system: {size >> 20} MiB", "Take a fresh image, whose system has room; home is kept", root,
                       code="no-room")


def copy(source: str, target: str, file: "Layer", place: "Place", tree: verity.Tree | None = None) -> int:
    """Copies a file, whole and as it was signed, or not at all; its CRC-32. tree: is given its bytes. WowError, OSError."""
    found, short, part = hashlib.sha256(), 0, f"{target}.part"
    with open(source, "rb") as came, open(part, "wb") as out:
        while piece := _piece(came):
            found.update(piece)
            short = zlib.crc32(piece, short)
            out.write(piece)
            if tree is not None:
                tree.add(piece)
        out.flush()
        os.fsync(out.fileno())
        # It is not read again before the next start.
        os.posix_fadvise(out.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    if found.hexdigest() != file.digest:
        os.unlink(part)
        if source.startswith(f"{place.layers}/"):
            os.unlink(source)
        raise damaged(source, file)
    os.rename(part, target)
    files.sync_folder(target)
    return short


def _piece(file: "BinaryIO") -> bytes:
    """The next one; nothing at the end, and where the disk cannot read it: then the whole is not what was signed."""
    try:
        return file.read(PIECE)
    except OSError:
        return b""


def look(target: str, file: "Layer") -> None:
    """Removes a file that the other system had before and that is damaged since. WowError."""
    try:
        with open(target, "rb") as there:
            is_whole = hashlib.file_digest(there, "sha256").hexdigest() == file.digest
    except OSError:
        is_whole = False
    if not is_whole:
        os.unlink(target)
        raise damaged(target, file)


def damaged(path: str, file: "Layer") -> WowError:
    """What to say of a file that is not what was signed."""
    return WowError(f"the file of the pool's {file.kind} is damaged", "It is fetched anew by itself; where this is said again, take a fresh image: home is kept", path)
