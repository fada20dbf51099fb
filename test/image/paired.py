"""The image's two systems, in one machine: another one is written beside it, tried, found good, and left where it does not start; and wherever power goes while it is
written, what GRUB would start is whole."""

import base64
import contextlib
import hashlib
import os
import random
import re
import shutil

import initrds
import writelog
from accel import emulator, tcg
from checks import expect, long_check, machine_check, note, run
from developing import Developed
from machine import KEPT_BY_HOST, UEFI, UNTIL_HOME
from places import OUT, PARTS, WORK

MIB = 1 << 20
ESP, ESP_SIZE, SYSTEM, SYSTEM_SIZE = 2 * MIB, 62 * MIB, 64 * MIB, 8192 * MIB
"""Where appliance/image/disk puts them."""
FEW, MANY = 6, 200
"""Points at which power goes: in every run, and in `run --long`."""
BOOTED_OF_MANY = 20
"""Of the many so many are started, too."""
BOOTED = {"kernel": "vmlinuz", "initrd": "initrd.img"}
INSTALL = """\
set -e
for disk in /dev/vd?; do ! mount -t ext4 -o ro $disk /mnt 2> /dev/null || break; done
mkdir -p {home}/layers {home}/stacks
cp {files} {home}/layers/
umount /mnt
touch /run/wow/settled
base64 -d > /var/lib/wow/notice-3 << 'END'
{notice}
END
"""
HOME = "/run/layers/home"


class System:
    """Files of a system by their kinds, as a stack carries them."""

    def __init__(self, **files):
        self.files = files
        self.digests = {kind: hashlib.sha256(data).hexdigest() for kind, data in files.items()}

    def notice(self, number):
        """The file that ipopd leaves of a notice; that it verified the signature is tried elsewhere (test/vm)."""
        text = "wow-stack 1\n" + "".join(f"{kind} {self.digests[kind]} {len(data)}\n" for kind, data in self.files.items())
        signature = bytes(70)
        return base64.encodebytes(b"WOWN\3" + number.to_bytes(8, "big") + bytes((len(signature),)) + signature + text.encode()).decode().strip()


def image():
    """The one that the image has."""
    return System(base=(PARTS / "layers/base.squashfs").read_bytes(), node=(PARTS / "layers/node.squashfs").read_bytes(),
                  kernel=(PARTS / "base/vmlinuz").read_bytes(), initrd=(PARTS / "initrd.img").read_bytes())


def newer(of):
    """Another one: its node's layer has one file more, and so has its initrd."""
    place, layer = WORK / "paired", WORK / "paired-node.squashfs"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    (place / "newer").write_text("newer\n")
    layer.write_bytes(of.files["node"])
    run("mksquashfs", place, layer, "-no-progress", "-quiet", "-no-recovery")
    archive = initrds.initrd.Archive()
    archive.add("newer", 0o100644, b"newer\n")
    return System(**{**of.files, "node": layer.read_bytes(), "initrd": archive.finish() + of.files["initrd"]})


