"""The stack tool: what it refuses, and that nothing is lost then. What it makes is seen in composed.py."""

import pathlib
import subprocess
import tempfile
import unittest

STACK = pathlib.Path(__file__).resolve().parents[2] / "appliance/image/stack"


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


if __name__ == "__main__":
    unittest.main()
