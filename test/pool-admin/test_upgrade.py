"""`wow pool upgrade`: a machine's disk gets a newer system, and whatever ends it, the machine is there, the former or the new one."""

import functools
import io
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
from unittest import mock

from world import World

from killing import killed
from pool import cli

MIB = 1 << 20
PARTS = {"WOWBOOT": (1, 1), "WOWESP": (2, 2), "WOWSYS": (4, 12), "WOWHOME": (16, 8)}
"""Start and size in MiB."""
STEPS = ["system", "before", "swap"]
ROTTEN = "rotten"
"""The release of a system whose node layer cannot be read."""
OF_B = "only-b"
"""A module that no system but B has."""


def make_disk(path, release, modules=("tutorial",), home=b"", system=b"the system", parts=None, size=25, slots=None):
    """A qcow2 of `size` MiB laid out as appliance/image/disk does it, with little in it. slots: {system: release} where there are others than A with `release`."""
    path.write_bytes(_disk(release, modules, home, system, tuple((PARTS if parts is None else parts).items()), size, tuple((slots or {"A": release}).items())))


@functools.cache
def _disk(release, modules, home, system, parts, size, slots):
    """Its bytes: most tests begin with the same two."""
    parts = dict(parts)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        scratch, raw, made = folder / "content", folder / "raw", folder / "made"
        tools = scratch / "tree/usr/lib/wow/node/wow/lib"
        tools.mkdir(parents=True)
        (scratch / "stacks").mkdir()
        (scratch / "layers").mkdir()
        for slot, own in slots:
            (tools / "version.py").write_text(f'"""The release."""\nVERSION = "{own}"\n', encoding="ascii")
            if own == ROTTEN:
                (scratch / f"layers/node-{slot}.squashfs").write_bytes(bytes(4096))
            else:
                _quiet("mksquashfs", scratch / "tree", scratch / f"layers/node-{slot}.squashfs")
            stack = ["# kind name file size sha256; bottom first", f"base base base-1.squashfs 1 {system.hex()}", f"node node node-{slot}.squashfs 1 {own}",
                     *(f"module {name} {name}-1.squashfs 1 aa" for name in modules if name != OF_B or slot == "B")]
            (scratch / f"stacks/{slot}.conf").write_text("\n".join(stack) + "\n", encoding="ascii")
        subprocess.run(["rm", "-r", scratch / "tree"], check=True)
        with open(raw, "wb") as file:
            file.truncate(size * MIB)
        table = "label: gpt\n" + "".join(f"start={start}MiB, size={size}MiB, type=0FC63DAF-8483-4772-8E79-3D69D8477DE4, name={name}, uuid=57a0d15c-0000-4000-8000-0000000000{start:02}\n"
                                         for name, (start, size) in parts.items())
        _quiet("sfdisk", "--quiet", raw, text=table)
        if "WOWSYS" in parts:
            start, size = parts["WOWSYS"]
            _quiet("mke2fs", "-q", "-F", "-t", "ext4", "-O", "^has_journal", "-d", scratch, "-E", f"offset={start * MIB}", raw, f"{size}M")
        with open(raw, "r+b") as file:
            file.seek(2 * MIB)
            file.write(system)
            file.seek(parts["WOWHOME"][0] * MIB if "WOWHOME" in parts else 0)
            file.write(home)
        subprocess.run(["qemu-img", "convert", "-O", "qcow2", raw, made], check=True)
        return made.read_bytes()


