"""What all rooms use: times without the standard library's costly modules."""
import calendar
import random
import time
import unittest

from wow.lib import moments

class Moments(unittest.TestCase):
    def test_seconds_are_those_of_the_standard_library(self):
        chance = random.Random(1970)
        for _ in range(20_000):
            moment = chance.randrange(-10_000_000_000, 30_000_000_000)
            self.assertEqual(moments.seconds(*time.gmtime(moment)[:6]), moment)

    def test_a_text_of_ipopd_and_of_a_certificate_is_read_and_another_is_none(self):
        for text in ("2027-01-31T12:30:59Z", "2027-01-31T12:30:59.1234567+00:00"):
            self.assertEqual(moments.rfc3339(text), calendar.timegm((2027, 1, 31, 12, 30, 59)))
        for text in ("", "2027-01-31", "2027-02-29T00:00:00Z", "2027-13-01T00:00:00Z", "2027-01-31 12:30:59", "2027-01-31T12:30:5", "+027-01-31T12:30:59Z",
                     "2027-01-31T24:00:00Z", "2027-01-31T12:3:059Z"):
            with self.assertRaises(ValueError, msg=text):
                moments.rfc3339(text)


if __name__ == "__main__":
    unittest.main()
