"""When a machine's clock counts as right, however long the question takes."""

import pathlib
import sys
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("appliance/lab", "test/vm", "test/netns")]

import wrong_clock  # noqa: E402


class Right(unittest.TestCase):
    """Time is the test's own: a question takes some of it, and so does sleep."""

    def setUp(self):
        self.now = 1000.0
        for place, name, stand_in in ((wrong_clock.time, "time", lambda: self.now), (wrong_clock.time, "sleep", self.pass_by),
                                      (wrong_clock.steal, "now", lambda: self.now), (wrong_clock.probe, "status", lambda name: {})):
            patch = mock.patch.object(place, name, stand_in)
            patch.start()
            self.addCleanup(patch.stop)

    def pass_by(self, seconds):
        self.now += seconds

    def right(self, error, *questions):
        """How many questions it takes until a clock with that error counts as right. questions: seconds that each takes until the clock is read, and after that;
        the last one's go on."""
        asked = []

        def root(name, script):
            to, back = questions[min(len(asked), len(questions) - 1)]
            asked.append(name)
            self.pass_by(to)
            said = f"{self.now + error}\n"
            self.pass_by(back)
            return said
        with mock.patch.object(wrong_clock.probe, "root", root):
            wrong_clock.right("alpha")
        return len(asked)

    def test_a_clock_that_is_right_is_so_however_the_time_of_a_question_falls(self):
        self.assertEqual([1, 1, 1], [self.right(0.5, took) for took in ((0.1, 0.1), (9, 0.2), (0.2, 9))])

    def test_what_a_long_question_cannot_tell_is_asked_again(self):
        self.assertEqual([2, 2], [self.right(0, took, (1, 1)) for took in ((30, 0), (0, 30))])

    def test_a_wrong_clock_is_wrong_whatever_a_question_takes(self):
        for took in ((0.1, 0.1), (0, 30), (30, 0)):
            for error in (-15, 15):
                with self.assertRaisesRegex(AssertionError, "the clock is "):
                    self.right(error, took)


if __name__ == "__main__":
    unittest.main()
