"""Gives the disk of a machine that is switched off the system of a newer image: kernel, base, node layer, modules. Home and state stay: keys, certificate,
queue, history, on a manager the CA. A machine whose system had less room gets that of the image, and a disk as much larger. The disk is whole, the former or
the new, at any moment; the former one is kept beside it as MACHINE.qcow2.before.

Who starts the machine meanwhile is refused its disk by qemu: it is locked as qemu locks what it writes.

One manager at a time: switch it off, upgrade it, start it, and wait until its window says that it is a manager of its pool before the next."""

import contextlib
import fcntl
import os
import pathlib
import struct

from pool import disk, durable, programs
from pool.formats import partitions, stacks
from pool.image import QCOW2
from pool.node import WowError
from pool.steps import Step

SUMMARY = "gives the disk of a machine that is switched off the system of a newer image; its home and state stay"
BEFORE, WORK = ".before", ".upgrade"
WRITES, NO_WRITING = 101, 201
"""Bytes of an image that qemu locks, shared, where it writes it, and where nobody else may (block/file-posix.c, raw_apply_lock_bytes)."""
FLOCK = "hhqqi4x"
"""struct flock (fcntl(2)): type, whence, start, length, process."""
TOOLS = ("qemu-img", "sfdisk", "debugfs", "unsquashfs")


def add(parser):
    """Adds its words to the parser."""
    parser.add_argument("machine", metavar="MACHINE.qcow2", type=pathlib.Path, help="the machine's first disk")
    parser.add_argument("image", metavar="IMAGE", type=pathlib.Path, nargs="?", help="the new image, a qcow2; that of the last `make image` if none is named")


def run(given, context):
    """Looks at both disks, and only then makes the new one."""
    programs.need(*TOOLS)
    machine, image = given.machine.resolve(), given.image or context.clone.out / QCOW2
    if not machine.is_file():
        raise WowError("no such file", "Name the first disk of the machine", str(machine))
    with contextlib.closing(taken(machine, context.say)) as lock:
        held = (lock.fileno(),)
        work = machine.with_name(machine.name + WORK)
        durable.remove(work)
        try:
            work.mkdir(0o700)
            upgrade(machine, image, work, context, held)
        finally:
            durable.remove(work)


def taken(machine, say):
    """The disk, open, that no other upgrade and no qemu has or gets until it is closed; WowError where a machine runs from it."""
    while True:
        lock = open(machine, "rb")  # pylint: disable=consider-using-with
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                say(f"another `wow pool upgrade` has {machine}; waiting for its end")
                fcntl.flock(lock, fcntl.LOCK_EX)
            # Whoever had it may have put another file there.
            if os.path.samestat(os.fstat(lock.fileno()), machine.stat()):
                keep_from_qemu(lock, machine)
                return lock
        except BaseException:
            lock.close()
            raise
        lock.close()


def keep_from_qemu(lock, machine):
    """Has qemu refuse to write the disk, as it refuses where another qemu has it."""
    fcntl.fcntl(lock, fcntl.F_OFD_SETLK, struct.pack(FLOCK, fcntl.F_RDLCK, os.SEEK_SET, NO_WRITING, 1, 0))
    there = fcntl.fcntl(lock, fcntl.F_OFD_GETLK, struct.pack(FLOCK, fcntl.F_WRLCK, os.SEEK_SET, WRITES, 1, 0))
    if struct.unpack(FLOCK, there)[0] != fcntl.F_UNLCK:
        raise WowError("a machine runs from it: qemu has its write lock", "Switch the machine off first", str(machine))


def upgrade(machine, image, work, context, held):
    """The same with the machine's disk taken, and a folder beside it for what is made meanwhile."""
    with context.say.going(f"reading the system of {machine}") as far:
        was = disk.read(machine, work, held, is_own=True, far=far)
    with context.say.going(f"reading the system of {image}") as far:
        new = disk.read(image, work, held, far=far)
    told = {"machine": str(machine), "from": was.release, "to": new.release, "before": None}
    # Of two systems nobody knows here which one the machine starts, and whoever upgrades may do so because that one is bad.
    if was.lists == new.lists[:1]:
        context.say(f"{machine} has this very system already (release {was.release})")
        context.tell({**told, "changed": False})
        return
    refuse(machine, was, image, new)
    context.run(steps(machine, image, work, context, held))
    context.say(f"{machine} has release {new.release} now, the former disk is {before(machine)}. Start the machine and wait until its window says that it is "
                "in its pool, or a manager of it; only then upgrade the next manager. If it does not come: switch it off and move the former disk back")
    context.tell({**told, "before": str(before(machine)), "changed": True})


def refuse(machine, was, image, new):
    """WowError where the machine would lose something."""
    if not partitions.agree(was.table, new.table):
        raise WowError(f"has other partitions than {image}", "Copy home and /var/lib/wow to a new machine by hand", str(machine))
    if disk.is_older(new.release, was.release):
        raise WowError(f"is of release {new.release}, older than the machine's {was.release}, whose state it may not understand",
                       "Take an image of that release or a newer one", str(image))
    if missing := stacks.missing("\n".join(was.lists), new.lists[0]):
        raise WowError(f"has not the modules {', '.join(dict.fromkeys(missing))}, which {machine} has", "Make an image with them: modules/NAME in the clone, then make image", str(image))


def before(machine):
    """Where the former disk is kept."""
    return machine.with_name(machine.name + BEFORE)


def steps(machine, image, work, context, held):
    """Each is whole or not done; whatever ended a run, the next begins with the first, and the machine's disk is the former one until the last."""
    made, kept, link = work / "new.qcow2", before(machine), work / "former.qcow2"

    def make():
        with context.say.going(f"making the new disk in {work}; {machine} stays as it is meanwhile") as far:
            programs.run(context.clone.replace_base, machine, image, "-o", made, "-p", held=held, place=work, far=far)
        owner = machine.stat()
        os.chown(made, owner.st_uid, owner.st_gid)
        made.chmod(owner.st_mode & 0o7777)
        durable.sync(made)

    def keep():
        os.link(machine, link)
        os.rename(link, kept)

    def swap():
        os.rename(made, machine)
        durable.sync_one(machine.parent)

    return [Step("system", f"the system of {image}, the home of {machine}", lambda: False, make),
            Step("before", f"{kept}, the former disk", lambda: False, keep), Step("swap", f"{machine}", lambda: False, swap)]
