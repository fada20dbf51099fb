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


if __name__ == "__main__":
    unittest.main()
