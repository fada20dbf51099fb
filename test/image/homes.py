"""Whose home is it? The initrd's own scripts on its own kernel, with many disks in the home's place: what is another's stays as it is, and
a home that is being made when power fails is made to its end by the next boot, wherever it was cut."""

import errno
import hashlib
import os
import re
import shutil
import subprocess
import sys

import initrds
import volumes
import writelog
from checks import Start, expect, long_check, machine_check, note, run
from machine import KEPT_BY_HOST, UNTIL_HOME, Machine
from places import HOME_AT, PARTS, ROOT, WORK

OPEN = 'open_home "$mode"\n'
EACH = """\
for one in {disks}; do
    (
        places() {{ echo "/dev/$one"; }}
        is_partition() {{ true; }}
        await_disks() {{ :; }}
        stop() {{ tell "verdict $one stopped $*"; exit 1; }}
        open_home "$mode"
        umount /run/layers/home
        tell "verdict $one opened"
    )
done
"""
KIB_AN_INODE = 16
PIECE = 1 << 16
CONTINUED = 8
"""So many of the cut disks are booted again; the initrd judges all of them on this machine."""


def open_all(name, disks, logs=None, each=EACH, read_only=()):
    """Boots once with all disks, each in turn in the home's place; what the console said of each, in their order. logs: files for what was
    written to each disk; each: what is done with them; read_only: disks that may not be written to."""
    names = [f"vd{chr(ord('b') + number)}" for number in range(len(disks))]
    options = ["-device", "virtio-blk-pci,drive=system"]
    for number, disk in enumerate(disks):
        options += ["-blockdev", f"driver=file,node-name=f{number},filename={disk},discard=unmap,read-only={'on' if disk in read_only else 'off'},"
                    f"{KEPT_BY_HOST}"]
        if logs:
            logs[number].write_bytes(bytes(writelog.SECTOR))
            options += ["-blockdev", f"driver=file,node-name=l{number},filename={logs[number]},{KEPT_BY_HOST}",
                        "-blockdev", f"driver=blklogwrites,node-name=w{number},file=f{number},log=l{number},log-super-update-interval=1"]
        options += ["-device", f"virtio-blk-pci,drive={'w' if logs else 'f'}{number}"]
    kernel = initrds.Kernel(name).start(OPEN, each.format(disks=" ".join(names)), *options)
    verdicts = [verdict.split(" ", 1) for verdict in kernel.verdicts()]
    expect([disk for disk, _ in verdicts] == names, f"it spoke of {verdicts}")
    return [text for _, text in verdicts]


def made(name, maker):
    """A raw disk."""
    path = WORK / f"{name}.disk"
    volumes.blank(path)
    maker(path)
    return path


def digest(path):
    """SHA-256 of a disk's size and of each piece of it that is not all zeros, with its place. What the disk's file has no blocks for is not read."""
    size = path.stat().st_size
    found = hashlib.sha256(size.to_bytes(8))
    with open(path, "rb") as file:
        at = 0
        while (at := _data(file, at)) < size:
            at -= at % PIECE
            file.seek(at)
            piece = file.read(PIECE)
            if piece.strip(b"\0"):
                found.update(at.to_bytes(8) + piece)
            at += PIECE
    return found.hexdigest()


def _data(file, at):
    """Where the file has blocks from this place on; beyond its end where it has none."""
    try:
        return os.lseek(file.fileno(), at, os.SEEK_DATA)
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise
        return sys.maxsize


def expect_a_home(disk, name):
    """A whole file system of ours, with its folders and without the mark."""
    run("e2fsck", "-fn", disk)
    expect("WOWHOME" in run("e2label", disk).split(), f"{name} has another label")
    listed = run("debugfs", "-R", "ls /", disk)
    expect("home" in listed and "state" in listed, f"{name} holds {listed}")


def expect_a_new_home(disk, name):
    """One that was made just now, with as many inodes as small files may need."""
    expect_a_home(disk, name)
    head = run("dumpe2fs", "-h", disk)
    inodes, blocks, size = (int(re.search(f"^{field}: +([0-9]+)", head, re.MULTILINE).group(1)) for field in ("Inode count", "Block count", "Block size"))
    each = blocks * size / inodes
    expect(0.95 * KIB_AN_INODE <= each / 1024 <= 1.05 * KIB_AN_INODE, f"{name} has an inode for {each / 1024:.1f} KiB")


class Opened:
    """One start, in which a disk of each kind was in the home's place in turn: its disks, what they were before, and what the console said of each."""

    def __init__(self):
        makers = {**{name: maker for name, (maker, _) in volumes.STRANGERS.items()}, **volumes.HOMES, **volumes.NEW}
        self.disks = {name: made(name, maker) for name, maker in makers.items()}
        self.before = {name: digest(self.disks[name]) for name in volumes.STRANGERS}
        self.verdicts = dict(zip(self.disks, open_all("homes", list(self.disks.values()))))

    def answers(self):
        """It has said all, and has ended."""
        return True

    def cut_power(self):
        """It is off."""


START = Start(Opened)


@START.check
def what_is_another_s_in_the_home_s_place_is_named_and_not_touched(opened):
    for name, (_, called) in volumes.STRANGERS.items():
        expect(opened.verdicts[name].startswith("stopped ") and called in opened.verdicts[name], f"{name}: {opened.verdicts[name]}")
        expect(digest(opened.disks[name]) == opened.before[name], f"{name} was changed")


