"""Which changes have a part of the image made anew."""

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


if __name__ == "__main__":
    unittest.main()