class Paired(Developed):
    """A machine with a disk of files for the test. log: where each write to its disk is noted."""

    def __init__(self, name, *systems):
        super().__init__(name)
        self.files, self.is_logged, self.firmware = WORK / f"{name}-files.img", False, ()
        self.log, self.raw = WORK / f"{name}.writes", WORK / f"{name}-now.raw"
        tree = WORK / f"{name}-files"
        shutil.rmtree(tree, ignore_errors=True)
        tree.mkdir()
        for system in systems:
            for kind, digest in system.digests.items():
                if kind != "base":
                    (tree / digest).write_bytes(system.files[kind])
        self.files.unlink(missing_ok=True)
        run("mke2fs", "-q", "-F", "-t", "ext4", "-d", tree, self.files, "256M")

    def start(self, *options):
        files = ("-drive", f"if=virtio,file={self.files},format=raw,readonly=on")
        if not self.is_logged:
            return super().start(*options, *files, *self.firmware)
        self.starts += 1
        serial = WORK / f"{self.name}-{self.starts}.log"
        self.log.write_bytes(bytes(writelog.SECTOR))
        # The filter writes each request with two pieces of its own in front of it. Of requests that QEMU merges that may be two more than the host takes at once, and
        # the guest's write fails.
        return self.run(serial, emulator(), "-machine", "q35", *tcg(), "-smp", "1", "-m", "1024", "-display", "none", "-no-reboot", "-serial", f"file:{serial}",
                        "-nic", "none",
                        "-blockdev", f"driver=qcow2,node-name=disk,file.driver=file,file.filename={self.disk},file.{KEPT_BY_HOST}",
                        "-blockdev", f"driver=file,node-name=log,filename={self.log},{KEPT_BY_HOST}",
                        "-blockdev", "driver=blklogwrites,node-name=logged,file=disk,log=log,log-super-update-interval=1",
                        "-device", "virtio-blk-pci,drive=logged,bootindex=0,request-merging=off", *options, *files)

    def publish(self, number, system, *kinds):
        """What wow-stack would have fetched is there, and wow-system does its part."""
        self.ask(INSTALL.format(home=HOME, files=" ".join(f"/mnt/{system.digests[kind]}" for kind in kinds), notice=system.notice(number)))
        self.ask("systemctl start wow-system || { journalctl -u wow-system -o cat; exit 1; }", UNTIL_HOME * 2)

    def says(self):
        """What the initrd said of this start."""
        return dict(line.split("=") for line in self.ask("cat /run/layers/system").splitlines())

    def environment(self):
        """GRUB's variables, also while the machine runs."""
        run("qemu-img", "convert", "-U", "-O", "raw", self.disk, self.raw)
        text = run("mtype", "-i", f"{self.raw}@@{ESP}", "::/grub/grubenv")
        self.raw.unlink()
        return text

    def starts_in_vain(self, is_waited=True):
        """GRUB gives what it is to try its three starts, and starts the machine again after each. Its menu, which the second and those after it show, runs out by
        itself in the second, if that is waited for; else Enter is pressed, for GRUB keeps the processor busy while it waits."""
        for number in range(3):
            # Behind the third comes a start that shows it, too.
            self.menus = (0, int(not is_waited), 2)[number]
            self.start()
            self.ends()
            expect("WOW: " not in self.said(), f"it started:\n{self.last()}")


@machine_check
def another_system_is_tried_and_kept_and_one_that_does_not_start_is_left():
    own = image()
    second = newer(own)
    broken = System(**{**second.files, "kernel": os.urandom(MIB)})
    machine = Paired("paired", second, broken)
    try:
        written(machine, second)
        tried(machine)
        kept(machine, own)
        left_in_vain(machine, broken, is_waited=False)
        # That people can use B is seen above: here it is enough that its initrd speaks.
        machine.start()
        machine.wait_for("WOW: stack", UNTIL_HOME)
        machine.cut_power()
        said = machine.environment()
        expect("system=B\n" in said and "trial=A\n" in said, f"GRUB has {said[:90]}")
        survived(machine, own, second, FEW, 0)
    finally:
        machine.cut_power()


@long_check
def another_system_that_is_not_found_good_in_time_is_tried_once_more_and_by_uefi_too_one_that_does_not_start_is_left():
    own = image()
    second = newer(own)
    broken = System(**{**second.files, "kernel": os.urandom(MIB)})
    machine = Paired("paired-uefi", second, broken)
    try:
        written(machine, second)
        tried(machine)
        machine.ask("systemctl is-active wow-trial.timer")
        machine.ask("systemctl start --no-block wow-trial.service")
        machine.ends()
        machine.up()
        expect(machine.says()["trial"] == "1", f"it says {machine.says()}")
        kept(machine, own)
        # Of the two GRUBs, that of BIOS counted so far.
        machine.firmware = UEFI
        left(machine, second, broken)
    finally:
        machine.cut_power()


