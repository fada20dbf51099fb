import unittest
from unittest import mock

import waiting
from pressure import Moment


class UntilTests(unittest.TestCase):
    """A look takes what the test says, of the clock for limits; time.sleep takes its pause."""

    def setUp(self):
        self.now, self.looks = 100.0, 0
        for place, name, stand_in in ((waiting.CLOCK, "now", lambda: self.now), (waiting.time, "sleep", self.passes)):
            patch = mock.patch.object(place, name, stand_in)
            patch.start()
            self.addCleanup(patch.stop)

    def passes(self, seconds):
        self.now += seconds

    def looked(self, *took):
        """Answers how often it was asked; the looks take so long, the last one's time each one after it."""
        def ask():
            self.passes(took[min(self.looks, len(took) - 1)])
            self.looks += 1
            return self.looks
        return ask

    def test_what_is_true_at_once_is_not_waited_for(self):
        self.assertEqual(1, waiting.until(self.looked(0.0), bool, "it comes")[0])

    def test_what_never_comes_is_given_up_at_the_limit_and_the_last_answer_is_told(self):
        with self.assertRaisesRegex(AssertionError, "it comes: not within 10 s .* last seen: 11$"):
            waiting.until(self.looked(0.0), lambda count: count > 11, "it comes", 10, pause=1.001)
        self.assertLess(self.now, 112)

    def test_looks_that_are_slow_take_from_the_limit(self):
        with self.assertRaises(AssertionError):
            waiting.until(self.looked(2.0), lambda count: count > 7, "it comes", 10, pause=0.0)

    def test_a_computer_that_stood_for_longer_than_the_limit_looks_on(self):
        self.assertEqual(3, waiting.until(self.looked(0.0, 3600.0, 0.0), lambda count: count == 3, "it comes", 10)[0])

    def test_what_the_host_took_is_not_in_the_seconds_that_it_took(self):
        moments = iter([Moment(100.0, 0.0), Moment(103.0, 2.0)])
        with mock.patch.object(waiting.pressure, "moment", lambda: next(moments)):
            self.assertEqual((1, 1.0), waiting.until(self.looked(0.0), bool, "it comes"))

    def test_who_stays_stays_as_much_longer_as_the_host_takes(self):
        with mock.patch.object(waiting.pressure, "moment", lambda: Moment(self.now, (self.now - 100.0) / 2)):
            waiting.stay(waiting.pressure.moment(), 2.0)
        self.assertAlmostEqual(104.0, self.now, delta=0.02)

    def test_a_rest_is_as_much_longer_as_the_computer_lacks_processors(self):
        slept = []
        with mock.patch.object(waiting.time, "sleep", lambda seconds: (slept.append(seconds), self.passes(seconds / 4))):
            waiting.rest(2.0)
        self.assertAlmostEqual(8.0, sum(slept), delta=0.2)


if __name__ == "__main__":
    unittest.main()
