"""A configuration that is put into a disk's partition in place: in every format, at once, and whatever cuts it."""

import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "appliance/image/formats"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import configdisk  # noqa: E402
import inplace  # noqa: E402
import onedisk  # noqa: E402
import smalls  # noqa: E402
import tools  # noqa: E402
from places import POOL_CONF  # noqa: E402
from tools import ImageError  # noqa: E402

STAMP = ROOT / "appliance/image/stamp"
MIB = smalls.MIB
MANAGER = POOL_CONF + "[node]\nrole = manager\n"
OTHER = POOL_CONF.replace("name = demo", "name = other")


class Base(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        # A blank and a comma, which qemu's tools take for more than they are.
        self.folder = pathlib.Path(folder.name, "a, b")
        self.folder.mkdir()
        self.scratch = pathlib.Path(folder.name, "scratch")
        self.scratch.mkdir()
        self.conf = self.folder / "pool.conf"
        self.conf.write_text(POOL_CONF)

    def disk(self, form="raw", **how):
        return smalls.converted(smalls.table(self.folder / "disk.raw", **how), form)

    def stamp(self, disk, text=POOL_CONF, *more):
        self.conf.write_text(text)
        return subprocess.run([STAMP, disk, self.conf, *more], capture_output=True, text=True, check=False)

    def stamped(self, disk, text=POOL_CONF, *more):
        done = self.stamp(disk, text, *more)
        self.assertEqual(0, done.returncode, done.stderr)
        return done.stdout

    def refused(self, disk, *words):
        """It says why, and the file is as it was."""
        before = disk.read_bytes()
        done = self.stamp(disk)
        self.assertNotEqual(0, done.returncode, done.stdout)
        self.assertEqual(1, done.stderr.count("\n"), done.stderr)
        for word in (str(disk), *words):
            self.assertIn(word, done.stderr)
        self.expect_same(before, disk)

    def expect_same(self, before, disk):
        # Of large bytes that differ unittest would make a list.
        self.assertTrue(before == disk.read_bytes(), "the file was changed")

    def state(self, content):
        image = self.scratch / "state"
        image.write_bytes(content)
        return inplace.State(image)

    def pool(self, content):
        """The pool of what stands in the partition, as a foreign reader of FAT sees it; None where there is none."""
        image = self.scratch / "read"
        image.write_bytes(content)
        said = subprocess.run(["mtype", "-i", image, "::/pool.conf"], capture_output=True, text=True, check=False).stdout
        found = re.search("^name = (.*)$", said, re.MULTILINE)
        return found and found.group(1)


class Stamped(Base):
    def test_every_format_holds_the_configuration_and_nothing_else_changes(self):
        plain = smalls.table(self.folder / "plain.raw").read_bytes()
        start, size = (value * MIB for value in smalls.PARTS["WOWCFG"])
        for form in smalls.FORMS:
            with self.subTest(form):
                disk = self.disk(form)
                told = json.loads(self.stamped(disk, POOL_CONF, "--json"))
                self.assertEqual({"out": str(disk), "what": "holds its configuration"}, told)
                self.assertEqual("demo", self.pool(smalls.part(disk, form)))
                smalls.quiet("qemu-img", "convert", "-f", form, "-O", "raw", disk, self.folder / "all")
                content = (self.folder / "all").read_bytes()
                self.assertTrue(plain[:start] == content[:start] and plain[start + size:] == content[start + size:len(plain)], "something else was changed")

    def test_another_stamp_says_what_was_there_and_leaves_nothing_of_it(self):
        secret = b"the key of the manager" * 1000
        for form in ("qcow2", "vhdx"):
            with self.subTest(form):
                disk = self.disk(form)
                keys = self.folder / "keys"
                (keys / "ca").mkdir(parents=True, exist_ok=True)
                for name in ("node.key", "node.pem", "ca/ca.db"):
                    (keys / name).write_bytes(secret)
                self.stamped(disk, MANAGER, "--manager", keys)
                self.assertTrue(secret[:22] in disk.read_bytes(), "the test sees nothing")
                self.assertIn("before it was of the pool demo", self.stamped(disk, OTHER))
                self.assertFalse(secret[:22] in disk.read_bytes(), "a key was left")
                self.assertEqual("other", self.pool(smalls.part(disk, form)))

    def test_it_writes_and_reads_no_more_where_the_disk_is_of_a_real_size(self):
        disk = self.disk("vhdx", parts={**smalls.PARTS, "WOWHOME": (24, 16 * 1024)}, size=16 * 1024 + 25)
        parts, read = [], onedisk.read

        def noted(disk, part, out):
            parts.append(part.size)
            read(disk, part, out)

        with mock.patch.object(onedisk, "read", noted):
            inplace.stamp(disk, configdisk.entries(self.conf), self.scratch)
        self.assertLess(sum(parts), 40 * MIB)
        self.assertLess(disk.stat().st_blocks * 512, 8 * MIB)

    def test_all_that_stands_on_a_configuration_disk_is_taken(self):
        keys, disk = self.folder / "keys", self.disk()
        (keys / "ca").mkdir(parents=True)
        for name in ("node.key", "node.pem", "ca/ca.db"):
            (keys / name).write_text(name)
        out = self.folder / "NAME-config.img"
        self.stamped(disk, MANAGER, "--manager", keys, "-o", out)
        done = subprocess.run([STAMP, disk, out], capture_output=True, text=True, check=False)
        self.assertEqual(0, done.returncode, done.stderr)
        (self.scratch / "part").write_bytes(smalls.part(disk, "raw"))
        listed = subprocess.run(["mdir", "-b", "-/", "-i", self.scratch / "part", "::"], capture_output=True, text=True, check=True).stdout.split()
        self.assertEqual(["::/manager/", "::/manager/ca/", "::/manager/ca/ca.db", "::/manager/node.key", "::/manager/node.pem", "::/pool.conf", "::/pool.lines"], sorted(listed))
        done = subprocess.run([STAMP, disk, out, "--manager", keys], capture_output=True, text=True, check=False)
        self.assertIn("leave --manager", done.stderr)

    def test_what_somebody_put_there_by_hand_is_replaced(self):
        disk = self.disk()
        place = self.folder / "by-hand"
        configdisk.make(place)
        with open(disk, "r+b") as file:
            file.seek(smalls.PARTS["WOWCFG"][0] * MIB)
            file.write(place.read_bytes())
        self.stamped(disk)
        self.assertEqual("demo", self.pool(smalls.part(disk, "raw")))

    def test_a_disk_stays_as_it_is_where_its_configuration_goes_on_another_one(self):
        disk = self.disk("vhdx")
        before = disk.read_bytes()
        out = self.folder / "config.img"
        self.assertIn("attach it as a second disk", self.stamped(disk, POOL_CONF, "-o", out))
        self.expect_same(before, disk)
        self.assertEqual("demo", self.pool(out.read_bytes()))


class Cut(Base):
    def test_wherever_it_is_cut_the_former_configuration_stands_or_the_new_one(self):
        disk = self.disk()
        self.stamped(disk)
        self.conf.write_text(OTHER)
        before, writes, write = disk.read_bytes(), [], onedisk.write

        def noted(*words, **how):
            write(*words, **how)
            writes.append(disk.read_bytes())

        with mock.patch.object(onedisk, "write", noted):
            inplace.stamp(disk, configdisk.entries(self.conf), self.scratch)
        start, size = (value * MIB for value in smalls.PARTS["WOWCFG"])
        states = []
        for was, after in zip([before, *writes], writes):
            changed = [at for at in range(start, start + size, 512) if was[at:at + 512] != after[at:at + 512]]
            # In the order of a disk, backwards, and each second sector: a write that is cut may have left any of them.
            for order in (changed, changed[::-1]):
                for count in {1, len(order) // 2} - {0}:
                    now = bytearray(was)
                    for at in order[:count]:
                        now[at:at + 512] = after[at:at + 512]
                    state = self.state(now[start:start + size])
                    states.append((inplace.pool_of(state.pool_conf).name, state.is_unfinished))
        state = self.state(writes[-1][start:start + size])
        states.append((inplace.pool_of(state.pool_conf).name, state.is_unfinished))
        self.assertEqual({("demo", True), ("other", True), ("other", False)}, set(states))
        # And the next stamp ends what was cut, and says so.
        disk.write_bytes(writes[0])
        self.assertIn("before it was of the pool demo; an earlier stamp had been cut", self.stamped(disk, OTHER))
        state = self.state(smalls.part(disk, "raw"))
        self.assertEqual((False, "other"), (state.is_unfinished, inplace.pool_of(state.pool_conf).name))

    def test_a_write_that_fails_leaves_the_former_configuration(self):
        disk = self.disk()
        self.stamped(disk)
        self.conf.write_text(OTHER)
        for failing in range(3):
            count, write = iter(range(9)), onedisk.write

            def fails(*words, **how):
                if next(count) == failing:
                    raise ImageError("no")
                write(*words, **how)

            with mock.patch.object(onedisk, "write", fails), self.assertRaises(ImageError):
                inplace.stamp(disk, configdisk.entries(self.conf), self.scratch)
            self.assertEqual("other" if failing == 2 else "demo", self.pool(smalls.part(disk, "raw")), failing)


class Refused(Base):
    def test_a_file_that_is_no_image_of_wow(self):
        self.refused(self.conf, "is no image")
        self.refused(self.disk(parts={"Linux": (1, 8)}), "no partitions WOWESP and WOWSYS")
        self.refused(self.disk(parts={name: smalls.PARTS[name] for name in ("WOWBOOT", "WOWESP", "WOWSYS")}), "no partition WOWCFG", "-o OUT.img")
        blank = self.folder / "blank.qcow2"
        smalls.quiet("qemu-img", "create", "-f", "qcow2", blank, "32M")
        self.refused(blank, "no partition table")

    def test_a_form_that_cannot_be_written_in_place(self):
        self.refused(smalls.converted(smalls.table(self.folder / "disk.raw"), "vmdk", "-o", "subformat=streamOptimized"), "streamOptimized", "wow image convert")

    def test_one_from_which_a_machine_runs(self):
        for form in ("qcow2", "vhdx"):
            with self.subTest(form), running(self.disk(form), form) as disk:
                self.refused(disk, "is in use", "switch the machine off")

    def test_one_that_was_cut_short(self):
        for form in smalls.FORMS:
            with self.subTest(form):
                disk = smalls.table(self.folder / "disk.raw")
                with open(disk, "r+b") as file:
                    file.seek(4 * MIB)
                    file.write(os.urandom(2 * MIB))
                disk = smalls.converted(disk, form)
                os.truncate(disk, disk.stat().st_size - MIB * 3 // 2)
                self.refused(disk, "cut short")

    def test_the_disk_of_a_machine_that_has_been_started(self):
        disk = self.disk()
        with open(disk, "r+b") as file:
            file.seek(24 * MIB + 1024)
            file.write(b"a home")
        self.refused(disk, "a machine was started from this disk", "fresh copy")

    def test_what_a_program_says_is_told_in_words_that_help(self):
        for said, word in (("VHDX image file 'x' opened read-only, but contains a log that needs to be replayed", "qemu-img check -r all"),
                           ("write failed: No space left on device", "make room")):
            self.assertIn(word, str(tools.refusal("x", "qemu-io", said)))

    def test_a_full_disk(self):
        disk = self.disk("qcow2")
        with mock.patch.object(onedisk.shutil, "disk_usage", lambda path: mock.Mock(free=3 * MIB)):
            with self.assertRaisesRegex(ImageError, "no room left .* nothing was changed"):
                inplace.stamp(disk, configdisk.entries(self.conf), self.scratch)

    def test_a_configuration_that_does_not_fit(self):
        manager = self.folder / "manager"
        (manager / "ca").mkdir(parents=True)
        for name in ("node.key", "node.pem"):
            (manager / name).write_text("x")
        (manager / "ca/ca.db").write_bytes(bytes(8 * MIB))
        disk = self.disk("qcow2")
        before = disk.read_bytes()
        done = self.stamp(disk, MANAGER, "--manager", manager)
        self.assertIn("-o OUT.img", done.stderr)
        self.assertEqual(1, done.returncode)
        self.expect_same(before, disk)


@contextlib.contextmanager
def running(disk, form):
    """The disk while a QEMU without a processor has it, as a machine has."""
    with subprocess.Popen(["qemu-io", "-f", form, disk], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as machine:
        machine.stdin.write("length\n")
        machine.stdin.flush()
        while "MiB" not in machine.stdout.readline():
            time.sleep(0.01)
        yield disk
        machine.stdin.close()


if __name__ == "__main__":
    unittest.main()
