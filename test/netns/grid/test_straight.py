import pathlib
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import straight as module  # noqa: E402


class Clock:
    """Time that passes while somebody sleeps."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        """Lets it pass."""
        self.now += seconds


class Straight(unittest.TestCase):
    def after(self, crooked, forgot=(100.0,)):
        """What is found of a pair that is not direct in these spans of time."""
        clock = Clock()
        straightness = module.Straightness(
            lambda pair: ("direct", "relay") if any(begin <= clock.now < end for begin, end in crooked) else module.STRAIGHT, clock, clock.sleep)
        for at in forgot:
            straightness.forgot("pair", at)
        straightness.start()
        return straightness.after()["pair"]

    def test_who_never_said_anything_else_was_always_straight(self):
        self.assertEqual(self.after([]), 0.0)

    def test_the_last_moment_counts_at_which_one_was_not_direct(self):
        self.assertAlmostEqual(self.after([(101, 102), (103, 104)]), 3.9, delta=0.11)

    def test_who_says_direct_and_has_not_noticed_yet_is_looked_at_for_longer(self):
        self.assertAlmostEqual(self.after([(102.5, 106)]), 5.9, delta=0.11)

    def test_the_last_of_the_NATs_counts(self):
        self.assertAlmostEqual(self.after([(95, 101)], forgot=(90.0, 100.0)), 0.9, delta=0.11)

    def test_who_is_not_straight_any_more_counts_as_the_longest(self):
        self.assertEqual(self.after([(101, 1000)]), module.WITHIN)

    def test_nor_one_that_was_straight_later_than_that_because_it_was_asked_on(self):
        clock = Clock()
        straightness = module.Straightness(lambda pair: ("direct", "relay") if clock.now < 140 else module.STRAIGHT, clock, clock.sleep)
        straightness.forgot("pair", 100.0)
        straightness.start()
        while clock.now < 150:
            time.sleep(0.001)
        self.assertEqual(straightness.after()["pair"], module.WITHIN)


if __name__ == "__main__":
    unittest.main()
