"""The machine's time zone: which names are one, what becomes of one that this image does not know, and the times on the screen."""
import os
import tempfile
import time
import unittest
from unittest import mock

import samples
from test_page import NOON, facts

from wow.config.kinds import KINDS, Wrong
from wow.lib.errors import WowError
from wow.page import text
from wow.pause.state import Pause
from wow.setup import zone
from wow.slots import running


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

    def test_a_start_that_lost_its_power_on_the_way_leaves_nothing_in_the_way_of_the_next(self):
        os.symlink("nowhere", f"{self.link}.new")
        self.assertIsNone(self.choose("Europe/Berlin"))
        self.assertEqual(os.readlink(self.link), f"{self.zones}/Europe/Berlin")
        self.assertFalse(os.path.lexists(f"{self.link}.new"))

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


class Screen(unittest.TestCase):
    """The page on the machine's screen; test_web.py has the web page's."""

    def setUp(self):
        self.addCleanup(time.tzset)
        self.enterContext(mock.patch.dict(os.environ))

    def said(self, **other):
        """Its text, which goes by the zone as it is then."""
        return "\n".join(text.lines(facts(**other)))

    def test_times_are_those_of_the_machine_s_zone_by_its_name_in_winter_and_in_summer(self):
        os.environ["TZ"] = "CET-1CEST,M3.5.0,M10.5.0/3"
        said = self.said(pause=Pause(NOON, NOON + 86400 * 60, False, "alice"), trouble="x", asked=NOON - 600,
                         jobs=[running.Job(2001, "a@b", 7 * 3600), running.Job(2002, "a@b", 20 * 3600)])
        self.assertTrue(said.splitlines()[0].endswith(" 18:46 CET"), said)
        for word in ("until 2030-05-16 19:46 CEST", "is of 18:36 CET", "as of 18:45 CET", "since 11:46", "since 2030-03-16 22:46"):
            self.assertIn(word, said)
        self.assertIn("none begins, until 2030-05-16 19:46 CEST.", self.said(pause=Pause(NOON, NOON + 86400 * 60, True, "alice")))
        os.environ["TZ"] = "<-03>3"
        self.assertTrue(self.said().splitlines()[0].endswith(" 14:46 -03"))


if __name__ == "__main__":
    unittest.main()
