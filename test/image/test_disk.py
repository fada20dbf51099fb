"""The system's raw disk, of parts that hold nothing of use."""

import pathlib
import re
import subprocess
import tempfile
import unittest

from test_module import ROOT

DISK = ROOT / "appliance/image/disk"
AT = 64 << 20
"""Where WOWSYS begins."""


class Modes(unittest.TestCase):
    def test_people_of_a_machine_can_read_what_is_in_it_whatever_umask_it_was_built_with(self):
        with tempfile.TemporaryDirectory(prefix="a clone of ") as folder:
            folder = pathlib.Path(folder)
            files = ("base/vmlinuz", "initrd.img", "layers/node.squashfs", "trees/node-1.tree", "licences.txt", "wow.spdx.json")
            for name in files:
                (folder / name).parent.mkdir(exist_ok=True)
                (folder / name).write_text(name)
                (folder / name).chmod(0o600)
            (folder / "A.conf").write_text("node node node-1.squashfs 1 0\n")
            done = subprocess.run([DISK, *(folder / name for name in ("base", "initrd.img", "A.conf", "layers", "trees", "licences.txt", "out.raw"))],
                                  capture_output=True, text=True, check=False, umask=0o077)
            self.assertEqual(0, done.returncode, done.stderr)
            found = {}
            for place in ("/", "/stacks", "/layers", "/boot/A", "/licences", "/sbom"):
                said = subprocess.run(["debugfs", "-R", f"ls -p {place}", f"{folder}/out.raw?offset={AT}"], capture_output=True, text=True, check=True).stdout
                found |= {f"{place}/{name}": mode for mode, name in re.findall(r"^/\d+/(\d+)/\d+/\d+/([^/]+)/", said, re.MULTILINE)}
            found = {path: mode for path, mode in found.items() if not path.endswith(("/..", "//lost+found"))}
            self.assertEqual({path: "040755" if mode.startswith("04") else "100644" for path, mode in found.items()}, found)
            self.assertLessEqual({"//.", "//stacks", "/stacks/A.conf", "/layers/node-1.squashfs", "/boot/A/vmlinuz", "/sbom/wow.spdx.json"}, set(found))


if __name__ == "__main__":
    unittest.main()
