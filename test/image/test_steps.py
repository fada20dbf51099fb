"""Which changes have a part of the image made anew, and what builds do beside each other."""

import fcntl
import os
import pathlib
import subprocess
import tempfile
import unittest

STEPS = pathlib.Path(__file__).resolve().parents[2] / "appliance/image/steps.sh"


class Inputs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("usr/bin/wow", "one")
        self.write("usr/lib/wow/node/wow/a.py", "one")
        (self.root / "usr/bin/wow-ca").symlink_to("../lib/one")
        self.before = self.hashed()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def hashed(self):
        return subprocess.run(["sh", "-ec", f". {STEPS}; inputs {self.root}"], capture_output=True, text=True, check=True).stdout

    def test_a_program_in_bin_counts_as_any_other_file(self):
        self.write("usr/bin/wow", "two")
        self.assertNotEqual(self.before, self.hashed())

    def test_a_mode_a_name_and_where_a_link_leads_count(self):
        seen = {self.before}
        (self.root / "usr/bin/wow").chmod(0o755)
        seen.add(self.hashed())
        (self.root / "usr/bin/wow").rename(self.root / "usr/bin/wow2")
        seen.add(self.hashed())
        (self.root / "usr/bin/wow-ca").unlink()
        (self.root / "usr/bin/wow-ca").symlink_to("../lib/two")
        seen.add(self.hashed())
        self.assertEqual(4, len(seen))

    def test_what_python_and_its_checkers_leave_does_not(self):
        self.write("usr/lib/wow/node/wow/__pycache__/a.pyc", "x")
        self.write("usr/lib/wow/node/build/mypy/cache.json", "x")
        self.assertEqual(self.before, self.hashed())


class OtherBase(unittest.TestCase):
    """What is said where a build's base is another than that of the build before."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name in ("one", "same", "two", "gone"):
            (self.root / name).mkdir()
        for name, text in (("one", "1"), ("same", "1"), ("two", "2")):
            (self.root / name / "packages.lock").write_text(text)

    def told(self, last, new, **environment):
        """What is printed; last: where the link leads, if there is one."""
        link = self.root / "base"
        link.unlink(missing_ok=True)
        if last:
            link.symlink_to(self.root / last)
        return subprocess.run(["sh", "-euc", f". {STEPS}; other_base {link} {self.root / new}"], capture_output=True, text=True, check=True,
                              env={"PATH": "/usr/bin:/bin", **environment}).stdout

    def test_other_packages_that_nobody_asked_for_are_told_with_the_lock_of_the_former_ones(self):
        said = self.told("two", "one")
        self.assertIn("has other packages", said)
        self.assertTrue(said.endswith(f"WOW_LOCK={self.root.resolve()}/two/packages.lock\n"), said)

    def test_what_was_asked_for_or_is_the_same_or_the_first_one_is_not(self):
        silent = [self.told(*words) for words in (("one", "same"), (None, "one"), ("gone", "one"))]
        silent += [self.told("two", "one", **asked) for asked in ({"WOW_LOCK": "x"}, {"WOW_FRESH": "1"})]
        self.assertEqual([""] * 5, silent)

    def test_it_is_said_before_the_link_leads_to_the_new_one(self):
        parts = (STEPS.parent / "parts").read_text(encoding="utf-8")
        self.assertLess(parts.index('other_base "$work/base" "$base"'), parts.index('ln -sfn "$base" "$work/base"'))


class InAFolderWithBlanks(unittest.TestCase):
    """The clone's path is anybody's."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="a clone of ")
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)
        (self.work / "keys").mkdir()

    def started(self, script, **more):
        return subprocess.Popen(["sh", "-euc", f". {STEPS}; work=$1; {script}", "sh", self.work], stdout=subprocess.PIPE, text=True, **more)

    def said(self, script, **more):
        with self.started(script, **more) as process:
            said = process.stdout.read()
        self.assertEqual(0, process.returncode)
        return said

    def test_each_layer_of_a_list_is_one_word(self):
        layers = [f"{kind}={self.work}/layers/{kind}.squashfs" for kind in ("base", "node")]
        (self.work / "stack").write_text("".join(f"{one}\n" for one in layers))
        self.assertEqual(["-o", *layers], self.said('of_layers "$work/stack" printf "%s\\n" -o').splitlines())

    def test_who_makes_the_parts_of_an_image_takes_the_list_so(self):
        for name in ("parts", "assemble"):
            text = (STEPS.parent / name).read_text(encoding="utf-8")
            self.assertEqual((1, 0), (text.count('of_layers "$work/stack'), text.count('$(cat "$work/stack')), name)

    def test_a_second_build_says_that_it_waits_and_goes_on_after_the_first(self):
        with open(self.work / "keys/image.lock", "w", encoding="ascii") as first:
            fcntl.flock(first, fcntl.LOCK_EX)
            second = self.started("alone image; echo mine")
            self.addCleanup(second.kill)
            self.assertIn("another build is at work in this clone", second.stdout.readline())
        self.assertEqual(("mine\n", None), second.communicate(timeout=60))
        self.assertEqual("mine\n", self.said("alone image; echo mine"))

    def test_builds_parts_and_programs_have_a_turn_each(self):
        turns = [line for name in ("build", "parts", "programs") for line in (STEPS.parent / name).read_text(encoding="utf-8").splitlines() if line.startswith("alone ")]
        self.assertEqual(["alone image", "alone parts", "alone programs"], turns)

    def test_a_part_is_on_the_disk_before_its_key_speaks_for_it(self):
        tools = self.work / "tools"
        tools.mkdir()
        (tools / "sync").write_text('#!/bin/sh\ncat "$2/part"\nls "$2/keys"\n')
        (tools / "sync").chmod(0o755)
        said = self.said('make() { echo made > "$work/part"; }; step one key make', env={"PATH": f"{tools}:{os.environ['PATH']}"})
        self.assertEqual("made", said.splitlines()[0])
        self.assertTrue(said.splitlines()[1].startswith("image: one "), said)
        self.assertEqual("key\n", (self.work / "keys/one").read_text())


if __name__ == "__main__":
    unittest.main()
