import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parents[1])]

import clock  # noqa: E402
import figures  # noqa: E402

MEASURED = {
    "sizes": {"base": 88.8, "ova": 131.0}, "tests": {"seconds": 270.0}, "home": {"seconds": {"8": [10.0, 10.0, 10.0], "64": [10.5, 12.0, 10.6]}},
    "login": {"seconds": {"1": {"now": [9.9, 12.0, 9.8], "before": [10.0, 10.0, 10.0]}, "2": {"now": [5.0]}}},
    "work": {"postmark": {"home": [11.0], "plain": [10.0]}, "fio": {"home": [10.0], "plain": [10.0]}, "dbench": {"home": [97.0], "plain": [100.0]},
             "job": {"home": [1000.0], "plain": [985.0]}},
    "stack": {"login": {"1": {"with": [12.0, 12.5, 20.0], "without": [10.0, 10.0, 10.0]}, "2": {"with": [13.0], "without": [10.0]}}, "initrd": {"with": 190, "without": 226},
              "reads": {"tree": {"layers": [100.0], "plain": [84.0]}, "fio": {"layers": [100.0], "plain": [99.0]},
                        "postmark": {"layers": [100.0], "plain": [94.0]}}},
    "stamp": {"processor": {"wow.ova": [0.4, 1.2], "wow.qcow2": [0.1, 0.1]}, "clock": {"wow.ova": [2.0, 3.0], "wow.qcow2": [0.5, 0.5]}}}


class Goals(unittest.TestCase):
    def setUp(self):
        self.found = {one["figure"]: one for one in figures.figures({name: {"commit": "c0ffee", **part} for name, part in MEASURED.items()})}

    def met(self, begin):
        (one,) = [one for words, one in self.found.items() if words.startswith(begin)]
        return one["reached"], one["met"]

    def test_sizes_have_goals(self):
        self.assertEqual((("88.8", True), ("131", False)), (self.met("base layer"), self.met("OVA")))

    def test_of_logins_beside_the_commit_before_the_median_counts(self):
        self.assertEqual(("0.99", True), self.met("power-on to login, 1 vCPU, to the commit before"))
        self.assertEqual(("9.9 and 10 s", None), self.met("power-on to login, 1 vCPU, median of now and before"))

    def test_without_the_commit_before_there_is_no_ratio(self):
        self.assertEqual(("5 s", None), self.met("power-on to login, 2 vCPU"))

    def test_a_large_home_may_take_a_tenth_more(self):
        self.assertEqual(("1.06", True), self.met("first boot"))

    def test_what_takes_longer_is_less_and_what_does_more_is_more(self):
        self.assertEqual(("0.909", False), self.met("PostMark: home"))
        self.assertEqual(("1", True), self.met("fio, random reads and"))
        self.assertEqual(("0.97", True), self.met("dbench"))
        self.assertEqual(("0.985", False), self.met("a job that computes"))

    def test_what_modules_cost(self):
        self.assertEqual((("1.25", True), ("1.3", False)), tuple(self.met(f"power-on to login with three modules, {number}") for number in (1, 2)))
        self.assertEqual((("1.9", True), ("2.26", None)), (self.met("the initrd with"), self.met("the same without")))
        self.assertEqual((("0.94", False), ("0.99", True), ("0.84", None)), (self.met("PostMark: through"), self.met("fio, a lib"), self.met("R's 1,900")))

    def test_the_worst_stamp_counts(self):
        self.assertEqual((("1.2", False), ("0.1", True)), (self.met("stamp wow.ova"), self.met("stamp wow.qcow2")))
        self.assertEqual(("2.5 0.5 s", None), self.met("the same by the clock"))

    def test_the_tests_have_what_they_took_before_and_no_more_than_their_share(self):
        self.assertEqual(("124", False), self.met("the image's stage"))
        self.assertEqual([], figures.figures({"tests": {"commit": "c0ffee", "seconds": None}}))

    def test_each_figure_has_the_commit_of_its_part(self):
        self.assertEqual({"c0ffee"}, {one["commit"] for one in self.found.values()})

    def test_a_line_says_what_was_missed(self):
        lines = figures.lines(list(self.found.values()))
        self.assertEqual(len(self.found) + 1, len(lines))
        self.assertIn("NO  rounds [0.4, 1.2]", next(line for line in lines if line.startswith("stamp wow.ova")))


class Monitor:
    """A monitor that tells one value of the timer after the other."""

    def __init__(self, *ticks):
        self._ticks = list(ticks)

    def ask(self, *_, **__):
        return f"portl[0x0608] = {self._ticks.pop(0):#010x}\r\n"


class Time(unittest.TestCase):
    def test_a_timer_that_starts_over_is_counted_on(self):
        clocked = clock.Clock(Monitor(clock.ABSENT, clock.FREQUENCY, clock.FREQUENCY * 4, clock.FREQUENCY * 6 - clock.WRAPS, clock.FREQUENCY * 10 - 2 * clock.WRAPS))
        self.assertEqual([0, 1, 4, 6, 10], [clocked.seconds() for _ in range(5)])


if __name__ == "__main__":
    unittest.main()
