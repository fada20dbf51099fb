"""Licence names from Debian's copyright files."""

import pathlib
import tempfile
import unittest

from test_module import ROOT, tool

licences = tool(ROOT / "appliance/base/licences")


class Names(unittest.TestCase):
    def names(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "copyright")
            path.write_text(text)
            return licences.names(path)

    def test_machine_readable_files_name_their_licences(self):
        self.assertEqual(self.names("Files: *\nLicense: MIT\n\nFiles: x\nLicense: GPL-2+\n text\n"), "GPL-2+; MIT")

    def test_older_files_point_to_the_common_licences(self):
        self.assertEqual(self.names("On Debian see /usr/share/common-licenses/GPL-2.\n"), "GPL-2")

    def test_other_files_are_to_be_read(self):
        self.assertEqual(self.names("You may use this.\n"), "see its copyright file")


class Contained(unittest.TestCase):
    def test_what_was_linked_in_is_named_once(self):
        self.assertEqual(licences.contained("glibc (= 2.41-12), linux (= 6)", "glibc (= 2.41-12)"), "glibc (= 2.41-12), linux (= 6)")

    def test_most_packages_contain_nothing_else(self):
        self.assertEqual(licences.contained("", ""), "")


if __name__ == "__main__":
    unittest.main()
