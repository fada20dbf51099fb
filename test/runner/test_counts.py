import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from runner.counts import Count, failed_in_trx, from_last_line, from_trx, from_unittest  # noqa: E402

TRX = """<TestRun xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010">
<Results>
<UnitTestResult testName="A.Good" outcome="Passed" />
<UnitTestResult testName="A.Bad" outcome="Failed"><Output><ErrorInfo><Message>one
two</Message></ErrorInfo></Output></UnitTestResult>
<UnitTestResult testName="A.Skipped" outcome="NotExecuted" />
</Results>
<ResultSummary><Counters total="3" executed="2" passed="1" failed="1" /></ResultSummary></TestRun>"""


class LastLine(unittest.TestCase):
    def test_is_the_count(self):
        self.assertEqual(from_last_line("a\n3 passed, 1 failed\n\n"), Count(3, 1))

    def test_must_be_last_and_alone(self):
        for log in ("3 passed, 1 failed\nbye\n", "so: 3 passed, 1 failed\n", "3 passed\n", "", "\n"):
            self.assertIsNone(from_last_line(log), log)


class Unittest(unittest.TestCase):
    def test_sums_several_summaries(self):
        log = "Ran 3 tests in 0.1s\n\nOK\n...\nRan 1 test in 0.0s\n\nFAILED (failures=1)\n"
        self.assertEqual(from_unittest(log), Count(3, 1))

    def test_errors_and_skips_count_as_failed(self):
        self.assertEqual(from_unittest("Ran 5 tests in 1s\n\nFAILED (failures=1, errors=2, skipped=1)\n"), Count(1, 4))
        self.assertEqual(from_unittest("Ran 5 tests in 1s\n\nOK (skipped=2)\n"), Count(3, 2))

    def test_no_tests_are_no_count(self):
        self.assertIsNone(from_unittest("Ran 0 tests in 0.000s\n\nOK\n"))
        self.assertIsNone(from_unittest("Traceback\n"))


class Trx(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "result.trx"

    def test_what_did_not_pass_failed(self):
        self.path.write_text(TRX)
        self.assertEqual(from_trx(self.path), Count(1, 2))
        self.assertEqual(failed_in_trx(self.path), ["x A.Bad", "    one", "    two", "x A.Skipped"])

    def test_no_file_and_no_tests_are_no_count(self):
        self.assertIsNone(from_trx(self.path))
        self.path.write_text(TRX.replace('total="3"', 'total="0"'))
        self.assertIsNone(from_trx(self.path))


if __name__ == "__main__":
    unittest.main()
