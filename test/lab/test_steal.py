import os
import unittest

import lab_path  # noqa: F401
import steal


class ClockTests(unittest.TestCase):
    """Time is the test's own, and so is what threads have waited."""

    def setUp(self):
        self.real, self.waited = 100.0, {1: {"vcpu": 5.0, "main": 9.0}, 2: {"vcpu": 0.0}}
        self.clock = steal.Clock(lambda pid: dict(self.waited.get(pid, {})), lambda: self.real)
        for pid in (1, 2):
            self.clock.watch(pid)

    def passes(self, seconds, **stolen):
        """So many seconds go by, of which threads of the first machine wait for so many each; what passes on the clock."""
        before = self.clock.now()
        self.real += seconds
        for thread, waited in stolen.items():
            self.waited[1][thread] = self.waited[1].get(thread, 0.0) + waited
        return self.clock.now() - before

    def test_it_goes_as_time_does_while_no_machine_waits_for_a_processor(self):
        self.assertAlmostEqual(self.passes(10), 10)

    def test_what_the_worst_off_thread_waited_does_not_pass(self):
        self.assertAlmostEqual(self.passes(10, vcpu=7, main=2), 3)
        self.assertAlmostEqual(self.passes(10, new=4), 6)

    def test_the_worst_off_machine_counts_and_not_the_sum_of_all(self):
        before = self.clock.now()
        self.real += 10
        self.waited[1]["vcpu"] += 3
        self.waited[2]["vcpu"] += 4
        self.assertAlmostEqual(self.clock.now() - before, 6)

    def test_it_never_stands_so_that_a_wait_ends(self):
        self.assertAlmostEqual(self.passes(10, vcpu=10), 10 * steal.SLOWEST)

    def test_a_machine_that_ended_counts_no_more(self):
        self.waited[1].clear()
        self.assertAlmostEqual(self.passes(10), 10)

    def test_what_was_before_a_machine_was_watched_does_not_count(self):
        self.waited[3] = {"vcpu": 50.0}
        self.clock.watch(3)
        self.assertAlmostEqual(self.passes(10), 10)

    def test_the_kernel_counts_what_this_program_waited(self):
        found = steal.delays(os.getpid())
        self.assertTrue(found and all(waited >= 0 for waited in found.values()), found)
        self.assertEqual(steal.delays(2**22 + 1), {})


if __name__ == "__main__":
    unittest.main()
