"""What is said of the clock."""
import unittest

from wow.lib import clock


class Words(unittest.TestCase):
    def describe(self, **changes):
        return clock.describe({"follows": "hypervisor", "device": "rtc0", "error_s": 0.0, "zone_min": 0, "voices": 4, **changes})

    def test_every_source_is_named_and_the_error_stands_behind_it(self):
        self.assertEqual(self.describe(), "follows the hypervisor's (rtc0); it is right within 2 s")
        self.assertEqual(self.describe(zone_min=345), "follows the hypervisor's (rtc0, which shows a local time, 5:45 h behind UTC); it is right within 2 s")
        self.assertEqual(self.describe(follows="peers", error_s=-40.0), "follows the median of what 4 other machines say; it is 40 s behind")
        self.assertIn("follows nothing", self.describe(follows="nothing", error_s=None))
        self.assertIn("time server", self.describe(follows="server"))

    def test_ten_seconds_do_no_harm(self):
        self.assertFalse(clock.is_wrong({"error_s": None}))
        self.assertFalse(clock.is_wrong({"error_s": -9.0}))
        self.assertTrue(clock.is_wrong({"error_s": 11.0}))


if __name__ == "__main__":
    unittest.main()
