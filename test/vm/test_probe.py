import pathlib
import sys
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("appliance/lab", "test/vm", "test/netns")]

import patience  # noqa: E402
import probe  # noqa: E402


class Until(unittest.TestCase):
    """Time is the test's own: a question takes some of it, and so does sleep."""

    def setUp(self):
        self.now, self.slept = 0.0, []
        for place, name, stand_in in ((probe.time, "monotonic", lambda: self.now), (probe.time, "sleep", self.sleep), (probe.PROMISED, "now", lambda: self.now)):
            patch = mock.patch.object(place, name, stand_in)
            patch.start()
            self.addCleanup(patch.stop)

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds

    def asked(self, took, answers):
        """A question that takes so long; its answers one after the other."""
        left = iter(answers)

        def question():
            self.now += took
            return next(left)
        return question

    def test_the_answer_that_is_right_is_given_at_once(self):
        self.assertEqual((probe.until(self.asked(3, "a"), bool, "command", "no"), self.slept), ("a", []))

    def test_a_question_that_takes_long_is_asked_less_often_and_a_machine_is_never_without_rest_nor_left_for_long(self):
        for took, pause in ((0.1, 1), (1.5, 3), (30, 10)):
            self.slept.clear()
            probe.until(self.asked(took, [0, 0, 1]), bool, "pool", "no")
            self.assertEqual(self.slept, [pause, pause], took)

    def test_where_the_moment_counts_it_is_asked_each_second(self):
        probe.until(self.asked(30, [0, 1]), bool, "pool", "no", probe.at_once)
        self.assertEqual(self.slept, [1])

    def test_a_computer_that_stood_for_longer_than_the_limit_asks_on(self):
        stood = iter((0, 10 * patience.seconds("pool"), 0))

        def question():
            self.now += next(stood)
            return self.now
        self.assertEqual(probe.until(question, lambda now: len(self.slept) == 2, "pool", "no"), self.now)

    def test_in_the_end_it_fails_with_the_last_answer(self):
        with self.assertRaisesRegex(AssertionError, "it does not come; the last answer: 0"):
            probe.until(self.asked(5, [0] * 1000), bool, "command", "it does not come")
        self.assertLess(self.now, patience.seconds("command") + 30)


if __name__ == "__main__":
    unittest.main()
