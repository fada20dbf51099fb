"""Which kernel modules stay in the base."""

import pathlib
import subprocess
import tempfile
import unittest

from test_module import ROOT, tool

keep = tool(ROOT / "appliance/base/keep-modules")
DEPENDS = """\
kernel/fs/ext4/ext4.ko.xz: kernel/fs/jbd2/jbd2.ko.xz kernel/lib/crc16.ko.xz
kernel/fs/jbd2/jbd2.ko.xz:
kernel/lib/crc16.ko.xz:
kernel/fs/xfs/xfs.ko.xz: kernel/lib/crc16.ko.xz
kernel/net/nft-a.ko.xz:
"""


class Kept(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "modules.dep").write_text(DEPENDS)
        for file in keep.dependencies(self.root):
            (self.root / file).parent.mkdir(parents=True, exist_ok=True)
            (self.root / file).touch()

    def kept(self, *patterns):
        return {keep.name_of(file) for file in keep.kept(patterns, keep.dependencies(self.root), ["loop"])}

    def test_a_module_stays_with_what_it_depends_on(self):
        self.assertEqual(self.kept("ext4"), {"ext4", "jbd2", "crc16"})

    def test_a_pattern_names_several_and_a_built_in_one_none(self):
        self.assertEqual(self.kept("nft_*", "loop"), {"nft_a"})

    def test_a_name_that_the_kernel_does_not_know_is_told(self):
        with self.assertRaises(SystemExit) as caught:
            self.kept("ext5")
        self.assertIn("no module ext5", str(caught.exception))

    def test_comments_are_no_names(self):
        self.assertEqual(keep.patterns("# a b\nxen-blkfront tun # c\n"), ["xen_blkfront", "tun"])

    def test_the_others_go_and_empty_folders_with_them(self):
        names = "\n".join(keep.patterns(keep.LIST.read_text()))
        (self.root / "modules.builtin").write_text(names.replace("*", "x").replace("?", "x"))
        keep.main(self.root)
        self.assertEqual(sorted(path.name for path in (self.root / "kernel").rglob("*") if not path.is_dir()), ["crc16.ko.xz", "ext4.ko.xz", "jbd2.ko.xz", "nft-a.ko.xz"])
        self.assertFalse((self.root / "kernel/fs/xfs").exists())


class Unmarked(unittest.TestCase):
    """A module keeps its signature, and loses the line behind it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "kernel/fs").mkdir(parents=True)
        self.module = self.root / "kernel/fs/ext4.ko"

    def unmark(self):
        return subprocess.run([ROOT / "appliance/base/unmark", self.root], capture_output=True, text=True, check=False)

    def test_what_the_initrd_puts_back_is_what_was_cut_off(self):
        signed = b"\x7fELF\0\n\0signature\0\0~Module signature appended~\n"
        self.module.write_bytes(signed)
        self.assertEqual(self.unmark().returncode, 0)
        self.assertEqual(self.module.read_bytes(), b"\x7fELF\0\n\0signature\0\0")
        script = (ROOT / "appliance/initrd/signed.sh").read_text(encoding="utf-8").replace("/sys/module/module/parameters/sig_enforce", f"{self.root}/enforce")
        for answer, wanted in (("N", self.module.read_bytes()), ("Y", signed), ("Y", signed)):
            (self.root / "enforce").write_text(f"{answer}\n")
            subprocess.run(["dash", "-euc", f"{script}\nmark {self.module}"], check=True)
            self.assertEqual(self.module.read_bytes(), wanted)

    def test_a_module_that_is_not_signed_is_told(self):
        self.module.write_bytes(b"\x7fELF")
        done = self.unmark()
        self.assertEqual(done.returncode, 1)
        self.assertIn("ext4.ko is not signed", done.stderr)
        self.assertEqual(self.module.read_bytes(), b"\x7fELF")


if __name__ == "__main__":
    unittest.main()
