"""The disk loses a part of a system: the machine finds it, mends it where there is a copy, starts its other system where there is none, and says what to do where both are
damaged."""

import json
import os
import time
import shutil

import paired
from checks import expect, long_check, note, run
from machine import UNTIL_HOME
from paired import HOME, INSTALL, Paired, System
from places import OUT, WORK

from wow.stack import verity

ROT, JUNK = 640 << 10, 1 << 20
"""Where a block of a file rots, and how long the file is. squashfs reads 128 KiB at once."""
LOOKS = "systemctl start wow-layers"
FINDINGS = """\
python3 -I -S -c "
import sys, json
sys.path.insert(0, '/usr/lib/wow/node')
from wow.doctor import diagnose
from wow.stack import damage, told
from wow.stack.systems import Systems
found = diagnose.system({'system': damage.said(Systems()), 'stack': told.read()})
print(json.dumps({one.code: one.what + ' ' + one.todo for one in found}))
"
"""
"""What the doctor finds of the machine's systems; all of it waits minutes for a pool that is not there."""
ROTS = """\
disk=$(grep ' /run/layers/sys ' /proc/mounts | cut -d' ' -f1)
yes | dd of="$disk" bs=4096 seek={block} count=1 iflag=fullblock conv=notrunc,fsync status=none
echo 3 > /proc/sys/vm/drop_caches
"""
READS = "dd if=/junk of=/run/read bs=4096 status=none; code=$?; echo; stat -c %s /run/read; sha256sum < /run/read; exit $code"
MENDS = "touch /run/wow/joined; systemctl start wow-stack || { journalctl -u wow-stack -u wow-system -o cat; exit 1; }"


def grown(layer, name, data):
    """A layer with one file more, as bytes."""
    place, out = WORK / f"rotten-{name}", WORK / f"rotten-{name}.squashfs"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    (place / name).write_bytes(data)
    out.write_bytes(layer)
    run("mksquashfs", place, out, "-no-progress", "-quiet", "-no-recovery")
    return out.read_bytes()


class Rotten(Paired):
    """A machine with two systems of which the disk may lose something while it is off."""

    def __init__(self, name, one, two):
        super().__init__(name, one)
        with self.opened(OUT / "wow.qcow2") as tree:
            for slot, system in (("A", one), ("B", two)):
                rows = []
                for kind in ("base", "node"):
                    file = f"{kind}-{system.digests[kind][:12]}.squashfs"
                    (tree / "layers" / file).write_bytes(system.files[kind])
                    rows.append(f"{kind} {kind} {file} {len(system.files[kind])} {system.digests[kind]}\n")
                    made = verity.Tree()
                    made.add(system.files[kind])
                    rows += [f"{line}\n" for line in verity.put(str(tree / "layers"), file, made)]
                (tree / f"stacks/{slot}.conf").write_text(f"# stack 1{slot == 'B':d}\n{''.join(rows)}")
                (tree / "boot" / slot).mkdir(exist_ok=True)
                for kind, file in paired.BOOTED.items():
                    (tree / f"boot/{slot}/{file}").write_bytes(system.files[kind])
                (tree / f"boot/{slot}/SHA256SUMS").write_text("".join(f"{system.digests[kind]}  {file}\n" for kind, file in paired.BOOTED.items()))

    def opened(self, disk=None):
        """WOWSYS of the disk while the machine is off, to be written; a context."""
        return Opened(self, disk or self.disk)

    def lose(self, file, at, size=16):
        """The disk has other bytes there, and nobody tells."""
        with self.opened() as tree, open(tree / file, "r+b") as there:
            there.seek(at)
            data = there.read(size)
            there.seek(at)
            there.write(bytes(byte ^ 0x55 for byte in data))

    def rot(self, file, at):
        """The disk has other bytes there from now on, while the machine runs, and what memory has of it is gone."""
        run("qemu-img", "convert", "-U", "-O", "raw", self.disk, self.raw)
        block = int(run("debugfs", "-R", f"bmap {file} {at // verity.BLOCK}", f"{self.raw}?offset={paired.SYSTEM}").split()[0])
        self.raw.unlink()
        self.ask(ROTS.format(block=block))

    def findings(self):
        """{code: words}."""
        return json.loads(self.ask(FINDINGS))


class Opened:
    """The disk as a raw one, mounted; afterwards it is the machine's again."""

    def __init__(self, machine, disk):
        self.machine, self.disk = machine, disk

    def __enter__(self):
        run("qemu-img", "convert", "-O", "raw", self.disk, self.machine.raw)
        self.mount = paired.mounted(self.machine.raw)
        return self.mount.__enter__()

    def __exit__(self, *_):
        self.mount.__exit__(None, None, None)
        run("qemu-img", "convert", "-f", "raw", "-O", "qcow2", self.machine.raw, self.machine.disk)
        self.machine.raw.unlink()


