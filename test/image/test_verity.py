"""How the initrd has base and node's layer mapped, and what it says where it does not: its script under the shells that read it. test/image/rotten.py has a kernel do it."""

import hashlib
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from test_module import ROOT

STUBS = """
load() { file=/modules/x.ko; echo "load $1"; }
losetup() { if [ "$1" = -f ]; then loop=$((loop + 1)); echo "$loop" > "$top/loop"; echo "/dev/loop$(cat "$top/loop")"; else echo "loop $3" >> "$top/loops"; [ -e "$3" ]; fi; }
mount() { shift 4; echo "mount $*"; case " $refused " in *" $1 "*) return 1 ;; esac; }
umount() { echo "umount $1"; }
base_tool() {
    echo "$*"
    if [ -n "$fails" ]; then echo "it fails"; return 1; fi
    for part in base-1 node-1; do case "$*" in *"$part,,,ro,"*) mkdir -p "$top/block/dm-$part/dm"; echo "$part" > "$top/block/dm-$part/dm/name" ;; esac; done
}
say() { echo "say $*"; }
"""
FILES = ("base-1", "node-1")


class Mapped(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name)
        for name in ("run/layers/sys/layers", "run/layers/sys/stacks", "block", "module/dm_verity"):
            (self.top / name).mkdir(parents=True)
        self.layers = self.top / "run/layers/sys/layers"
        for name in FILES:
            (self.layers / f"{name}.tree").write_bytes(name.encode())
            (self.layers / f"{name}.squashfs").write_bytes(b"x")
        self.list(*FILES)

    def list(self, *hashed):
        rows = "".join(f"{name[:4]} {name[:4]} {name}.squashfs 8192 x\n" for name in FILES)
        trees = "".join(f"# tree {name}.tree 2 {name[0] * 64} {hashlib.sha256(name.encode()).hexdigest()}\n" for name in hashed)
        (self.top / "run/layers/sys/stacks/A.conf").write_text(f"# stack 12\n{rows}{trees}")

    def start(self, refused="", fails=""):
        """What it did, in lines, and what it told."""
        text = (ROOT / "appliance/initrd/verity.sh").read_text()
        for place, where in (("/run/", "run/"), ("/sys/block/", "block/"), ("/sys/module/", "module/")):
            text = text.replace(f"{place}layers" if place == "/run/" else place, f"{self.top}/{where}layers" if place == "/run/" else f"{self.top}/{where}")
        text = text.replace("/run/dmsetup", f"{self.top}/dmsetup").replace('case $1 in /run/', f"case $1 in {self.top}/run/")
        head = f"set -u\ntop={self.top} loop=0 fails={fails} refused='{refused}' image_list={self.top}/run/layers/sys/stacks/A.conf\n"
        asks = "\n".join(f'mount_mapped "{self.layers}/{name}.squashfs" {number} || echo "plain {name}"' for number, name in enumerate(FILES))
        shown = {}
        for shell in (("busybox", "sh"), ("sh",)):
            (self.top / "run/layers/system").write_text("system=A\n")
            shutil.rmtree(self.top / "block")
            (self.top / "block").mkdir()
            script = f"{head}{text}{STUBS}map_layers > {self.top}/mapping\n{asks}\ntell_of_hashes"
            # What dmsetup says goes into a file of its own; here it is what it was asked.
            script = script.replace(f"> {self.top}/dmsetup 2>&1", f"> {self.top}/asked 2>&1").replace(f"head_of {self.top}/dmsetup", f"head_of {self.top}/asked").replace(
                f"rm {self.top}/dmsetup", ":")
            done = subprocess.run([*shell, "-c", script], capture_output=True, text=True, check=True)
            self.assertEqual(done.stderr, "")
            asked = self.top / "asked"
            shown[shell] = (done.stdout.splitlines(), asked.read_text() if asked.exists() else "", dict(line.split("=") for line in
                            (self.top / "run/layers/system").read_text().splitlines()).get("unhashed", ""))
            asked.unlink(missing_ok=True)
        self.assertEqual(len({str(one) for one in shown.values()}), 1, "both shells say the same")
        return shown[("sh",)]

    def test_both_are_mapped_by_the_base_s_dmsetup_and_nothing_is_said(self):
        lines, asked, told = self.start()
        self.assertEqual((lines, told), (["mount /dev/dm-base-1 0", "mount /dev/dm-node-1 1"], ""))
        self.assertRegex(asked, r"^/usr/sbin/dmsetup --noudevsync --noudevrules create --concise base-1,,,ro,0 16 verity 1 /dev/loop\d+ /dev/loop\d+ 4096 4096 2 0 "
                         r"blake2b-256 b{64} -;node-1,,,ro,0 16 verity 1 /dev/loop\d+ /dev/loop\d+ 4096 4096 2 0 blake2b-256 n{64} -\n$")
        self.assertNotIn("corruption", asked, "an I/O error is what a damaged block gives")
        mapping = (self.top / "mapping").read_text()
        self.assertLess(mapping.index("mount"), mapping.index("umount"), "what is mounted cannot be mapped")

    def test_a_list_of_a_release_before_starts_as_it_did(self):
        self.list()
        self.assertEqual(self.start(), (["plain base-1", "plain node-1", 'say verity what="its list names no hash tree"'], "", "its list names no hash tree"))

    def test_a_kernel_without_it_starts_as_it_did(self):
        (self.top / "module/dm_verity").rmdir()
        lines, asked, told = self.start()
        self.assertEqual((lines[:2], asked, told), (["plain base-1", "plain node-1"], "", "the kernel has no dm-verity"))

    def test_a_tree_that_is_damaged_or_missing_is_not_taken_and_the_other_layer_is_mapped(self):
        for spoil in (lambda path: path.write_bytes(b"rotten"), lambda path: path.unlink()):
            for name, other in (FILES, FILES[::-1]):
                self.setUp()
                spoil(self.layers / f"{name}.tree")
                lines, _, told = self.start()
                self.assertIn(f"plain {name}", lines)
                self.assertNotIn(f"plain {other}", lines)
                self.assertEqual((lines[-1], told), (f'say verity what="the disk has lost a part of {name}.tree"', f"the disk has lost a part of {name}.tree"))

    def test_where_dmsetup_fails_or_the_mapping_does_not_mount_it_starts_as_it_did(self):
        lines, _, told = self.start(fails="yes")
        self.assertEqual((lines[:2], told[:15]), (["plain base-1", "plain node-1"], "dmsetup failed:"))
        lines, _, told = self.start(refused="/dev/dm-node-1")
        self.assertEqual((lines[2], told), ("plain node-1", "node-1.squashfs does not mount by its mapping"))


if __name__ == "__main__":
    unittest.main()