def written(machine, second):
    """A runs, and B is written beside it."""
    machine.is_logged = True
    machine.up()
    expect(machine.says() == {"system": "A", "trial": "", "left": "", "damaged": ""}, f"it says {machine.says()}")
    machine.publish(12, second, "node", "initrd")
    rows = machine.ask("cat /run/layers/sys/stacks/B.conf").splitlines()
    expect(rows[0] == "# stack 12" and [row.split()[4] for row in rows[1:3]] == [second.digests["base"], second.digests["node"]], f"B.conf has {rows}")
    trees = [f"{row.split()[2].removesuffix('.squashfs')}.tree" for row in rows[1:3]]
    expect([row.split()[:3] for row in rows[3:]] == [["#", "tree", tree] for tree in trees], f"B.conf names other trees: {rows[3:]}")
    expect(machine.ask(f"sed 1d {HOME}/stacks/next").splitlines() == rows[1:3], "the next start has modules over another system")
    machine.refuses("touch /run/layers/sys/x")
    machine.ask("[ -e /run/wow/system.armed ]")
    machine.cut_power()
    machine.is_logged = False


def tried(machine):
    """B starts, and has two starts left."""
    machine.up()
    expect(machine.says() == {"system": "B", "trial": "2", "left": "", "damaged": ""}, f"it says {machine.says()}")
    expect(machine.ask("cat /newer; readlink /run/layers/image") == "newer\nsys/stacks/B.conf", "it runs another system")
    machine.refuses("grep -q unhashed /run/layers/system")


def kept(machine, own):
    """B is found good, and A is still there."""
    machine.ask("touch /run/wow/settled; systemctl start wow-trial.service; systemctl start wow-system")
    expect(own.digests["node"] in machine.ask("cat /run/layers/sys/stacks/A.conf"), "the former system is not there")


def left_in_vain(machine, broken, is_waited=True):
    """A is replaced by what does not start, and has its three starts. is_waited: of starts_in_vain."""
    machine.publish(13, broken, "kernel")
    machine.ask("systemctl reboot")
    machine.ends()
    machine.starts_in_vain(is_waited)


def left(machine, second, broken):
    """A is replaced by what does not start: B comes back by itself, and stays."""
    left_in_vain(machine, broken)
    machine.up()
    expect(machine.says() == {"system": "B", "trial": "", "left": "A", "damaged": ""}, f"it says {machine.says()}")
    machine.ask("systemctl start wow-system; ! [ -e /run/wow/system.armed ]")
    expect(second.digests["initrd"] in machine.ask("cat /run/layers/sys/boot/B/SHA256SUMS; cat /newer"), "it runs another system")


@long_check
def wherever_power_goes_while_another_system_is_written_what_is_started_is_whole():
    own = image()
    second = newer(own)
    machine = Paired("paired-cut", second)
    machine.is_logged = True
    try:
        machine.up()
        machine.publish(12, second, "node", "initrd")
        machine.cut_power()
        survived(machine, own, second, MANY, BOOTED_OF_MANY)
    finally:
        machine.cut_power()