@long_check
def a_system_that_rots_is_mended_or_left_and_where_both_do_one_screen_says_what_to_do():
    own, junk = paired.image(), os.urandom(JUNK)
    one = System(**{**own.files, "node": grown(own.files["node"], "junk", junk)})
    # What cannot be packed lies there as it is.
    at = one.files["node"].index(junk[ROT:ROT + 64])
    two = System(**{**own.files, "base": grown(own.files["base"], "other", b"other\n")})
    machine = Rotten("rotten", one, two)
    node = f"layers/node-{one.digests['node'][:12]}.squashfs"
    try:
        machine.up()
        expect(machine.says() == {"system": "A", "trial": "", "left": "", "damaged": ""}, f"it says {machine.says()}")
        machine.ask(f"sha256sum < /junk | grep {System(junk=junk).digests['junk']}")
        machine.rot(node, at)
        mended(machine, one, node, junk)
        machine.lose(node, at)
        left(machine, node)
        machine.lose(f"layers/base-{two.digests['base'][:12]}.squashfs", 0)
        both(machine)
    finally:
        machine.cut_power()


def mended(machine, one, node, junk):
    """What reads the file gets an error, and no other bytes; wow-layers looks at once, and what the pool publishes of the layer is written in its place."""
    machine.ask("touch /run/wow/settled")
    read(machine, junk)
    machine.wait_for(f'file={node} what="the disk has lost a part of this system', UNTIL_HOME)
    machine.ask(f"until [ -e /run/wow/damaged ]; do sleep 1; done; grep '^{one.digests['node']} {node}$' /run/wow/damaged", UNTIL_HOME)
    expect(set(machine.findings()) == {"system-damaged"}, f"the doctor finds {machine.findings()}")
    machine.ask(INSTALL.format(home=HOME, files=f"/mnt/{one.digests['node']}", notice=one.notice(int(time.time()))))
    machine.ask(MENDS, UNTIL_HOME * 2)
    machine.ask(f"sha256sum /run/layers/sys/{node} | grep {one.digests['node']}; {LOOKS}; ! [ -s /run/wow/damaged ]", UNTIL_HOME * 2)
    machine.refuses("touch /run/layers/sys/x")
    machine.ask(f"sha256sum < /junk | grep {System(junk=junk).digests['junk']}")
    expect(not machine.findings(), f"the doctor finds {machine.findings()}")
    machine.cut_power()


def read(machine, junk):
    """What is before the damaged block is read as it was, and an error follows; the machine works on."""
    size, digest = machine.refuses(READS).split()[-3:-1]
    expect(0 < int(size) <= ROT and digest == System(read=junk[:int(size)]).digests["read"], f"{size} bytes were read, which are others")
    machine.wait_for("device-mapper: verity: ", UNTIL_HOME)
    machine.ask("ls / && python3 -c 'print(1)'")


def left(machine, node):
    """Nobody has a copy. The machine is not back in its pool: it starts again, all is read, and the other system is whole."""
    machine.up()
    machine.ask("rm /var/lib/wow/notice-3")
    machine.ask(f"{LOOKS} --no-block")
    machine.ends()
    machine.start()
    machine.wait_for("This machine's system A is damaged; it starts again with its other one, B.", UNTIL_HOME * 3)
    expect(f"/{node}" in machine.said(), machine.last())
    machine.ends()
    said = machine.environment()
    expect("system=B\n" in said and "damaged=A\n" in said, f"GRUB has {said[:90]}")
    machine.up()
    expect(machine.says() == {"system": "B", "trial": "", "left": "", "damaged": "A"}, f"it says {machine.says()}")
    machine.ask("grep other /other")
    found = machine.findings()
    expect(set(found) == {"system-left"} and "this start is with the other one, B" in found["system-left"], f"the doctor finds {found}")
    machine.cut_power()


def both(machine):
    """B cannot start, and A is known to be damaged: it stays on one screen."""
    machine.start()
    machine.wait_for("This machine cannot start.", UNTIL_HOME * 2)
    machine.wait_for("home is kept", UNTIL_HOME)
    words = " ".join(machine.said().split())
    expect("the other system of this machine, A, is damaged, too" in words and "take a fresh image for the system's disk; home is kept" in words, machine.last())
    machine.cut_power()
    note("mended, left, and both damaged")


@long_check
def a_kernel_or_an_initrd_that_the_disk_has_lost_is_left_by_itself():
    """Nobody touches the machine: GRUB finds other bytes. Where a release without sums for it wrote the system, it cannot read the kernel, or the kernel panics
    without its initrd."""
    own = paired.image()
    for file, at, has_sums, words in (("vmlinuz", 6 << 20, True, ("again",)), ("vmlinuz", 0, False, ("again",)), ("initrd.img", 0, False, ("yes", "again"))):
        machine = Rotten(f"lost-{file.partition('.')[0]}-{at}", own, own)
        try:
            if not has_sums:
                with machine.opened() as tree:
                    (tree / "boot/A/CRC32").unlink()
            machine.lose(f"boot/A/{file}", at, 4096)
            for number, word in enumerate(words):
                # From the second start on GRUB shows its menu, which runs out by itself.
                machine.menus = number
                machine.start()
                machine.ends()
                expect(f"unfinished={word}\n" in machine.environment(), f"GRUB has {machine.environment()[:90]}")
            machine.menus = 1
            machine.up()
            expect(machine.says() == {"system": "B", "trial": "", "left": "", "damaged": "A"}, f"it says {machine.says()}")
        finally:
            machine.cut_power()