@START.check
def homes_of_before_open_with_what_is_in_them_and_blank_disks_get_a_home(opened):
    disks = opened.disks
    for name in (*volumes.HOMES, *volumes.NEW):
        expect(opened.verdicts[name] == "opened", f"{name}: {opened.verdicts[name]}")
        (expect_a_home if name in volumes.HOMES else expect_a_new_home)(disks[name], name)
        kept = subprocess.run(["debugfs", "-R", "cat kept", disks[name]], capture_output=True, text=True, check=False).stdout
        expect(kept == (volumes.KEPT if name in volumes.HOMES else ""), f"{name} holds {kept}")


@long_check
def luks_on_a_real_disk_stops_the_boot_with_a_word_on_the_console():
    volume = WORK / "volume.raw"
    volumes.blank(volume)
    volumes.luks(volume)
    machine = Machine("luks", ROOT / "build/out/wow.qcow2")
    run("qemu-io", "-f", "qcow2", "-c", f"write -q -s {volume} {HOME_AT} {volumes.SIZE}", machine.disk)
    machine.start()
    try:
        machine.wait_for("Nothing was changed", UNTIL_HOME)
    finally:
        machine.cut_power()
    expect("file=/dev/vda4" in machine.said() and "LUKS" in machine.said(), machine.last())
    machine.home()
    with open(WORK / "luks.raw", "rb") as disk, open(volume, "rb") as source:
        disk.seek(HOME_AT)
        expect(disk.read(volumes.SIZE) == source.read(), "the volume was changed")


JUDGE = """\
. {folder}/kind.sh; . {folder}/disk.sh; . {folder}/home.sh
blocks() {{ echo {blocks}; }}
home_state {disk}
"""


def judged(disk):
    """What the next boot finds: the initrd's home_state, by the base's busybox."""
    text = JUDGE.format(folder=ROOT / "appliance/initrd", blocks=volumes.SIZE // 4096, disk=disk)
    # Its tools are found as in the initrd: every name is busybox.
    return run(PARTS / "base/busybox", "sh", "-c", f"PATH={WORK}/applets\n{text}").strip()


def applets():
    """The initrd's folder of programs."""
    folder = WORK / "applets"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name in initrds.initrd.APPLETS:
        (folder / name).symlink_to(PARTS / "base/busybox")


def cuts(entries):
    """Numbers of entries after which power may fail: those that change something, and before all."""
    return [0] + [number + 1 for number, entry in enumerate(entries) if entry.data]


def states_of(disk, entries, judge=judged, at=None):
    """(number of entries done, what the next boot finds) for each cut, or for those of `at`; the disk ends with the last."""
    found, done = [], 0
    for cut in cuts(entries) if at is None else at:
        writelog.apply(disk, entries[done:cut])
        done = cut
        found.append((cut, judge(disk)))
    return found


def alone(disk, entries):
    """What the next boot finds when, of the writes between two flushes, a single one came through. A disk may take them in any order."""
    found, epoch = [], []
    for entry in [*entries, None]:
        if entry is None or entry.is_flush:
            for single in epoch[1:]:
                before = writelog.Write(single.offset, volumes.get(disk, single.offset, len(single.data)), 0)
                writelog.apply(disk, [single])
                found.append(judged(disk))
                writelog.apply(disk, [before])
            writelog.apply(disk, epoch)
            epoch = []
        if entry is not None and entry.data:
            epoch.append(entry)
    return found


@machine_check
def a_home_whose_making_is_cut_at_any_write_is_made_by_the_next_boot():
    made_though_cut("blank")


@long_check
def one_whose_making_is_cut_on_a_disk_that_was_cleared_is_made_by_the_next_boot_too():
    made_though_cut("cleared")


def made_though_cut(name):
    """Makes a home on a new disk of this name, cuts it at each of its writes, and lets some of them boot again."""
    applets()
    maker = volumes.NEW[name]
    first = made(f"first-{name}", maker)
    log = first.with_suffix(".writes")
    expect(open_all("first", [first], [log]) == ["opened"], "the first boot made no home")
    entries = writelog.read(log)
    states = states_of(made(f"replay-{name}", maker), entries)
    order = [state for _, state in states]
    expect(order == sorted(order, key=["blank", "unfinished", "whole"].index) and order[-1] == "whole", f"{name}: {order}")
    unfinished = [cut for cut, state in states if state == "unfinished"]
    expect(len(unfinished) > 10, f"{name}: only {len(unfinished)} cuts leave it unfinished: {order}")
    strays = set(alone(made(f"single-{name}", maker), entries)) - {"blank", "unfinished", "whole"}
    expect(not strays, f"{name}: writes in another order leave it {strays}")
    again = []
    for cut in unfinished[::max(1, len(unfinished) // CONTINUED)]:
        again.append(made(f"cut-{name}-{cut}", maker))
        writelog.apply(again[-1], entries[:cut])
    note(f"{name}: {len(entries)} entries, {len(states)} cuts, {len(unfinished)} of them unfinished")
    for disk, verdict in zip(again, open_all("continued", again)):
        expect(verdict == "opened", f"{disk.name}: {verdict}")
        expect_a_new_home(disk, disk.name)
