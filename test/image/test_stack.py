"""The stack tool: what it refuses, and that nothing is lost then. What it makes is seen in composed.py."""

import contextlib
import hashlib
import io
import json
import os
import pathlib
import subprocess
import tempfile
import unittest
from unittest import mock

import smalls
from test_module import GOOD, publish, tool
from test_publish import STACK_LIST, Stacks, fill
from wow.lib import agreed
from wow.stack import delta, text

STACK = pathlib.Path(__file__).resolve().parents[2] / "appliance/image/stack"
made, archived = tool(STACK), publish.archived
FILES = ("layers/base.squashfs", "layers/node.squashfs", "base/vmlinuz", "initrd.img")


def digest(data):
    return hashlib.sha256(data).hexdigest()


class StackTest(unittest.TestCase):
    def setUp(self):
        self._scratch = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self._scratch.name)
        self.addCleanup(self._scratch.cleanup)
        for name in ("one", "other/one"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)

    def refused(self, *words, out="out"):
        done = subprocess.run([STACK, "-o", self.folder / out, *words], capture_output=True, text=True, check=False)
        self.assertEqual(1, done.returncode, done.stdout)
        self.assertEqual("", done.stdout)
        self.assertNotIn("Traceback", done.stderr)
        return done.stderr.removeprefix("stack: ").replace(str(self.folder), "").strip()

    def test_a_module_that_is_not_there(self):
        self.assertEqual("/none: no such folder or archive", self.refused(self.folder / "none"))

    def test_more_modules_than_a_machine_stacks(self):
        self.assertEqual("13 modules; a machine stacks 12. Leave some out", self.refused(*[self.folder / "one"] * 13))

    def test_a_folder_that_is_none_of_ours_stays(self):
        (self.folder / "mine").mkdir()
        (self.folder / "mine/letter").write_text("dear")
        self.assertEqual("/mine: is there, and is no stack folder; name another with -o", self.refused(self.folder / "one", out="mine"))
        self.assertEqual("dear", (self.folder / "mine/letter").read_text())
        (self.folder / "file").write_text("stack")
        self.assertEqual("/file: is there, and is no stack folder; name another with -o", self.refused(self.folder / "one", out="file"))

    def test_where_no_folder_is_named_it_is_one_called_stack(self):
        (self.folder / "stack").mkdir()
        (self.folder / "stack/letter").write_text("dear")
        done = subprocess.run([STACK, self.folder / "one"], capture_output=True, text=True, check=False, cwd=self.folder)
        self.assertIn("/stack: is there, and is no stack folder; name another with -o", done.stderr)

    def test_a_place_that_is_not_there(self):
        self.assertEqual("/none: no such folder; make it first", self.refused(self.folder / "one", out="none/out"))

    def test_no_layers_to_build_over(self):
        self.assertEqual("/layers/base.squashfs: no such file; run `make image` first, in the release that the pool's machines have",
                         self.refused(self.folder / "one", "--parts", self.folder))

    def test_a_module_that_is_no_recipe_leaves_what_was_there(self):
        (self.folder / "layers").mkdir()
        for name in ("base", "node"):
            (self.folder / f"layers/{name}.squashfs").write_text("no layer")
        (self.folder / "out").mkdir()
        (self.folder / "out/stack").write_text("of before")
        self.assertIn("module.ini", self.refused(self.folder / "one", "--parts", self.folder))
        self.assertEqual("of before", (self.folder / "out/stack").read_text())
        self.assertEqual([], list(self.folder.glob(".out*")))

    def test_neither_a_module_nor_a_system(self):
        done = subprocess.run([STACK, "-o", self.folder / "out"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("name a module, or --system", done.stderr)
        self.assertIn("usage: wow image stack ", done.stderr, "it is told as people type it")


class NameTest(Stacks):
    """A layer is called as its module, for everybody finds by that what the module says of itself."""

    def setUp(self):
        super().setUp()
        (self.folder / "layers").mkdir()
        self.node.rename(self.folder / "layers/node.squashfs")
        (self.folder / "about.json").rename(self.folder / "base.json")
        fill(self.folder / "my-folder", {"module.ini": GOOD, "root/usr/share/maths/x": ""})

    def layer(self):
        with mock.patch("builtins.print"):
            return made.layer_of(self.folder / "my-folder", self.folder, self.folder)

    def test_it_has_the_name_of_the_module_and_not_of_its_folder(self):
        self.assertEqual(self.layer().name, "maths.squashfs")
        self.assertEqual([], list(self.folder.glob("_*")))

    def test_any_name_of_a_module_will_do(self):
        fill(self.folder / "my-folder", {"module.ini": GOOD.replace("maths", "fresh")})
        self.assertEqual(self.layer().name, "fresh.squashfs")

    def test_one_that_is_larger_than_a_machine_takes_is_told(self):
        with mock.patch.object(made.agreed, "LARGEST_LAYER", 99), self.assertRaisesRegex(made.StackError, "my-folder: its layer has [0-9]+ bytes, .* takes 99"):
            self.layer()

    def test_no_layer_is_in_memory_as_a_whole(self):
        layer, rows = self.layer(), tool(STACK_LIST)
        with mock.patch.object(pathlib.Path, "read_bytes", side_effect=MemoryError):
            self.assertIn(layer.stem, rows.row("module", "maths", layer))
            archived.put(layer, self.folder / "copy")
        self.assertEqual(layer.read_bytes(), (self.folder / "copy").read_bytes())

    def test_where_there_is_no_room_the_folder_to_write_is_named_and_the_former_one_stays(self):
        layer, rows = self.layer(), tool(STACK_LIST)
        fill(full := self.folder / "full", {"a": ""})
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12k", "full", full], check=True)
        self.addCleanup(subprocess.run, ["umount", full], check=True)
        fill(full, {"out/stack": "of before", "filler": "x" * 8192})
        with self.assertRaises(made.StackError) as caught:
            made.write([("module", layer)], [rows.row("module", "maths", layer).split()], full / "out")
        self.assertEqual(f"{full}/out: No space left on device; make room there, and try again. Nothing was changed", str(caught.exception))
        self.assertEqual((["filler", "out"], "of before"), (sorted(path.name for path in full.iterdir()), (full / "out/stack").read_text()))

    def test_two_folders_of_one_module_are_told(self):
        self.layer()
        with self.assertRaisesRegex(made.StackError, "my-folder: a module maths is named already; take one of them"):
            self.layer()

    def test_no_list_is_made_of_one_under_another_name(self):
        right = self.layer()
        self.assertIn("module maths maths-", self.listed(right).stdout)
        done = self.listed(right.rename(self.folder / "other.squashfs"))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("is the layer of the module maths, and is called other", done.stderr)

    def listed(self, file):
        below = (f"base={self.base}/base.squashfs", f"node={self.folder}/layers/node.squashfs")
        return subprocess.run([STACK_LIST, *below, f"module={file}"], capture_output=True, text=True, check=False)


class SystemTest(unittest.TestCase):
    """A stack that carries a system, without modules: nothing is mounted for it."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        for name in FILES:
            (self.folder / "parts" / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / "parts" / name).write_bytes(name.encode())
        (self.folder / "parts/base/packages.lock").write_text("the lock of the base\n")
        for kind in made.BELOW:
            self.layer(f"parts/layers/{kind}.squashfs", f"usr/lib/{kind}")
        self.files = [(self.folder / "parts" / name).read_bytes() for name in FILES]

    def layer(self, name, holds):
        """A layer with one file."""
        with tempfile.TemporaryDirectory() as tree:
            (pathlib.Path(tree) / holds).parent.mkdir(parents=True)
            (pathlib.Path(tree) / holds).write_text(name)
            (self.folder / name).unlink(missing_ok=True)
            subprocess.run(["mksquashfs", tree, self.folder / name, "-noappend", "-quiet", "-no-progress", "-all-root"], check=True, stdout=subprocess.DEVNULL)

    def make(self, *words):
        """What it says. It runs as if root did."""
        with mock.patch.object(os, "geteuid", return_value=0), mock.patch("builtins.print") as said:
            made.main(["-o", str(self.folder / "out"), "--parts", str(self.folder / "parts"), *words])
        return "\n".join(str(call.args[0]) for call in said.call_args_list)

    def test_its_text_has_each_file_by_digest_and_size_and_the_folder_has_them(self):
        said = self.make("--system")
        rows = zip(text.SYSTEM, self.files)
        self.assertEqual((self.folder / "out/stack").read_text(), "wow-stack 1\n" + "".join(f"{kind} {digest(data)} {len(data)}\n" for kind, data in rows))
        stack = text.read((self.folder / "out/stack").read_bytes(), 1)
        self.assertEqual((tuple(file.kind for file in stack.system), stack.layers), (text.SYSTEM, ()), "the machines read it")
        self.assertEqual({path.name: path.read_bytes() for path in (self.folder / "out").iterdir() if path.name not in ("stack", "packages.lock")},
                         {digest(data): data for data in self.files})
        self.assertIn("0 modules and the system, 0.0 MB", said)

    def test_the_folder_has_the_lock_of_the_base_and_people_are_told_to_keep_it(self):
        said = self.make("--system")
        self.assertEqual((self.folder / "out/packages.lock").read_text(), "the lock of the base\n")
        self.assertEqual(said.splitlines()[-1], f"Keep {self.folder / 'out'} here, too: published again, it brings this system back.")

    def test_a_program_reads_one_line_and_the_rest_is_standard_error(self):
        (self.folder / "parts/stack").write_text("module=/parts/maths.squashfs\n")
        out, err = io.StringIO(), io.StringIO()
        with mock.patch.object(os, "geteuid", return_value=0), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            made.main(["-o", str(self.folder / "out"), "--parts", str(self.folder / "parts"), "--system", "--json"])
        self.assertEqual(json.loads(out.getvalue()), {
            "out": str(self.folder / "out"), "modules": [], "system": True, "bytes": sum(map(len, self.files)), "architecture": agreed.FIRST_ARCHITECTURE})
        self.assertIn("note: the image has the module maths too", err.getvalue())

    def test_one_for_another_architecture_says_so_and_stands_beside_amd64_s(self):
        self.make("--system")
        (self.folder / "out").rename(self.folder / "amd64")
        (self.folder / "parts/base.json").write_text('{"architecture": "arm64"}')
        self.layer("parts/layers/node.squashfs", "usr/lib/arm")
        files = [(self.folder / "parts" / name).read_bytes() for name in FILES]
        self.assertIn(" for arm64. Copy it", self.make("--system"))
        own = "architecture arm64\n" + "".join(f"{kind} {digest(data)} {len(data)}\n" for kind, data in zip(text.SYSTEM, files))
        self.assertEqual((self.folder / "out/stack").read_text(), "wow-stack 1\n" + own)
        self.assertIn(" for arm64, beside amd64. Copy it", self.make("--system", "--beside", str(self.folder / "amd64")))
        both = (self.folder / "out/stack").read_bytes()
        self.assertEqual(both.decode(), (self.folder / "amd64/stack").read_text() + own)
        self.assertEqual({path.name for path in (self.folder / "out").iterdir()}, {"stack", "packages.lock", "arm64-packages.lock", *map(digest, (*self.files, *files))},
                         "the files of both are there")
        (self.folder / "out").rename(self.folder / "both")
        self.make("--system", "--from", str(self.folder / "both"))
        for words, why in ((("--beside", "both"), "is for arm64, as the one that is made"), (("--beside", "parts"), "is no stack folder"),
                           (("--architecture", "amd64"), "is made for arm64, not amd64")):
            with self.assertRaisesRegex(made.StackError, why):
                self.make("--system", words[0], *(str(self.folder / word) if words[0] == "--beside" else word for word in words[1:]))
        (self.folder / "amd64" / digest(self.files[0])).unlink()
        with self.assertRaisesRegex(made.StackError, "no such file; make that stack folder anew"):
            self.make("--system", "--beside", str(self.folder / "amd64"))

    def test_the_modules_stand_above_it(self):
        below = [(kind, self.folder / f"parts/layers/{kind}.squashfs") for kind in made.BELOW]
        above = [(kind, self.folder / f"{name}.squashfs") for kind, name in (("module", "maths"), ("glue", "glue"))]
        for _, file in above:
            file.write_bytes(file.name.encode())
        (self.folder / "maths").mkdir()
        rows = tool(STACK.parent / "stack-list")
        listed = "".join(f"{rows.row(kind, file.stem, file)}\n" for kind, file in (*below, *above))
        with mock.patch.object(made, "layers", return_value=[*below, *above]), mock.patch.object(made, "run", return_value=listed):
            self.assertIn("1 module and the system", self.make("--system", str(self.folder / "maths")))
            lines = (self.folder / "out/stack").read_text().splitlines()
            self.assertEqual([line.split()[0] for line in lines[1:]], ["base", "node", "kernel", "initrd", "module", "glue"])
            self.assertEqual(len(list((self.folder / "out").iterdir())), 8)
            self.make(str(self.folder / "maths"))
        lines = (self.folder / "out/stack").read_text().splitlines()
        self.assertEqual(lines[1:3], [f"{kind} {digest(data)}" for kind, data in zip(made.BELOW, self.files)], "without --system they need no size")
        self.assertEqual({path.name for path in (self.folder / "out").iterdir()}, {"stack", *(digest(file.read_bytes()) for _, file in above)}, "what was there is gone")

    def test_what_a_former_image_says_names_no_file_elsewhere(self):
        def ran(words, **_):
            if words[0] == "debugfs":
                (self.folder / words[2].split()[2]).write_text("x")
            return mock.Mock(returncode=0, stdout='{"partitiontable": {"partitions": []}}')

        for name in ("former.raw", "image.qcow2"):
            (self.folder / name).touch()
        with mock.patch.object(made.deltas.subprocess, "run", side_effect=ran) as called, mock.patch.object(made.deltas, "named", return_value={"start": 1}), \
                mock.patch.object(made.deltas.onedisk, "form_of", return_value="raw"), \
                mock.patch.object(made.deltas.stacks, "find", return_value="module ../../etc/cron.d/x x 1 aa\nmodule /etc/y y 1 bb\n"):
            found = made.deltas.of_image(self.folder / "image.qcow2", self.folder)
        self.assertEqual({path.parent for path in found.values()}, {self.folder})
        self.assertEqual([call.args[0][2].split()[2] for call in called.call_args_list[2:]], [path.name for path in found.values()])

    def test_a_layer_of_a_former_image_that_is_not_read_whole_is_told(self):
        raw = smalls.image(self.folder / "former.img")
        whole = made.deltas.of_image(raw, self.scratch("whole"))
        self.assertEqual(b"the base" * 999, whole["base"].read_bytes())
        data = raw.read_bytes()
        raw.write_bytes(data.replace(b"base base base-1.squashfs 7992 ", b"base base base-1.squashfs 7993 "))
        with self.assertRaisesRegex(made.deltas.DeltaError, "former.img: its layer base was not copied whole; make room in "):
            made.deltas.of_image(raw, self.scratch("cut"))

    def test_where_a_delta_finds_no_room_that_is_told_in_a_line(self):
        self.make("--system")
        (self.folder / "out").rename(self.folder / "former")
        (self.folder / "parts/initrd.img").write_bytes(os.urandom(300_000))
        full = self.scratch("full")
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "full", full], check=True)
        self.addCleanup(subprocess.run, ["umount", full], check=True)
        with mock.patch.object(tempfile, "tempdir", str(full)), self.assertRaisesRegex(made.deltas.DeltaError, "delta: there is no room left where it lies; make room"):
            self.make("--system", "--from", str(self.folder / "former"))
        self.assertFalse((self.folder / "out").exists())

    def scratch(self, name):
        (self.folder / name).mkdir()
        return self.folder / name

    def test_it_is_on_the_disk_before_it_takes_its_name_and_everybody_may_read_it(self):
        out = self.folder / "out"
        self.make("--system")
        self.addCleanup(os.umask, os.umask(0o077))
        with smalls.synced() as seen:
            self.make("--system")
        self.assertLessEqual({one.name for one in out.iterdir()}, {path.name for path in seen if path.parent.name.startswith(".out.")})
        self.assertEqual(self.folder, seen[-1], "and so is its name")
        self.assertEqual({0o644}, {one.stat().st_mode & 0o777 for one in out.iterdir()})

    def test_what_changed_since_each_former_stack_is_there_as_a_delta_once(self):
        common, formers = os.urandom(100_000), []
        for name in ("first", "second", "third"):
            (self.folder / "parts/initrd.img").write_bytes(name.encode() * 10 + common)
            self.make("--system", *(word for former in (*formers, *formers[:1]) for word in ("--from", str(former))))
            formers.append((self.folder / "out").rename(self.folder / name))
        new, stack = (formers[2] / "stack").read_bytes(), text.read((formers[2] / "stack").read_bytes(), 1)
        old = [text.read((former / "stack").read_bytes(), 1).system[3] for former in formers[:2]]
        self.assertEqual([(delta.file, delta.from_) for delta in stack.deltas], [(stack.system[3].digest, file.digest) for file in old], new)
        for former, file, change in zip(formers, old, stack.deltas):
            made_of = io.BytesIO()
            with open(former / file.digest, "rb") as was, open(formers[2] / change.digest, "rb") as commands:
                delta.apply(was, commands, made_of, stack.system[3].size)
            self.assertEqual(digest(made_of.getvalue()), stack.system[3].digest)
            self.assertLess(change.size, 5000)

    def test_each_former_file_is_read_once_for_its_digest_and_no_new_one(self):
        data = os.urandom(10_000)
        places = [self.folder / name for name in ("new", "old-1", "old-2")]
        for number, place in enumerate(places):
            place.write_bytes(b"%d" % number + data)
        new, *old = places
        former = [{"base": one, "gone": self.folder / "gone"} for one in old]
        with mock.patch.object(made.deltas, "former", side_effect=former), mock.patch.object(made.deltas.files, "digest", side_effect=made.deltas.files.digest) as read:
            changes, same = made.deltas.between({"base": (digest(new.read_bytes()), new)}, old, self.folder)
        self.assertEqual([(digest(new.read_bytes()), digest(one.read_bytes())) for one in old], [row[:2] for row in changes])
        self.assertEqual(([], old), (same, [call.args[0] for call in read.call_args_list if call.args[0].suffix != ".delta"]))

    def test_the_day_of_the_base_is_told_and_where_a_former_stack_has_the_same(self):
        (self.folder / "parts/base.json").write_text('{"architecture": "amd64", "date": "2026-11-27"}')
        self.assertIn("system: its base has Debian's packages of 2026-11-27\n", said := self.make("--system"))
        self.assertNotIn("the same base", said)
        (self.folder / "out").rename(self.folder / "former")
        self.layer("parts/layers/node.squashfs", "usr/lib/other")
        self.assertIn("/former has the same base. For Debian's newer packages type: WOW_FRESH=1 make image", self.make("--system", "--from", str(self.folder / "former")))
        self.layer("parts/layers/base.squashfs", "usr/lib/newer")
        self.assertNotIn("the same base", self.make("--system", "--from", str(self.folder / "former")))

    def test_what_is_no_former_stack_is_told(self):
        (self.folder / "none").mkdir()
        (self.folder / "other").mkdir()
        (self.folder / "other/stack").write_text("wow-stack 9\n")
        for place, why in (("none", "is no folder of a stack"), ("other", "is no folder of a stack"), ("gone", "no such folder of a stack, or image")):
            with self.assertRaisesRegex(made.deltas.DeltaError, why):
                self.make("--system", "--from", str(self.folder / place))

    def test_a_part_that_is_missing_is_named_and_nothing_is_changed(self):
        self.make("--system")
        before = (self.folder / "out/stack").read_text()
        for name in FILES:
            (self.folder / "parts" / name).rename(self.folder / "away")
            with self.assertRaises(made.StackError) as caught:
                self.make("--system")
            self.assertIn(f"{self.folder / 'parts' / name}: no such file; run `make image` first", str(caught.exception))
            (self.folder / "away").rename(self.folder / "parts" / name)
        self.assertEqual(((self.folder / "out/stack").read_text(), sorted(path.name for path in self.folder.iterdir())), (before, ["out", "parts"]))


if __name__ == "__main__":
    unittest.main()
