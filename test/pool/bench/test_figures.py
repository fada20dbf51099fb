import argparse
import json
import pathlib
import sys
import tempfile
import types
import unittest
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent
TEST = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent), str(TEST / "netns"), str(TEST / "vm"), str(TEST)]

import figures  # noqa: E402
import looking  # noqa: E402
from runner.measured import former  # noqa: E402

MEASURED = {
    "creating": {"seconds": [9.0, 61.5], "megabytes": 280}, "first": {"on": [3.0, 4.0, 16.0], "address": [2.0, 3.0, 15.0]},
    "deputy": {"next": [20.0, 30.0], "lost": 1, "managers": 1}, "cut": {"seconds": 700, "jobs": 20, "lost": 0, "anew": 2, "slowest": 38.5},
    "memory": {"alpha": {"wow-agent": 5.0, "wow-jobs": 8.4}, "manager": {"wow-pool": 12.0}},
    "thousand": {"machines": 1000, "seconds": 300, "core": 0.25, "by": {"collector": 0.1, "negotiator": 0.15}, "megabytes": 200},
    "idle": {"seconds": 600, "interval": 300, "sends": 120.5, "hears": 30.0, "packets": 12.0},
    "rate": {"wow": [5.0, 6.0], "debian": [5.0, 5.0], "ratio": [0.9, 1.0], "median": 0.96, "processor": {"wow": [320, 300, 330], "debian": [290]}},
    "pause": {"stops": [0.3, 2.1], "goes_on": [0.2, 0.4]}, "back": {"on": [9.0], "address": [8.0]}}


class Goals(unittest.TestCase):
    def setUp(self):
        self.found = {one["figure"]: one for one in figures.figures({name: {"commit": "c0ffee", **part} for name, part in MEASURED.items()})}

    def met(self, begin):
        (one,) = [one for words, one in self.found.items() if words.startswith(begin)]
        return one["reached"], one["met"]

    def test_the_median_and_the_worst_have_goals_of_their_own(self):
        self.assertEqual(("4", True), self.met("machine switched on"))
        self.assertEqual(("16", False), self.met("the same, worst"))

    def test_the_worst_round_counts(self):
        self.assertEqual(("61.5", False), self.met("`wow pool create`"))
        self.assertEqual(("30", True), self.met("manager killed, back at once"))
        self.assertEqual(("2.1", False), self.met("`wow pause`"))
        self.assertEqual(("0.4", True), self.met("`wow resume`"))

    def test_what_an_idle_machine_sends_has_a_goal(self):
        self.assertEqual(("120", False), self.met("an idle machine of a thousand"))

    def test_a_job_that_is_lost_or_begins_anew_misses_the_goal(self):
        self.assertEqual(("1", False), self.met("jobs that ran meanwhile"))
        self.assertEqual(("0", True), self.met("20 jobs over a cut of 700 s"))
        self.assertEqual(("2", False), self.met("of them started anew"))

    def test_a_ratio_is_to_be_no_less(self):
        self.assertEqual(("0.96", True), self.met("jobs a second by one schedd"))

    def test_what_a_job_costs_the_processor_stands_beside_the_ratio_where_it_was_counted(self):
        self.assertEqual(("320; 290 ms", None), self.met("processor time a job"))
        rate = {name: value for name, value in MEASURED["rate"].items() if name != "processor"}
        self.assertEqual(2, len(figures.figures({"rate": {"commit": "c0ffee", **rate}})))

    def test_the_agent_s_memory_has_a_goal_and_others_have_none(self):
        self.assertEqual(("8.4", False), self.met("wow-jobs on alpha"))
        self.assertEqual(("12 MB", None), self.met("wow-pool on manager"))

    def test_what_was_not_counted_is_no_figure(self):
        self.assertEqual([], figures.figures({"idle": {"commit": "c0ffee", **dict.fromkeys(MEASURED["idle"], None)}}))
        self.assertEqual(("0.25", False), self.met("manager with 1,000"))

    def test_each_figure_has_the_commit_of_its_part(self):
        self.assertEqual({"c0ffee"}, {one["commit"] for one in self.found.values()})

    def test_a_line_says_what_was_missed(self):
        lines = figures.lines(list(self.found.values()))
        self.assertEqual(len(self.found) + 1, len(lines))
        self.assertIn("NO  rounds [3.0, 4.0, 16.0]", next(line for line in lines if line.startswith("the same, worst")))


class Former(unittest.TestCase):
    def begin(self, wrote):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "bench.json")
            if wrote:
                file.write_text(json.dumps(wrote), encoding="utf-8")
            return former(file, {"model": "b"})

    def test_parts_of_the_same_machine_are_kept(self):
        self.assertEqual({"first": 1}, self.begin({"machine": {"model": "b"}, "parts": {"first": 1}}))

    def test_parts_of_another_machine_are_not(self):
        self.assertEqual({}, self.begin({"machine": {"model": "c"}, "parts": {"first": 1}}))
        self.assertEqual({}, self.begin(None))


class Looking(unittest.TestCase):
    def test_starts_are_counted_by_the_log_s_own_lines(self):
        job = argparse.Namespace(machine=None, user="alice", name="job1")
        said = "000 (1.0.0) submitted\n001 (1.0.0) executing\n\t001 (no event)\n...\n001 (1.0.0) executing\n"
        with mock.patch.object(looking, "text", return_value=said):
            self.assertEqual(2, looking.starts(job))

    def test_a_match_is_of_this_job_on_a_manager_that_is_on(self):
        def pool(*are_on):
            return types.SimpleNamespace(managers=[types.SimpleNamespace(is_on=is_on) for is_on in are_on])
        job = types.SimpleNamespace(number="7.0")
        with mock.patch.object(looking, "text", return_value="11/25 Matched 17.0 alice\n11/25 Matched 7.0 alice\n"):
            self.assertTrue(looking.is_matched(pool(False, True), job))
            self.assertFalse(looking.is_matched(pool(False, False), job))
            self.assertFalse(looking.is_matched(pool(), job))


if __name__ == "__main__":
    unittest.main()
