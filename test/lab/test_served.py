import os
import tempfile
import unittest

import lab_path  # noqa: F401
from shell import LabError, served


class ServedTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.log = os.path.join(folder.name, "log")

    def begun(self, script, **more):
        process = served("sh", "-c", script, log=self.log, says="listens", what="nobody serves", **more)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def test_it_is_there_once_it_says_so(self):
        self.assertIsNone(self.begun("echo it listens; exec sleep 600").poll())

    def test_one_that_ends_is_told_at_once_with_what_it_said(self):
        with self.assertRaisesRegex(LabError, "nobody serves; .*log says: bad option"):
            self.begun("echo bad option; exit 1")
        with self.assertRaisesRegex(LabError, "says: nothing"):
            self.begun("exit 1")

    def test_what_an_earlier_one_said_does_not_count(self):
        with open(self.log, "w", encoding="ascii") as file:
            file.write("it listens\n")
        with self.assertRaisesRegex(LabError, "says: no$"):
            self.begun("echo no; exit 1")


if __name__ == "__main__":
    unittest.main()
