import datetime
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from runner import long as module  # noqa: E402
from runner.counts import Count, from_last_line  # noqa: E402
from runner.lanes import Result, disorder  # noqa: E402
from runner.stages import long_stages  # noqa: E402

CLONE = pathlib.Path(__file__).resolve().parents[2]
GOOD, BAD = Result(Count(3, 0), 61.4, None), Result(Count(2, 1), 5.0, "1 failed")


class Kept(unittest.TestCase):
    """A clone with one commit."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "docs").mkdir()
        self.path = self.root / module.NAME
        self.git("init", "-q")
        self.commit("one")

    def git(self, *arguments):
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        return subprocess.run(["git", "-C", str(self.root), *who, *arguments], check=True, capture_output=True, text=True).stdout.strip()

    def commit(self, text):
        (self.root / "file").write_text(text)
        self.git("add", "-A")
        self.git("commit", "-qm", text)

    def record(self, name="long-grid", result=GOOD, figures=()):
        module.Record(self.root, ["long-grid", "long-vm"]).add(name, result, list(figures))

    def parts(self):
        return module.read(self.path)["parts"]

    def test_a_part_is_kept_with_commit_machine_and_verdict_and_the_others_are_not_run(self):
        self.record(figures=[module.figure("pairs connected", "100 %", "100 %", True)])
        entry = self.parts()["long-grid"]
        self.assertEqual((entry["commit"], entry["clean"], entry["verdict"], entry["seconds"]), (self.git("rev-parse", "HEAD"), True, "passed", 61))
        self.assertEqual(set(entry["machine"]), {"model", "processors", "memory_gib"})
        self.assertEqual(entry["figures"][0]["reached"], "100 %")
        self.assertEqual(self.parts()["long-vm"], {"verdict": "not run"})

    def test_a_part_replaces_its_own_entry_and_no_other_one(self):
        self.record("long-vm", BAD)
        first = self.parts()["long-vm"]
        self.commit("two")
        self.record("long-grid")
        self.assertEqual(self.parts()["long-vm"], first)
        self.assertNotEqual(self.parts()["long-grid"]["commit"], first["commit"])
        self.assertEqual((first["verdict"], first["why"]), ("failed", "1 failed"))

    def test_says_how_many_commits_old_each_part_is(self):
        self.record()
        for text in ("two", "three"):
            self.commit(text)
        self.assertEqual(module.ages(self.root), ["long-grid: passed, 2 commits old", "long-vm: not run"])

    def test_what_was_not_committed_is_told(self):
        (self.root / "file").write_text("changed")
        self.record()
        self.assertIn("not committed", module.ages(self.root)[0])

    def test_a_commit_of_another_history_is_refused(self):
        self.record()
        self.path.write_text(self.path.read_text().replace(self.parts()["long-grid"]["commit"], "0" * 40))
        with self.assertRaisesRegex(module.Malformed, "no commit that led to this one"):
            module.ages(self.root)

    def test_without_history_the_age_is_unknown(self):
        self.record()
        for text in ("two", "three"):
            self.commit(text)
        shallow = self.root / "shallow"
        self.git("clone", "-q", "--depth", "1", self.root.as_uri(), str(shallow))
        self.assertIn("of unknown age", module.ages(shallow)[0])

    def test_what_is_malformed_or_contradicts_itself_is_refused(self):
        self.record()
        good = self.path.read_text()
        for old, new in (('"passed": 3', '"passed": 0'), ('"failed": 0', '"failed": 1'), ('"verdict": "passed"', '"verdict": "fine"'), ('"clean"', '"cleanly"'),
                         ('"parts"', '"part"'), ("{", "")):
            self.assertIn(old, good)
            self.path.write_text(good.replace(old, new))
            with self.assertRaises(module.Malformed, msg=new):
                module.read(self.path)


class Sources(unittest.TestCase):
    def file(self, what):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name, "figures.json")
        path.write_text(json.dumps(what))
        return path

    def test_the_simulators_goals_are_counted(self):
        def one(reached, met):
            return {"scenario": "day", "nodes": 1000, "figure": "lost", "unit": "records", "goal": "0", "reached": reached, "met": met}

        path = self.file({"figures": [one(0, True), one(2, False), one(None, None)], "processor_s": 12.5, "processor_limit_s": None})
        self.assertEqual(module.from_sim(path)[1], {"figure": "day, 1,000 nodes: lost", "goal": "0", "reached": "2 records", "met": False})
        self.assertEqual(module.goals(lambda: module.from_sim(path))(""), Count(1, 1))

    def test_a_simulation_with_a_limit_is_judged_by_the_processor_time_that_it_took(self):
        for took, met in ((1100.0, True), (1300.0, False)):
            path = self.file({"figures": [], "processor_s": took, "processor_limit_s": 1200})
            self.assertEqual(module.from_sim(path), [{"figure": "processor time of the run", "goal": "<= 1200", "reached": f"{took:g} s", "met": met}])

    def test_a_simulation_that_wrote_nothing_has_no_count(self):
        self.assertIsNone(module.goals(lambda: module.from_sim(pathlib.Path("/nowhere/sim.json")))(""))

    def test_medians_of_the_bench(self):
        path = self.file({"rounds": [{"wow": {"tcp_mbits": number, "path": "x"}} for number in (1, 5, 3)], "goals": []})
        self.assertEqual(module.from_bench(path), [module.figure("tcp_mbits", "3")])

    def test_a_goal_that_the_bench_missed_is_counted_beside_what_it_measured(self):
        goal = {"figure": "TCP to a peer, median", "goal": ">= 2.5", "reached": "2.28", "met": False, "rounds": [2.28]}
        path = self.file({"rounds": [{"wow": {"tcp_mbits": 1}}], "goals": [goal, goal | {"figure": "resident, MB", "met": True}]})
        count = module.with_goals(from_last_line, lambda: module.from_bench(path))
        self.assertEqual(count("ok\n3 passed, 0 failed\n"), Count(4, 1))
        self.assertIsNone(count("it broke\n"))
        self.assertIsNone(module.with_goals(from_last_line, lambda: module.from_bench(path.with_name("none")))("3 passed, 0 failed"))

    def test_a_bench_of_pools_fails_by_a_part_that_was_not_measured_and_by_a_goal_that_was_missed(self):
        def figures(*met):
            return self.file({"figures": [{"figure": "the same, worst, s", "goal": "<= 15", "reached": "6.73", "met": one, "rounds": [5.5, 6.7], "commit": "a"} for one in met]})
        path = figures(True, None)
        self.assertEqual(module.from_parts(path), [module.figure("the same, worst, s", "6.73", "<= 15", one) for one in (True, None)])
        for met, log, counted in (((True, None), "ok\n9 passed, 0 failed\n", Count(10, 0)), ((True, False), "9 passed, 0 failed\n", Count(10, 1)),
                                  ((True,), "8 passed, 1 failed\n", Count(9, 1)), ((True,), "Killed\n", None)):
            path = figures(*met)
            self.assertEqual(counted, module.with_goals(from_last_line, lambda path=path: module.from_parts(path))(log))
        self.assertIsNone(module.with_goals(from_last_line, lambda: module.from_parts(pathlib.Path("/nowhere/bench.json")))("9 passed, 0 failed\n"))

    def test_figures_of_a_log(self):
        log = "ok  a\nfigure: longest gap: of TCP: 1.5 s\nfigure: wake-ups: 2 \n1 passed, 0 failed\n"
        self.assertEqual(module.from_log(log), [module.figure("longest gap: of TCP", "1.5 s"), module.figure("wake-ups", "2")])

    def test_the_seed_is_the_date(self):
        self.assertEqual(module.seed(datetime.date(2026, 2, 3)), "20260203")


class OfThisClone(unittest.TestCase):
    def test_the_plan_of_the_long_tests_can_be_met(self):
        plan = long_stages(CLONE, datetime.date(2026, 1, 1))
        self.assertEqual(disorder(plan), [])
        self.assertEqual({stage.name: stage.missing for stage in plan if stage.missing}, {})

    def test_the_last_long_run_is_known_and_its_age_is_told(self):
        names = [stage.name for stage in long_stages(CLONE, datetime.date(2026, 1, 1)) if stage.name.startswith("long-")]
        self.assertEqual(list(module.read(CLONE / module.NAME)["parts"]), names)
        print(f"{module.NAME}: " + "; ".join(module.ages(CLONE)))


if __name__ == "__main__":
    unittest.main()
