import os
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

import pressure


class ClockTests(unittest.TestCase):
    def setUp(self):
        self.real, self.stood = 100.0, 7.0
        self.clock = pressure.Clock(lambda: self.stood, lambda: self.real)
        self.begin = self.clock.now()

    def passed(self, seconds, waited):
        before = self.clock.now()
        self.real += seconds
        self.stood += waited
        return self.clock.now() - before

    def test_where_nobody_waits_all_time_passes(self):
        self.assertAlmostEqual(5.0, self.passed(5.0, 0.0))

    def test_what_somebody_waited_does_not_pass(self):
        self.assertAlmostEqual(1.5, self.passed(5.0, 3.5))

    def test_a_tenth_passes_however_busy_the_computer_is(self):
        self.assertAlmostEqual(0.5, self.passed(5.0, 5.0))
        self.assertAlmostEqual(0.5, self.passed(5.0, 9.0))

    def test_a_look_at_no_time_changes_nothing(self):
        self.assertEqual(0.0, self.passed(0.0, 0.0))


class MomentTests(unittest.TestCase):
    def test_a_span_in_a_quiet_computer_counts_wholly(self):
        self.assertAlmostEqual(5.0, pressure.passed(pressure.Moment(100.0, 7.0), pressure.Moment(105.0, 7.0)))

    def test_a_span_of_which_the_host_took_all_counts_as_a_tenth(self):
        self.assertAlmostEqual(0.5, pressure.passed(pressure.Moment(100.0, 7.0), pressure.Moment(105.0, 12.0)))

    def test_what_is_counted_late_is_taken_from_the_whole_span(self):
        moments = [pressure.Moment(100.0 + at, 0.0 if at < 5 else 4.0) for at in range(6)]
        self.assertAlmostEqual(1.0, pressure.passed(moments[0], moments[-1]))

    def test_now_is_a_moment_of_the_day_with_what_the_host_has_taken(self):
        with mock.patch.object(pressure, "stolen", lambda: 7.0), mock.patch.object(pressure.time, "monotonic", lambda: 100.0):
            now = pressure.moment()
        self.assertEqual((100.0, 7.0), (now, now.taken))


class WaitedTests(unittest.TestCase):
    def test_the_first_line_counts_in_microseconds(self):
        with tempfile.NamedTemporaryFile("w", suffix="cpu") as file:
            file.write("some avg10=91.86 avg60=53.09 avg300=31.64 total=11186171403\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n")
            file.flush()
            self.assertAlmostEqual(11186.171403, pressure.waited(file.name))

    def test_a_kernel_that_does_not_count_has_nobody_wait(self):
        self.assertEqual(0.0, pressure.waited("/nowhere"))

    def test_what_the_host_took_counts_in_the_mean_of_the_processors(self):
        with tempfile.NamedTemporaryFile("w", suffix="stat") as file:
            file.write("cpu  1 2 3 4 5 6 7 900 0 0\ncpu0 1 2 3 4 5 6 7 600 0 0\ncpu1 1 2 3 4 5 6 7 300 0 0\nintr 5 6\n")
            file.flush()
            self.assertAlmostEqual(450 / os.sysconf("SC_CLK_TCK"), pressure.stolen(file.name))
        self.assertEqual(0.0, pressure.stolen("/nowhere"))
        self.assertGreaterEqual(pressure.lacked(), pressure.stolen())

    def test_more_programs_than_processors_slow_it(self):
        clock = pressure.Clock()
        programs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(3 * os.cpu_count())]
        try:
            begin, since = clock.now(), time.monotonic()
            time.sleep(3)
            passed, gone = clock.now() - begin, time.monotonic() - since
        finally:
            for each in programs:
                each.kill()
                each.wait()
        counts = os.path.exists(pressure.PATH)
        self.assertLess(passed, gone * (0.6 if counts else 1.1))


if __name__ == "__main__":
    unittest.main()