def survived(machine, own, second, count, booted):
    """Power goes at so many points of the log. What was written since the disk was last told to keep all is there whole, or in parts by chance. So many of them start."""
    entries = writelog.read(machine.log)
    first = next(number for number, entry in enumerate(entries) if SYSTEM <= entry.offset < SYSTEM + SYSTEM_SIZE and entry.data)
    last = max(number for number, entry in enumerate(entries) if entry.data and entry.offset < SYSTEM + SYSTEM_SIZE)
    chance, raw, cut = random.Random(count), WORK / f"{machine.name}.raw", WORK / f"{machine.name}-point.raw"
    run("qemu-img", "convert", "-O", "raw", OUT / "wow.qcow2", raw)
    with open(raw, "r+b") as file:
        file.truncate(max(file.seek(0, 2), *(entry.offset + len(entry.data) for entry in entries)))
    # One point may be there several times: each time other writes are lost.
    points = sorted([first, last + 1, *(chance.randrange(first, last + 1) for _ in range(count - 2))])
    verdicts, kept = [], 0
    started = {number * (count - 1) // (booted - 1) for number in range(booted)}
    for number, point in enumerate(points):
        # All before the last flush is on the disk.
        flushed = max((earlier for earlier in range(point) if entries[earlier].is_flush), default=0)
        if flushed > kept:
            writelog.apply(raw, entries[kept:flushed])
            kept = flushed
        run("cp", "--sparse=always", raw, cut)
        is_whole = point == last + 1 or chance.random() < 0.5
        writelog.apply(cut, [entry for entry in entries[kept:point] if is_whole or chance.random() < 0.5])
        where = f"{machine.name} at {point} of {len(entries)}"
        said = starts(cut, f"{machine.name}-{number}") if number in started else None
        verdicts.append(judged(cut, {"A": own, "B": second}, where))
        expect(said in (None, verdicts[-1]), f"{where}: it started {said}, and was to start {verdicts[-1]}")
    expect(verdicts[0] == "A" and verdicts[-1] == "B", f"it would start {verdicts}")
    note(f"{count} cuts in {last - first} writes, {len(started)} of them started: {verdicts.count('A')} would start the system of before, {verdicts.count('B')} the new one")
    for place in (raw, cut):
        place.unlink()


def starts(disk, name):
    """Which system a disk starts, and that people can use it; the disk stays as it is."""
    machine = Developed(name)
    machine.disk.unlink()
    run("qemu-img", "create", "-q", "-f", "qcow2", "-F", "raw", "-b", disk, machine.disk)
    try:
        machine.up()
        return dict(line.split("=") for line in machine.ask("cat /run/layers/system").splitlines())["system"]
    finally:
        machine.cut_power()
        machine.disk.unlink()


def judged(disk, systems, where):
    """Which system GRUB would start; it, and what it falls back to, must be whole as GRUB reads them, and as the initrd does."""
    said = dict(line.split("=") for line in run("mtype", "-i", f"{disk}@@{ESP}", "::/grub/grubenv").splitlines() if re.fullmatch("[a-z]+=[A-Za-z0-9]*", line))
    system = said.get("system") or "A"
    trial = said.get("trial", "")
    is_tried = trial not in ("", system) and said.get("tries") in ("1", "2", "3")
    for name in {system, trial} if is_tried else {system}:
        for kind, file in BOOTED.items():
            out = disk.with_suffix(".file")
            # debugfs plays no journal either. Like GRUB it is to read no bitmaps (-c): they and their checksums reach the disk one after the other.
            said = run("debugfs", "-c", "-R", f"dump /boot/{name}/{file} {out}", f"{disk}?offset={SYSTEM}")
            expect(out.exists(), f"{where}: {kind} of {name} is not there: {said}")
            expect(hashlib.sha256(out.read_bytes()).hexdigest() == systems[name].digests[kind], f"{where}: {kind} of {name} is not whole")
            out.unlink()
    with mounted(disk) as tree:
        for name in {system, trial} if is_tried else {system}:
            rows = [line.split() for line in (tree / f"stacks/{name}.conf").read_text().splitlines() if not line.startswith("#")]
            for kind, _, file, size, digest in rows[:2]:
                data = (tree / "layers" / file).read_bytes()
                expect(digest == systems[name].digests[kind] == hashlib.sha256(data).hexdigest() and len(data) == int(size), f"{where}: {kind} of {name} is not whole")
    run("e2fsck", "-fn", f"{disk}?offset={SYSTEM}")
    return trial if is_tried else system


@contextlib.contextmanager
def mounted(disk):
    """WOWSYS of a raw disk, whose journal the kernel plays."""
    place = disk.with_suffix(".mount")
    place.mkdir(exist_ok=True)
    run("mount", "-t", "ext4", "-o", f"loop,offset={SYSTEM},sizelimit={SYSTEM_SIZE}", disk, place)
    try:
        yield place
    finally:
        run("umount", place)
        place.rmdir()
