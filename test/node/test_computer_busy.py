"""How busy the owner's computer is: two thresholds with a time for each, what a look counts, and that own jobs never count, by this machine's own kernel."""
import os
import random
import statistics
import subprocess
import unittest
from unittest import mock

import samples  # noqa: F401

from wow.computer import busy


class Busy(unittest.TestCase):
    def test_two_thresholds_and_a_time_for_each(self):
        level, went = busy.Level(), []
        for second, share in enumerate([0.5] * 59 + [0.1] * 10 + [0.5] * 62 + [0.1] * 600 + [0.01] * 250 + [0.06] * 10 + [0.01] * 302 + [0.19] * 100):
            was = level.is_busy
            if level.take(share, float(second)) != was:
                went.append(second)
        self.assertEqual(went, [129, 1291], "it flaps, or one time is not kept")

    def test_whatever_comes_it_changes_at_most_once_in_the_longer_time(self):
        chance, level, changed = random.Random(6), busy.Level(), []
        for second in range(100_000):
            was = level.is_busy
            if level.take(chance.choice((0.0, 0.04, 0.1, 0.3, 0.9)) if second % 700 > 400 else chance.choice((0.0, 0.5)) if second % 3 else 0.5, float(second)) != was:
                changed.append(second)
        self.assertTrue(all(later - former >= busy.RISE for former, later in zip(changed, changed[1:])))

    def measured(self, *looks, counted=lambda: (0, 0), works=True):
        given = iter(looks)
        measure = busy.Measure(lambda: next(given), counted)
        for place in range(len(looks)):
            measure.round(works, place * 10.0)
        return measure

    def test_the_share_is_of_the_last_looks_together(self):
        self.assertEqual(self.measured((0.05, 0.0), (0.05, 0.05)).share, 1 / 3)
        self.assertEqual(self.measured(*[(0.0, 0.05)] * 9, *[(0.05, 0.0)] * busy.LOOKS).share, 0.0)
        self.assertTrue(self.measured(*[(0.05, 0.05)] * 8).is_busy)

    def test_what_the_hypervisor_tells_counts_where_it_is_more(self):
        told = iter([(1000, 0), (1300, 100), (1310, 105)])
        measure = busy.Measure(lambda: (0.05, 0.0), lambda: next(told))
        shares = []
        for second in (0.0, 10.0, 20.0):
            measure.round(True, second)
            shares.append(measure.share)
        self.assertEqual(shares, [0.0, 0.25, 0.0], "the first has nothing before it, and fifteen ticks are too few")
        self.assertEqual(len(busy.ticks()), 2)

    def test_nothing_is_measured_while_no_job_runs_but_to_see_that_a_busy_time_is_over(self):
        looked = []
        measure = busy.Measure(lambda: (looked.append(1), (0.05, 0.05))[1], lambda: (0, 0))
        measure.round(False, 0.0)
        self.assertEqual((looked, measure.share), ([], None))
        for second in range(0, 80, 10):
            measure.round(True, float(second))
        count = len(looked)
        measure.round(False, 90.0)
        self.assertEqual((measure.is_busy, len(looked)), (True, count + 1))

    def test_where_the_program_may_not_run_before_others_it_says_nothing(self):
        with mock.patch.object(busy.os, "sched_setscheduler", side_effect=PermissionError(1, "no")):
            self.assertIsNone(busy.look())
        self.assertIsNone(self.measured(None).share)

    def test_what_a_look_counts_by_a_clock_of_the_test(self):
        now, steps = [0.0], iter([0.0001] * 20 + [0.004] + [0.0001] * 100_000)

        def clock():
            now[0] += next(steps)
            return now[0]
        with mock.patch.object(busy.os, "sched_setscheduler"):
            had, taken = busy.look(clock, lambda _: None)
        self.assertAlmostEqual(taken, 0.004)
        self.assertAlmostEqual(had, busy.WANTS * busy.TIMES, delta=0.001)
        with mock.patch.object(busy.os, "sched_setscheduler"):
            now[0], far = 0.0, iter(range(1000))
            self.assertLessEqual(busy.look(lambda: float(next(far)), lambda _: None)[1], busy.MOST + 1)


HOG = "import os\nos.nice(19)\nprint(flush=True)\nwhile True: pass"
FIRST = """import os, time
os.sched_setaffinity(0, {%d})
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(2))
print(flush=True)
while True:
    end = time.monotonic() + 0.006
    while time.monotonic() < end: pass
    time.sleep(0.004)
"""
"""Takes 60 % of a processor from whatever else wants it, as a computer takes it from its guest."""


class OwnLoad(unittest.TestCase):
    """The measure itself, on this machine's kernel; as root, for it runs before others."""

    def shares(self, *programs):
        """Of looks while these programs run, which each says, for its priority may be that of the tests from the start."""
        begun = [subprocess.Popen(["python3", "-S", "-c", program], stdout=subprocess.PIPE) for program in programs]
        try:
            for one in begun:
                one.stdout.readline()
            looks = [busy.look() for _ in range(9)]
        finally:
            for one in begun:
                one.kill()
                one.communicate()
        self.assertNotIn(None, looks, "run the tests as root, where SCHED_FIFO may be had")
        self.assertEqual(os.sched_getscheduler(0), os.SCHED_OTHER)
        return statistics.median(taken / (had + taken) for had, taken in looks)

    def test_own_processors_that_jobs_saturate_are_not_busy(self):
        self.assertLess(self.shares(*[HOG] * 2 * (os.cpu_count() or 1)), busy.LOW)

    def test_a_processor_that_is_taken_away_is_seen(self):
        allowed_now = os.sched_getaffinity(0)
        place = min(allowed_now)
        os.sched_setaffinity(0, {place})
        try:
            self.assertGreater(self.shares(FIRST % place), busy.HIGH)
        finally:
            os.sched_setaffinity(0, allowed_now)
