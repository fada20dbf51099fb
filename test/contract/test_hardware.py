import fnmatch
import json
import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from contract import hardware  # noqa: E402
from contract.source import Broken  # noqa: E402

CLONE = pathlib.Path(__file__).resolve().parents[2]
ONE = {"name": "A card", "driver": "a", "qemu": ["b"]}
NO_CONTROLLER = {"stack", "fat", "iso", "cd", "verity"}
"""Sets of the initrd that no hardware asks for."""


class Hardware(unittest.TestCase):
    """Of a small contract."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / hardware.SOURCE).parent.mkdir(parents=True)

    def cards(self, *entries):
        (self.root / hardware.SOURCE).write_text(json.dumps({"cards": entries}))
        return hardware.cards(self.root)

    def test_a_device_of_qemu_is_tried_and_others_are_not(self):
        found = self.cards(ONE, {"name": "Another", "driver": "c"})
        self.assertEqual(hardware.lines(found), [["A card", "`a`", "yes"], ["Another", "`c`", "no"]])

    def test_a_driver_that_stands_twice_is_told(self):
        with self.assertRaises(Broken):
            self.cards(ONE, ONE)


class Clone(unittest.TestCase):
    """Of this clone: the contract, the base's list and the initrd's say the same."""

    def test_the_base_keeps_every_driver(self):
        text = re.sub("#.*", "", (CLONE / "appliance/base/modules.list").read_text())
        patterns = text.replace("-", "_").split()
        for one in hardware.controllers(CLONE) + hardware.cards(CLONE):
            self.assertTrue(any(fnmatch.fnmatchcase(one.driver, pattern) for pattern in patterns), f"{one.driver} is not in appliance/base/modules.list")

    def test_the_initrd_has_a_set_for_every_controller_and_no_other(self):
        sets = dict(line.split(": ") for line in (CLONE / "appliance/initrd/modules.list").read_text().splitlines() if line[:1] not in ("", "#") and line != "packed:")
        found = hardware.controllers(CLONE)
        self.assertEqual({one.set for one in found}, sets.keys() - NO_CONTROLLER)
        for one in found:
            self.assertIn(one.driver, sets[one.set].replace("@amd64", "").split(), one.set)
        script = (CLONE / "appliance/initrd/disk.sh").read_text()
        self.assertEqual(set(re.search('^sets="(.*)"$', script, re.MULTILINE)[1].split()), {one.set for one in found})
        for one in found:
            self.assertRegex(script, rf"(?m)^ +{re.escape(one.set)}:\*.*\) ;;$")


if __name__ == "__main__":
    unittest.main()
