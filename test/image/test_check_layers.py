"""The guest's daily comparison of the layers with their list."""

import hashlib
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "appliance/image/root/usr/lib/wow/image/check-layers"


class Comparison(unittest.TestCase):
    def check(self, content, digest, home=None):
        with tempfile.TemporaryDirectory() as folder:
            system = pathlib.Path(folder)
            (system / "layers").mkdir()
            (system / "stacks").mkdir()
            (system / "layers/a.squashfs").write_bytes(content)
            (system / "stacks/A.conf").write_text(f"# kind name file size sha256\nbase a a.squashfs {len(content)} {digest}\n")
            # Its words go to the kernel's log, which only a machine of its own has.
            script = TOOL.read_text().replace("/dev/kmsg", "/dev/null").replace("/run/wow", folder)
            return subprocess.run(["sh", "-c", script, "check-layers", folder, home or folder + "/none", folder + "/stacks/A.conf"], capture_output=True, text=True, check=False)

    def test_whole_layers_pass(self):
        self.assertEqual(self.check(b"x", hashlib.sha256(b"x").hexdigest()).returncode, 0)

    def test_a_damaged_layer_is_named(self):
        done = self.check(b"y", hashlib.sha256(b"x").hexdigest())
        self.assertEqual(done.returncode, 1)
        self.assertIn("file=layers/a.squashfs", done.stderr)

    def test_a_damaged_layer_of_the_pool_is_removed_and_wanted_again(self):
        with tempfile.TemporaryDirectory() as home:
            layers = pathlib.Path(home, "layers")
            layers.mkdir()
            whole, part = hashlib.sha256(b"x").hexdigest(), f"{'0' * 64}.part"
            for name, content in ((whole, b"x"), ("1" * 64, b"damaged"), (part, b"half")):
                (layers / name).write_bytes(content)
            done = self.check(b"x", whole, home)
            self.assertEqual((done.returncode, sorted(path.name for path in layers.iterdir())), (1, sorted((whole, part))))
            self.assertIn(f"file=layers/{'1' * 64}", done.stderr)
            self.assertEqual(self.check(b"x", whole, home).returncode, 0)


if __name__ == "__main__":
    unittest.main()
