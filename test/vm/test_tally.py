import io
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from tally import Tally, must  # noqa: E402


class CaseTests(unittest.TestCase):
    def test_a_case_says_of_itself_whether_it_passed_whatever_others_did(self):
        tally = Tally(lambda error: [str(error)], io.StringIO())
        with tally.case("one that fails") as bad:
            must(False, "the reason")
        with tally.case("one that passes after it") as good:
            must(not good.passed, "it has not ended")
        self.assertEqual((bad.passed, good.passed), (False, True))
        self.assertEqual((tally.passed, tally.failed), (1, 1))


if __name__ == "__main__":
    unittest.main()
