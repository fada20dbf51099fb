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

    def test_a_layer_without_a_whole_tree_gets_another_one_and_nothing_is_wrong(self):
        tree, words = b"tree", f"# tree a.tree 1 {'0' * 64} {hashlib.sha256(b'tree').hexdigest()}\n"
        for there, said, wanted in ((tree, words, False), (b"rotten", words, True), (None, words, True), (tree, "", True), (None, "", True)):
            with self.subTest(there=there, said=said), tempfile.TemporaryDirectory() as folder:
                system = pathlib.Path(folder)
                for name in ("layers", "stacks"):
                    (system / name).mkdir()
                (system / "layers/a.squashfs").write_bytes(b"x")
                if there is not None:
                    (system / "layers/a.tree").write_bytes(there)
                (system / "stacks/A.conf").write_text(f"base a a.squashfs 1 {hashlib.sha256(b'x').hexdigest()}\nmodule b a.squashfs 1 {hashlib.sha256(b'x').hexdigest()}\n{said}")
                script = TOOL.read_text().replace("/dev/kmsg", "/dev/null").replace("/run/wow", folder)
                done = subprocess.run(["sh", "-c", script, "check-layers", folder, folder + "/home", folder + "/stacks/A.conf"], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0)
                self.assertEqual(((system / "trees.wanted").exists(), (system / "stack.wanted").exists(), (system / "damaged").exists()), (wanted, wanted, False))

    def test_what_is_damaged_of_a_system_is_left_for_wow_stack_and_taken_away_when_it_is_whole(self):
        with tempfile.TemporaryDirectory() as folder:
            system = pathlib.Path(folder)
            for name in ("layers", "stacks", "boot/A", "boot/B"):
                (system / name).mkdir(parents=True)
            files = {"layers/a.squashfs": b"base", "layers/b.squashfs": b"node", "boot/A/vmlinuz": b"kernel", "boot/A/initrd.img": b"initrd"}
            digests = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
            (system / "stacks/A.conf").write_text("".join(f"base x {name[7:]} 4 {digests[name]}\n" for name in list(files)[:2]))
            (system / "boot/A/SHA256SUMS").write_text("".join(f"{digests[name]}  {name[7:]}\n" for name in list(files)[2:]))
            (system / "boot/B/SHA256SUMS").write_text(f"{'0' * 64}  vmlinuz\n")
            script = TOOL.read_text().replace("/dev/kmsg", "/dev/null").replace("/run/wow", folder).replace("systemctl reboot", f"echo reboot >> {folder}/restarts")
            for lost in ((), *((name,) for name in files), tuple(files), ()):
                for name, data in files.items():
                    (system / name).write_bytes(data)
                for name in lost:
                    (system / name).unlink() if len(lost) > 1 else (system / name).write_bytes(b"x" + files[name][1:])
                done = subprocess.run(["sh", "-c", script, "check-layers", folder, folder + "/home", folder + "/stacks/A.conf"], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 1 if lost else 0)
                told = system / "damaged"
                self.assertEqual(told.read_text().splitlines() if told.exists() else [], [f"{digests[name]} {name}" for name in lost])
                self.assertFalse((system / "restarts").exists())
            self.assertTrue((system / "stack.wanted").exists())
            # A machine that is not back in its pool starts again, for the initrd reads all of its system then; once.
            (system / "home/stacks").mkdir(parents=True)
            (system / "boot/A/vmlinuz").write_bytes(b"x")
            for word, settled, restarts in (("whole", False, 0), ("kept", False, 0), ("once", True, 0), ("once", False, 1)):
                (system / "home/stacks/begun").write_text(f"{word}\n")
                (system / "settled").touch() if settled else (system / "settled").unlink(missing_ok=True)
                subprocess.run(["sh", "-c", script, "check-layers", folder, folder + "/home", folder + "/stacks/A.conf"], capture_output=True, check=False)
                place = system / "restarts"
                self.assertEqual(len(place.read_text().split()) if place.exists() else 0, restarts, word)

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

    def test_one_that_cannot_be_removed_is_told_and_so_are_those_behind_it(self):
        with tempfile.TemporaryDirectory() as home:
            layers = pathlib.Path(home, "layers")
            layers.mkdir()
            # Which rm -f leaves where it is.
            (layers / ("1" * 64)).mkdir()
            for digit in "23":
                (layers / (digit * 64)).write_bytes(b"damaged")
            done = self.check(b"x", hashlib.sha256(b"x").hexdigest(), home)
            self.assertEqual((done.returncode, [path.name[0] for path in layers.iterdir()]), (1, ["1"]))
            for digit in "123":
                self.assertIn(f"file=layers/{digit * 64}", done.stderr)

    def test_one_that_is_gone_meanwhile_is_not_damaged(self):
        with tempfile.TemporaryDirectory() as home:
            layers = pathlib.Path(home, "layers")
            layers.mkdir()
            (layers / ("1" * 64)).symlink_to("gone")
            done = self.check(b"x", hashlib.sha256(b"x").hexdigest(), home)
            self.assertEqual((done.returncode, "WOW: error" in done.stderr), (0, False))


if __name__ == "__main__":
    unittest.main()
