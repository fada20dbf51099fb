"""The disk that `replace-base` writes: it has a person's home and a machine's keys."""

import contextlib
import io
import sys
import unittest
from unittest import mock

import smalls
from test_module import ROOT, tool

REPLACE = ROOT / "appliance/image/replace-base"


class Replaced(smalls.Made):
    def setUp(self):
        super().setUp()
        self.machine, self.out = smalls.converted(self.made, "qcow2"), self.folder / "out.qcow2"

    def replace(self):
        with mock.patch.object(sys, "argv", ["replace-base", str(self.machine), str(self.machine), "-o", str(self.out)]), contextlib.redirect_stdout(io.StringIO()):
            tool(REPLACE).main()

    def test_who_could_not_read_the_machine_s_disk_cannot_read_the_new_one(self):
        for mode in (0o600, 0o640):
            self.machine.chmod(mode)
            self.replace()
            self.assertEqual(mode, self.out.stat().st_mode & 0o777)
            self.out.unlink()

    def test_it_is_on_the_disk_before_it_takes_its_name(self):
        with smalls.synced() as seen:
            self.replace()
        self.assertEqual(["out.qcow2", self.folder.name], [path.name for path in seen])
        self.assertNotEqual(self.out, seen[0], "it had its name already")


if __name__ == "__main__":
    unittest.main()
