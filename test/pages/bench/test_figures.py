"""The goals of the pages' bench, and the pool that it plays in."""
import json
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), *(str(HERE.parents[1] / name) for name in ("", "netns", "vm", "pool"))]

import figures  # noqa: E402
import played  # noqa: E402

MEASURED = {
    "node": {"asleep": [0.6, 0.9, 0.65], "awake": [0.002, 0.06, 0.001], "processes": 0},
    "pause": {"stops": [0.1, 2.1, 0.2], "goes_on": [0.3, 0.4, 0.2]},
    "pool": {"view_ms": {"/pool": 12.0, "/pool/jobs": 51.0}, "kb": {"/pool": 30.0, "/pool/jobs": 20.0}, "memory": {"now": 30.0, "pss": 20.0, "most": 40.0},
             "first": {"/pool": [0.2, 0.3], "/pool/jobs": [1.5, 1.7]}, "again": {"/pool": [0.1, 0.2], "/pool/jobs": [0.1, 0.1]}, "snapshot": [0.2, 0.5, 0.25],
             "wow_pool": {"before": 20.0, "most": 60.0}}}


class Goals(unittest.TestCase):
    def test_the_median_counts_of_rounds_and_the_worst_of_pages(self):
        found = {one["figure"]: (one["reached"], one["met"]) for one in figures.figures({name: {"commit": "c0ffee", **part} for name, part in MEASURED.items()})}
        for words, wanted in (("first byte asleep", ("0.65", True)), ("awake", ("0.002", True)), ("a view", ("51", False)), ("each page", ("pool 12 jobs 51 ms", None)),
                              ("at most, MB", ("40", True)), ("bytes", ("30", True)), ("first, the slowest", ("1.6", False)), ("again, the slowest", ("0.15", True)),
                              ("a snapshot", ("0.25", True)), ("processes", ("0", True)),
                              ("stand still", ("2.1", False)), ("go on", ("0.4", True))):
            self.assertEqual([wanted], [reached for figure, reached in found.items() if words in figure], words)

    def test_what_was_not_measured_has_no_figures(self):
        self.assertEqual([], figures.figures({}))


class Played(unittest.TestCase):
    def test_a_pool_has_so_many_machines_and_jobs(self):
        ads = json.loads(played.ads())
        self.assertEqual(played.MACHINES, len({ad["Machine"] for ad in ads if ad["MyType"] == "Machine"}))
        self.assertEqual(10_000, sum("RemoteOwner" in ad for ad in ads))
        self.assertEqual(10_000, sum(ad["RunningJobs"] for ad in ads if ad["MyType"] == "Submitter"))


if __name__ == "__main__":
    unittest.main()
