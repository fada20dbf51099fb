import io
import pathlib
import sys
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from tally import Tally, must  # noqa: E402
from together import together  # noqa: E402

PATIENCE = 20


class Together(unittest.TestCase):
    def test_two_stories_are_told_at_once(self):
        # Each waits for the other: told one after the other, both would fail.
        meeting, met = threading.Barrier(2), []
        together(*[lambda: met.append(meeting.wait(PATIENCE))] * 2)
        self.assertEqual(sorted(met), [0, 1])

    def test_a_case_that_fails_beside_another_is_counted(self):
        tally = Tally(lambda error: [str(error)], io.StringIO())

        def story(is_good):
            with tally.case("a case"):
                must(is_good, "the reason")

        together(lambda: story(True), lambda: story(False))
        self.assertEqual((tally.passed, tally.failed), (1, 1))

    def test_what_is_raised_outside_of_a_case_is_not_lost_and_the_other_story_is_told_to_its_end(self):
        ended = []
        with self.assertRaisesRegex(ZeroDivisionError, "division"):
            together(lambda: 1 / 0, lambda: ended.append(True))
        self.assertEqual(ended, [True])


if __name__ == "__main__":
    unittest.main()
