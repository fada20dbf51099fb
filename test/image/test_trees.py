"""Two folders are compared by all that a layer keeps of them."""

import os
import pathlib
import tempfile
import unittest

import test_module  # noqa: F401 # no compiled files beside the tests
from trees import differences


class Trees(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.one, self.two = pathlib.Path(folder.name, "one"), pathlib.Path(folder.name, "two")
        for root in (self.one, self.two):
            (root / "etc").mkdir(parents=True)
            (root / "etc/shadow").write_text("root:*:20089\n")
            (root / "link").symlink_to("etc")

    def test_the_same_files_of_another_time_are_the_same(self):
        os.utime(self.two / "etc/shadow", (1, 1))
        self.assertEqual(differences(self.one, self.two), [])

    def test_each_kind_of_difference_is_named(self):
        def of_bytes():
            (self.two / "etc/shadow").write_text("root:*:20090\n")

        def of_mode():
            (self.two / "etc").chmod(0o700)

        def of_link():
            (self.two / "link").unlink()
            (self.two / "link").symlink_to("usr")

        def of_kind():
            (self.two / "link").unlink()
            (self.two / "link").mkdir()

        def of_names():
            (self.two / "etc/hosts").write_text("")

        for change, words in ((of_bytes, "etc/shadow: other bytes"), (of_mode, "etc: "), (of_link, "link: "), (of_kind, "link: "), (of_names, "etc/hosts: only in ")):
            with self.subTest(change.__name__):
                change()
                self.assertTrue(any(line.startswith(words) for line in differences(self.one, self.two)))


if __name__ == "__main__":
    unittest.main()
