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

    def test_a_case_is_told_though_what_should_explain_it_fails_too(self):
        def explain(_):
            raise TimeoutError("the machine hangs")

        told = io.StringIO()
        tally = Tally(explain, told)
        with tally.case("one that fails"):
            must(False, "the reason")
        with tally.case("the next one"):
            pass
        self.assertEqual((tally.passed, tally.failed), (1, 1))
        self.assertRegex(told.getvalue(), "(?ms)^FAIL one that fails.*the reason$.*the machine hangs$")

    def test_an_error_that_nobody_explains_says_why_in_its_first_line_and_where_below(self):
        told = io.StringIO()
        with Tally(stream=told).case("one that fails"):
            next(iter(()))
        self.assertRegex(told.getvalue(), r"(?s)^FAIL one that fails [^\n]*\n     StopIteration\n     Traceback .*test_tally[.]py")

    def test_what_a_part_raises_outside_of_its_cases_is_one_failure_and_the_next_part_is_told(self):
        told = io.StringIO()
        tally = Tally(lambda error: [str(error)], told)
        with tally.part("tunnels"):
            with tally.case("one that passes"):
                pass
            must(False, "no tunnel")
        with tally.part("others"), tally.case("one of the next part"):
            pass
        self.assertEqual((tally.passed, tally.failed), (2, 1))
        self.assertRegex(told.getvalue(), "(?m)^FAIL tunnels: .*\n +no tunnel$")


if __name__ == "__main__":
    unittest.main()
