"""The machine's time zone: which names are one, and what becomes of one that this image does not know."""
import os
import tempfile
import unittest

import samples

from wow.config import zone
from wow.config.kinds import KINDS, Wrong
from wow.lib.errors import WowError


class Zone(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.link, self.zones = f"{folder.name}/localtime", f"{folder.name}/zones"
        os.makedirs(f"{self.zones}/Europe")
        for name in ("Europe/Berlin", "UTC"):
            with open(f"{self.zones}/{name}", "w", encoding="ascii"):
                pass

    def choose(self, name):
        return zone.choose(name, self.link, self.zones)

    def test_it_is_set_once_and_changed(self):
        for name in ("UTC", "Europe/Berlin", "Europe/Berlin", "UTC"):
            self.assertIsNone(self.choose(name))
            self.assertEqual(os.readlink(self.link), f"{self.zones}/{name}")
        before = os.lstat(self.link).st_ino
        self.choose("UTC")
        self.assertEqual(os.lstat(self.link).st_ino, before)

    def test_one_that_the_image_does_not_know_is_told_and_changes_nothing(self):
        self.choose("UTC")
        for name in ("Europe/Atlantis", "Europe", "Mars"):
            self.assertIn("no time zone that this image knows", str(self.choose(name)))
        self.assertEqual(os.readlink(self.link), f"{self.zones}/UTC")

    def test_what_is_no_name_is_refused_by_the_reader(self):
        for good in ("Etc/UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+12", "America/Port-au-Prince", "GMT0"):
            self.assertEqual(KINDS["zone"].check(good, ()), good)
        for bad in ("../../etc/shadow", "Europe//Berlin", "/Europe", "Europe/", "a b", "Europe/B\u00e9rlin", "x" * 65, ".", "+1", 'a"b'):
            with self.assertRaises(Wrong):
                KINDS["zone"].check(bad, ())
        with self.assertRaises(WowError) as caught:
            samples.pool(**{"node__time-zone": "CET/../x"})
        self.assertIn("[node] time-zone", str(caught.exception))

    def test_without_the_key_it_is_utc(self):
        self.assertEqual(samples.pool().values["node", "time-zone"], "Etc/UTC")


if __name__ == "__main__":
    unittest.main()
