import io
import unittest

import lab_path  # noqa: F401
import samples
import figures
import job
import memory
import sites
import stamp
from pools import Progress, conf
from timeline import Timeline


class ReportTests(unittest.TestCase):
    def test_the_timeline_counts_from_each_machine_s_own_power_on_and_keeps_the_first_time(self):
        timeline = Timeline()
        timeline.power("alpha", 100.0)
        timeline.power("beta", 110.0)
        timeline.note("alpha", "ring", 105.04)
        timeline.note("alpha", "ring", 199.0)
        timeline.note("beta", "ring", 112.5)
        self.assertEqual({"alpha": {"ring": 5.0}, "beta": {"ring": 2.5}}, timeline.as_json())
        self.assertEqual(["seconds from power-on  alpha  beta", "ring                     5.0   2.5"], timeline.table())

    def test_a_job_must_run_elsewhere_end_well_and_name_its_machine(self):
        good = {"job": 0, "exit": 0, "host": "beta", "output": "pi on beta"}
        self.assertEqual([], job.check([good], "alpha"))
        for change, words in (({"exit": 1}, "ended with 1"), ({"host": "alpha", "output": "alpha"}, "forbid"), ({"output": ""}, "does not name beta")):
            self.assertIn(words, job.check([{**good, **change}], "alpha")[0])

    def test_memory_in_use_is_what_is_not_available(self):
        self.assertEqual(87, memory.used_mib("MemTotal:  744000 kB\nMemFree: 1 kB\nMemAvailable:  654912 kB\nHugePages_Total:       0\n"))

    def test_a_machine_of_the_lab_has_a_name_and_records_its_tap(self):
        facts = conf.Facts("lab", sites.SUBNET, f"{sites.MANAGER.public}:{sites.OVERLAY_PORT}", samples.SECRET, samples.sections()["ca"]["certificate"])
        worker = stamp.pool_conf(sites.ALPHA, facts, {"alice": samples.ssh_key()}, "1:2")
        manager = stamp.pool_conf(sites.MANAGER, facts, {}, "1:2")
        self.assertIn(f"[user:alice]\nauthorized-key = {samples.ssh_key()}\n", worker)
        self.assertIn("host = alpha\ncapture = yes\n", worker)
        self.assertIn("role = manager\nhost = manager\ncapture = yes\n", manager)
        self.assertNotIn("1:2", manager)

    def test_a_figure_that_misses_its_goal_or_was_not_measured_says_so(self):
        found = {entry["key"]: entry["met"] for entry in figures.as_json({"ram_mib": 131, "jobs_s": 15}, "1a2b, TCG")["figures"]}
        self.assertEqual((False, True, None), (found["ram_mib"], found["jobs_s"], found["ova_mb"]))
        self.assertTrue(any(line.split()[-3:] == ["131", "<=", "130"] for line in figures.table({"ram_mib": 131})))

    def test_progress_shows_the_seconds_since_the_beginning(self):
        clock = iter((10.0, 12.5))
        out = io.StringIO()
        Progress(out, lambda: next(clock))("hello")
        self.assertEqual("[   2.5 s] hello\n", out.getvalue())


if __name__ == "__main__":
    unittest.main()