def _quiet(*command, text=None):
    subprocess.run(command, check=True, input=text, text=True, capture_output=True, env={**os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"})


def content(path, start, length):
    """Bytes of a disk."""
    with tempfile.NamedTemporaryFile() as raw:
        subprocess.run(["qemu-img", "convert", "-O", "raw", path, raw.name], check=True)
        raw.seek(start)
        return raw.read(length)


class Base(unittest.TestCase):
    def setUp(self):
        self.world = World(self)
        self.machine, self.image = self.world.home / "manager.qcow2", self.world.out / "wow-amd64.qcow2"
        make_disk(self.machine, "0.1.0", home=b"keys and queue")
        make_disk(self.image, "0.2.0", modules=("tutorial", "surge"), system=b"the next system")
        self.before = self.machine.read_bytes()

    def upgrade(self, *more, **how):
        """(exit code, standard output, standard error)."""
        return self.world.run("upgrade", self.machine, *more, **how)

    def is_new(self):
        """Whether the machine has the new system; its home it must have in any case."""
        self.assertEqual(b"keys and queue", content(self.machine, 16 * MIB, 14))
        found = content(self.machine, 2 * MIB, 15)
        self.assertIn(found, (b"the system".ljust(15, b"\0"), b"the next system"))
        return found == b"the next system"

    def left(self):
        """What lies beside the machine."""
        return sorted(set(os.listdir(self.world.home)) - {"manager.qcow2"})


class Upgraded(Base):
    def refused(self, *more, says):
        code, _, err = self.upgrade(*more)
        self.assertEqual((1, 1), (code, err.count("\n")), err)
        self.assertIn(says, err)
        self.assertEqual((self.before, []), (self.machine.read_bytes(), self.left()))

    def test_the_system_is_the_images_and_home_and_state_are_the_machines(self):
        self.machine.chmod(0o640)
        code, out, err = self.upgrade("--json")
        self.assertEqual(0, code, err)
        told = json.loads(out)
        self.assertEqual(("0.1.0", "0.2.0", True), (told["from"], told["to"], told["changed"]))
        self.assertTrue(self.is_new())
        self.assertEqual((["manager.qcow2.before"], 0o640), (self.left(), self.machine.stat().st_mode & 0o777))
        self.assertEqual(self.before, (self.world.home / "manager.qcow2.before").read_bytes())
        code, out, _ = self.upgrade(self.image)
        self.assertEqual((0, True), (code, "has this very system already" in out), out)
        self.assertEqual(self.before, (self.world.home / "manager.qcow2.before").read_bytes())

    def test_what_takes_long_is_said_before_it_begins_and_a_terminal_shows_how_far_it_is(self):
        class Terminal(io.StringIO):
            def isatty(self):
                return True
        for stream in (io.StringIO(), Terminal()):
            make_disk(self.machine, "0.1.0", home=b"keys and queue")
            self.assertEqual(0, cli.main(["upgrade", str(self.machine)], self.world.clone, stream, stream))
            said = stream.getvalue()
            # Each begins before what the one before it tells has ended.
            self.assertEqual([f"reading the system of {self.machine}", f"reading the system of {self.image}", f"making the new disk in {self.machine}.upgrade"],
                             re.findall(r"(?m)^\[.*s\] ((?:reading|making)[^;\r\n]*)", said.replace("\r", "\n")), said)
            percents = [list(map(int, re.findall(r"\r +(\d+) %", part))) for part in re.split("reading|making", said)[1:]]
            if not stream.isatty():
                self.assertEqual([[], [], []], percents)
                continue
            for told in percents:
                self.assertEqual((sorted(told), 100), (told, told[-1]))
            self.assertTrue({25, 50, 75} <= set(percents[2]), percents)
            self.assertEqual(3, said.count(f"\r{'':12}\r["), "the line with the percents goes before the next one comes")

    def test_a_home_that_has_grown_with_its_disk_stays_as_large_as_it_is(self):
        from pool import disk
        raw = self.world.out / "machine.raw"
        subprocess.run(["qemu-img", "convert", "-O", "raw", self.machine, raw], check=True)
        os.truncate(raw, 40 * MIB)
        for words in (("--relocate", "gpt-bak-std"), ("-N", "4")):
            _quiet("sfdisk", "--quiet", "--force", *words, raw, text=", +\n" if "-N" in words else None)
        with open(raw, "r+b") as file:
            file.seek(35 * MIB)
            file.write(b"far behind")
        subprocess.run(["qemu-img", "convert", "-O", "qcow2", raw, self.machine], check=True)
        before = disk.read(self.machine, self.world.home).table
        self.assertGreater(before[-1]["size"], 20 * MIB // 512)
        code, _, err = self.upgrade()
        self.assertEqual(0, code, err)
        self.assertTrue(self.is_new())
        self.assertEqual(before, disk.read(self.machine, self.world.home).table)
        self.assertEqual(b"far behind", content(self.machine, 35 * MIB, 10))
        subprocess.run(["qemu-img", "convert", "-O", "raw", self.machine, raw], check=True)
        said = subprocess.run(["sfdisk", "--verify", raw], check=True, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
        self.assertEqual(("", True), (said.stderr, "No errors detected" in said.stdout), f"{said.stdout}{said.stderr}")

    def test_a_configuration_that_was_stamped_into_the_disk_stays_and_a_machine_of_before_gets_an_empty_place_for_one(self):
        parts = {**PARTS, "WOWHOME": (20, 8), "WOWCFG": (16, 4)}
        make_disk(self.image, "0.2.0", modules=("tutorial", "surge"), system=b"the next system", parts=parts, size=29)
        for had in (True, False):
            made = {"parts": parts, "size": 29} if had else {}
            make_disk(self.machine, "0.1.0", home=b"keys and queue", **made)
            if had:
                _quiet("qemu-io", "-f", "qcow2", "-c", f"write -P 7 {16 * MIB} 4M", self.machine)
            code, _, err = self.upgrade()
            self.assertEqual(0, code, err)
            self.assertEqual(b"keys and queue", content(self.machine, 20 * MIB, 14))
            self.assertEqual({7 if had else 0}, set(content(self.machine, 16 * MIB, 4 * MIB)))

    def test_a_machine_whose_system_had_less_room_gets_that_of_the_image_and_its_home_moves(self):
        from pool import disk
        with open(self.machine, "r+b"):
            make_disk(self.machine, "0.1.0", home=b"keys and queue" + bytes(8 * MIB - 18) + b"last")
        make_disk(self.image, "0.2.0", modules=("tutorial", "surge"), system=b"the next system", parts={**PARTS, "WOWSYS": (4, 32), "WOWHOME": (36, 2)}, size=39)
        code, _, err = self.upgrade()
        self.assertEqual(0, code, err)
        self.assertEqual(b"keys and queue", content(self.machine, 36 * MIB, 14))
        self.assertEqual(b"last", content(self.machine, 44 * MIB - 4, 4))
        self.assertEqual(b"the next system", content(self.machine, 2 * MIB, 15))
        made = {entry["name"]: (entry["start"] // 2048, entry["size"] // 2048) for entry in disk.read(self.machine, self.world.home).table}
        self.assertEqual({**PARTS, "WOWSYS": (4, 32), "WOWHOME": (36, 8)}, made)
        self.assertEqual(45 * MIB, json.loads(subprocess.run(["qemu-img", "info", "--output=json", self.machine], check=True, capture_output=True).stdout)["virtual-size"])
        # And the next time it is the same layout.
        make_disk(self.image, "0.3.0", modules=("tutorial", "surge"), system=b"one more system", parts={**PARTS, "WOWSYS": (4, 32), "WOWHOME": (36, 2)}, size=39)
        self.assertEqual(0, self.upgrade()[0])
        self.assertEqual((b"keys and queue", b"last", b"one more system"),
                         (content(self.machine, 36 * MIB, 14), content(self.machine, 44 * MIB - 4, 4), content(self.machine, 2 * MIB, 15)))

    def test_what_a_disk_was_enlarged_by_and_no_start_gave_to_home_is_there_afterwards(self):
        subprocess.run(["qemu-img", "resize", "-q", self.machine, "40M"], check=True)
        self.assertEqual(0, self.upgrade()[0])
        self.assertTrue(self.is_new())
        raw = content(self.machine, 0, 40 * MIB)
        self.assertEqual((40 * MIB, 25 * MIB // 512 - 1), (len(raw), int.from_bytes(raw[544:552], "little")), "the next start would not see that the disk is larger")

    def test_the_next_upgrade_keeps_the_disk_before_it(self):
        self.upgrade()
        second = self.machine.read_bytes()
        make_disk(self.image, "0.10.0", modules=("tutorial", "surge"), system=b"one more system")
        code, out, err = self.upgrade()
        self.assertEqual(0, code, err)
        self.assertIn("release 0.10.0 now", out)
        self.assertIn("only then upgrade the next manager", out)
        self.assertEqual(second, (self.world.home / "manager.qcow2.before").read_bytes())
        self.assertEqual(["manager.qcow2.before"], self.left())

    def test_an_image_of_the_same_release_that_was_built_anew_is_taken(self):
        make_disk(self.image, "0.1.0", system=b"the next system")
        self.assertEqual(0, self.upgrade()[0])
        self.assertTrue(self.is_new())

    def test_an_image_of_an_older_release_is_refused(self):
        for older, than in (("0.0.9", "0.1.0"), ("0.9.0", "0.10.0")):
            make_disk(self.machine, than, home=b"keys and queue")
            make_disk(self.image, older)
            self.before = self.machine.read_bytes()
            self.refused(self.image, says=f"is of release {older}, older than the machine's {than}")

    def test_of_the_two_systems_of_a_machine_the_newer_one_says_what_is_older(self):
        for slots in ({"A": "0.1.0", "B": "0.3.0"}, {"A": "0.3.0", "B": "0.1.0"}):
            make_disk(self.machine, "0.1.0", home=b"keys and queue", slots=slots)
            self.before = self.machine.read_bytes()
            self.refused(self.image, says="is of release 0.2.0, older than the machine's 0.3.0")

    def test_a_machine_whose_other_system_is_the_images_or_whose_first_one_is_gone_gets_it_all_the_same(self):
        for slots in ({"A": "0.2.0", "B": "0.1.0"}, {"B": "0.1.0"}):
            make_disk(self.machine, "0.1.0", home=b"keys and queue", system=b"the next system", slots=slots)
            make_disk(self.image, "0.2.0", system=b"the next system")
            before = self.machine.read_bytes()
            self.assertEqual(0, self.upgrade()[0])
            self.assertEqual((True, before), (self.is_new(), (self.world.home / "manager.qcow2.before").read_bytes()))
        make_disk(self.machine, "0.1.0", slots={"C": "0.1.0"})
        self.assertIn("has no list of layers", self.upgrade()[2])

    def test_a_system_that_cannot_be_read_keeps_nobody_from_the_image_s_where_the_other_one_can(self):
        for slots in ({"A": "0.1.0", "B": ROTTEN}, {"A": ROTTEN, "B": "0.1.0"}, {"A": "0.2.0", "B": ROTTEN}):
            make_disk(self.machine, "0.1.0", home=b"keys and queue", slots=slots)
            self.assertEqual((0, ""), self.upgrade()[::2])
            self.assertTrue(self.is_new())
        make_disk(self.machine, "0.1.0", home=b"keys and queue", slots={"A": ROTTEN, "B": ROTTEN})
        self.assertIn("unsquashfs", self.upgrade()[2])

    def test_a_module_that_the_other_system_alone_has_is_named_too(self):
        for own in ("0.1.0", ROTTEN):
            make_disk(self.machine, "0.1.0", modules=("tutorial", OF_B), home=b"keys and queue", slots={"A": "0.1.0", "B": own})
            self.before = self.machine.read_bytes()
            self.refused(self.image, says=f"has not the modules {OF_B}, which")

    def test_a_module_that_the_machine_has_and_the_image_has_not_is_named(self):
        make_disk(self.machine, "0.1.0", modules=("tutorial", "climate"), home=b"keys and queue")
        self.before = self.machine.read_bytes()
        self.refused(self.image, says="has not the modules climate")

    def replace_base(self, out, *more):
        """(exit code, standard error) of the tool that upgrade calls, as one calls it by hand."""
        done = subprocess.run([self.world.clone.replace_base, self.machine, self.image, "-o", out, *more], capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    def test_replace_base_by_hand_names_the_modules_that_would_be_lost_and_makes_nothing_before_one_says_so(self):
        make_disk(self.machine, "0.1.0", modules=("tutorial", "climate", "maths"), home=b"keys and queue")
        self.before, out = self.machine.read_bytes(), self.world.home / "the new.qcow2"
        code, err = self.replace_base(out)
        self.assertEqual((1, True, False), (code, "has not the modules climate, maths, which" in err, out.exists()), err)
        code, err = self.replace_base(out, "--drop-modules")
        self.assertEqual((0, True, b"the next system"), (code, "dropped: climate, maths" in err, content(out, 2 * MIB, 15)), err)
        self.assertEqual(self.before, self.machine.read_bytes())

    def test_replace_base_says_where_it_could_not_look_for_modules_and_nothing_where_none_is_lost(self):
        code, err = self.replace_base(self.world.home / "one.qcow2")
        self.assertEqual((0, False), (code, "replace-base:" in err), err)
        raw = self.world.out / "machine.raw"
        subprocess.run(["qemu-img", "convert", "-O", "raw", self.machine, raw], check=True)
        with open(raw, "r+b") as file:
            file.seek(PARTS["WOWSYS"][0] * MIB)
            file.write(bytes(4 * MIB))
        subprocess.run(["qemu-img", "convert", "-O", "qcow2", raw, self.machine], check=True)
        code, err = self.replace_base(self.world.home / "two.qcow2")
        self.assertEqual((0, True), (code, "its list of layers cannot be read" in err), err)

    def test_disks_that_are_something_else_are_refused(self):
        make_disk(self.image, "0.2.0", parts={**PARTS, "WOWHOME": (16, 6), "WOWDATA": (22, 1)})
        self.refused(self.image, says="other partitions")
        make_disk(self.image, "0.2.0", parts={"WOWSYS": (4, 12)})
        self.refused(self.image, says="has no home on it")
        make_disk(self.image, "0.2.0", parts={"WOWDATA": (4, 12)})
        self.refused(self.image, says="no partitions WOWSYS and WOWHOME")
        subprocess.run(["qemu-img", "create", "-q", "-f", "qcow2", self.image, "25M"], check=True)
        self.refused(self.image, says="no partition table")
        self.image.write_bytes(b"no disk")
        self.refused(self.image, says="no partition table")
        self.refused(self.world.out / "absent.qcow2", says="no such file")
        code, _, err = self.world.run("upgrade", self.world.home / "absent.qcow2", self.image)
        self.assertEqual((1, True), (code, "no such file" in err), err)

    def test_what_an_image_names_elsewhere_is_not_read_and_a_machine_s_own_backing_file_is(self):
        other = self.world.home.parent / "other.qcow2"
        self.image.rename(other)
        _quiet("qemu-img", "create", "-f", "qcow2", "-F", "qcow2", "-b", other, self.image)
        self.refused(self.image, says="in its backing file")
        os.replace(other, self.image)
        self.machine.rename(other)
        _quiet("qemu-img", "create", "-f", "qcow2", "-F", "qcow2", "-b", other, self.machine)
        code, _, err = self.upgrade()
        self.assertEqual((0, True), (code, self.is_new()), err)

    def test_a_disk_of_another_format_is_refused_and_left_as_it_is(self):
        other = self.world.home / "disk.vmdk"
        subprocess.run(["qemu-img", "convert", "-O", "vmdk", self.machine, other], check=True)
        before = other.read_bytes()
        code, _, err = self.world.run("upgrade", other, self.image)
        self.assertEqual((1, True), (code, "is of the format vmdk, not qcow2" in err), err)
        self.assertEqual(before, other.read_bytes())

    def test_a_disk_that_a_machine_runs_from_is_refused(self):
        runs = subprocess.Popen(["qemu-io", str(self.machine)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            runs.stdin.write("length\n")
            runs.stdin.flush()
            self.assertIn("25 MiB", runs.stdout.readline())
            code, _, err = self.upgrade()
            self.assertEqual((1, True), (code, "lock" in err), err)
        finally:
            runs.communicate("quit\n")
        self.assertEqual(0, self.upgrade()[0])
        self.assertTrue(self.is_new())

    def test_a_machine_that_is_started_meanwhile_does_not_get_its_disk(self):
        said = []

        def start(_step):
            said.append(subprocess.run(["qemu-io", "-c", "length", self.machine], capture_output=True, text=True, check=False).stderr)
        code, _, err = self.upgrade(reached=start)
        self.assertEqual((0, [True] * len(STEPS)), (code, ["write\" lock" in one for one in said]), (err, said))
        self.assertEqual("", (start(None), said[-1])[1], "it gets the new one")

    def test_a_disk_that_a_link_leads_to_is_upgraded_where_it_lies(self):
        link = self.world.out / "linked.qcow2"
        link.symlink_to(self.machine)
        code, _, err = self.world.run("upgrade", link, self.image)
        self.assertEqual((0, True), (code, link.is_symlink()), err)
        self.assertTrue(self.is_new())
        self.assertEqual(["manager.qcow2.before"], self.left())

    def test_names_may_have_blanks(self):
        folder = self.world.home / "my machines"
        folder.mkdir()
        machine = self.machine.rename(folder / "the manager.qcow2")
        code, _, err = self.world.run("upgrade", machine, self.image)
        self.assertEqual((0, ["the manager.qcow2", "the manager.qcow2.before"]), (code, sorted(os.listdir(folder))), err)

    def test_who_waited_for_another_takes_the_disk_that_it_made(self):
        others, ends = [], []

        def has(path):
            hold, end = os.pipe()
            other = subprocess.Popen(["flock", path, "sh", "-c", "echo has it; cat"], stdin=hold, stdout=subprocess.PIPE, text=True)
            os.close(hold)
            self.assertEqual("has it\n", other.stdout.readline())
            others.append(other)
            ends.append(end)

        def say(_progress, text):
            if "waiting for its end" in text:
                if len(others) == 1:
                    made = self.machine.with_suffix(".made")
                    made.write_bytes(self.before)
                    has(made)
                    made.rename(self.machine)
                os.close(ends.pop(0))
        from pool.progress import Progress
        has(self.machine)
        with mock.patch.object(Progress, "__call__", say):
            self.assertEqual(0, self.upgrade()[0])
        self.assertEqual((2, []), (len(others), ends))
        for other in others:
            other.communicate()
        self.assertTrue(self.is_new())

    def test_two_at_once_wait_for_each_other(self):
        hold, end = os.pipe()
        other = subprocess.Popen(["flock", self.machine, "sh", "-c", "echo has it; cat"], stdin=hold, stdout=subprocess.PIPE, text=True)
        os.close(hold)
        self.assertEqual("has it\n", other.stdout.readline())
        from pool.progress import Progress
        said = []

        def say(progress, text):
            said.append(text)
            if "waiting for its end" in text:
                os.close(end)
        with mock.patch.object(Progress, "__call__", say):
            self.assertEqual(0, self.upgrade()[0])
        self.assertIn("waiting for its end", said[0])
        other.communicate()
        self.assertTrue(self.is_new())


class Ended(Base):
    def killed(self, moment):
        """Whether the upgrade was killed at a moment."""
        return killed(self, lambda **how: self.upgrade(**how)[0], moment, "rename", "link")

    def whole(self):
        """The machine is there after a kill, and the next run ends well with nothing left behind."""
        self.is_new()
        code, _, err = self.upgrade()
        self.assertEqual(0, code, err)
        self.assertTrue(self.is_new())
        self.assertEqual(["manager.qcow2.before"], self.left())
        self.assertEqual(self.before, (self.world.home / "manager.qcow2.before").read_bytes())

    def test_killed_at_each_step_it_can_be_run_again(self):
        names = []
        self.upgrade(reached=names.append)
        self.assertEqual(STEPS, names)
        for name in STEPS:
            self.setUp()
            self.assertTrue(self.killed(name), name)
            self.whole()

    def test_killed_between_any_two_of_the_moments_when_something_comes_to_the_disk(self):
        moment = 1
        while self.killed(moment):
            self.whole()
            self.setUp()
            moment += 1
            self.assertLess(moment, 40, "it comes to no end")
        self.assertGreater(moment, 10)
        self.assertTrue(self.is_new())

    def test_a_disk_without_room_is_told_and_the_machine_stays(self):
        place = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(place.rmdir)
        make_disk(self.machine, "0.1.0", home=os.urandom(4 * MIB))
        self.before = self.machine.read_bytes()
        # For what is read, and for what is made.
        for room, begun in ((MIB // 64, []), (4 * MIB, ["system"])):
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={len(self.before) + room}", "tmpfs", place], check=True)
            self.addCleanup(subprocess.run, ["umount", place], check=True)
            machine, names = place / "manager.qcow2", []
            machine.write_bytes(self.before)
            code, _, err = self.world.run("upgrade", machine, self.image, reached=names.append)
            self.assertEqual((1, begun), (code, names), err)
            self.assertRegex(err, "No space left on device|no room left")
            self.assertEqual((["manager.qcow2"], self.before), (os.listdir(place), machine.read_bytes()))


if __name__ == "__main__":
    unittest.main()
