import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from runner import document as module  # noqa: E402

CLONE = pathlib.Path(__file__).resolve().parents[2]


class Tables(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text if isinstance(text, str) else json.dumps(text))

    def test_the_ledger_has_each_stage_and_a_dash_for_what_was_not_told(self):
        self.write(module.TIMES, "# 1a2b, A\nstage lane passed failed time\nbuild      computes      1      0     12.6 s   20.4 s\nnew  waits  2  1  3.0 s\nall     3      1     90.2 s  44.0 s\n")
        self.assertEqual(module.times(self.root).splitlines()[2:], [
            "| build | 1 | 0 | 13 s | 20 s |", "| new | 2 | 1 | 3 s | - |", "| all | 3 | 1 | 90 s | 44 s |", "", "Measured: 1a2b, A."])

    def test_a_ledger_that_names_no_commit_says_so(self):
        self.write(module.TIMES, "build      computes      1      0     12.6 s   20.4 s\n")
        self.assertIn("did not say", module.times(self.root).splitlines()[-1])

    def test_a_run_that_was_not_kept_is_said(self):
        self.assertEqual(module.times(self.root), module.NOTHING)
        self.assertEqual(module.wow(self.root), module.NOTHING)

    def test_the_ledger_reads_what_the_runner_writes(self):
        self.assertEqual(module.STAGE_LINE.findall(f"{'netns-alone':26}{'alone':10}{7:7}{0:7}{84.2:9.1f} s{9.5:10.1f} s\n{'all':36}{7:7}{0:7}{84.2:9.1f} s"),
                         [("netns-alone", "7", "0", "84.2", "9.5"), ("all", "7", "0", "84.2", "")])

    def test_a_goal_that_was_not_kept_stands_out(self):
        self.write(module.WOW, {"origin": "1a2b, A", "figures": [{"key": "a", "figure": "login, s", "reached": 30.5, "goal": 23, "met": False}]})
        self.assertEqual(module.wow(self.root).splitlines()[2:], ["| login, s | 23 | 30.5 | **no** |", "", "Measured: 1a2b, A."])

    def test_the_bench_has_medians_and_a_dash_for_what_a_peer_was_not_asked(self):
        self.write(module.BENCH, {
            "seconds": 2, "words": {"rtt_ms": "round trip, ms", "tcp": "TCP, Mb/s", "new": "of a later bench"},
            "rounds": [{"socat": {"rtt_ms": 1}, "wow": {"rtt_ms": number, "tcp": number, "path": "x"}} for number in (1, 9, 3)]})
        self.assertEqual(module.bench(self.root).splitlines(), [
            "| median of 3 rounds of 2 s | socat | wow |", "|---|---|---|", "| round trip, ms | 1 | 3 |", "| TCP, Mb/s | - | 3 |"])

    def test_a_goal_of_the_bench_stands_with_each_round(self):
        self.write(module.BENCH, {"goals": [{"figure": "TCP, median", "goal": ">= 2.5", "reached": "1.9", "met": False, "rounds": [1.9, 2.0]}]})
        self.assertEqual(module.bench_goals(self.root).splitlines()[-1], "| TCP, median | >= 2.5 | 1.9 | **no** | 1.9 2 |")

    def test_the_bench_says_what_it_measured_and_on_what(self):
        self.write(module.BENCH, {"machine": {"model": "A", "instructions": ["aes", "vaes"], "sealer": "lib"}, "origin": {"words": "the program, commit 1"}})
        self.assertEqual(module.bench_origin(self.root), "A with aes, vaes; seals by lib;\nthe program, commit 1.")

    def test_a_figure_of_the_pool_stands_with_its_goal_and_rounds(self):
        self.write(module.POOL, {"figures": [
            {"figure": "match, s", "goal": "<= 10", "reached": "4.5", "met": True, "rounds": [4, 4.5], "commit": "a1"},
            {"figure": "of that", "goal": "", "reached": "3 s", "met": None, "rounds": [], "commit": "a1"},
            {"figure": "more", "goal": "", "reached": "3 s", "met": None, "rounds": [6, 5, 4, 3, 2, 1], "commit": "a1"}]})
        self.assertEqual(module.pool(self.root).splitlines()[2:], ["| match, s | <= 10 | 4.5 | yes | 4 4.5 | a1 |", "| of that |  | 3 s |  |  | a1 |",
                                                                   "| more |  | 3 s |  | 6 from 1 to 6 | a1 |"])

    def test_the_simulator_s_figures_with_a_goal_stand_there(self):
        one = {"scenario": "idle", "nodes": 1000, "figure": "hops", "unit": "", "goal": "<= 50", "reached": 4.8, "met": True}
        self.write(module.SIM, {"figures": [one, {**one, "goal": ""}, {**one, "unit": "B/s", "reached": 1505.57}]})
        self.assertEqual(module.sim(self.root).splitlines()[2:], ["| idle | 1,000 | hops | <= 50 | 4.8 | yes |", "| idle | 1,000 | hops | <= 50 | 1,510 B/s | yes |"])

    def test_the_run_is_kept_as_it_was_told(self):
        (self.root / "docs/performance").mkdir(parents=True)
        self.write(module.REPORT, {"run": ["Timeline", "  ring 1"]})
        self.assertEqual(module.keep(self.root), [module.RUN])
        self.assertEqual(module.run(self.root), "    Timeline\n      ring 1")

    def test_a_line_of_the_run_that_is_too_long_goes_on_in_the_next_one(self):
        long = "  alpha-wan: " + ", ".join(f"{number} packets" for number in range(20))
        (self.root / "docs/performance").mkdir(parents=True)
        self.write(module.RUN, f"  ring  1   2\n{long}\n")
        first, *rest = module.run(self.root).splitlines()
        self.assertEqual(first, "      ring  1   2")
        self.assertEqual(len(rest), 2)
        self.assertTrue(all(len(line) <= module.WIDTH for line in rest) and rest[1].startswith(" " * 10))
        self.assertEqual(" ".join(" ".join(rest).split()), long.strip())

    def test_the_long_parts_say_their_commit(self):
        ran = {"verdict": "passed", "passed": 2, "failed": 0, "seconds": 61, "commit": "a" * 40, "clean": False,
               "figures": [{"figure": "lost", "goal": "0", "reached": "0", "met": True}]}
        self.write(module.LONG, {"parts": {"long-grid": ran, "long-vm": {"verdict": "not run"}}})
        self.assertEqual(module.long_parts(self.root).splitlines()[2:],
                         ["| long-grid | passed | 2 / 0 | 61 s | aaaaaaaaaa and changes |", "| long-vm | not run | - | - | - |"])
        self.assertEqual(module.long_figures(self.root).splitlines()[2:], ["| long-grid | lost | 0 | 0 | yes |"])

    def test_a_document_without_a_table_is_refused(self):
        with self.assertRaises(module.Unknown):
            module.written(self.root, "README.md", "# WOW\n")

    def test_the_files_of_a_run_are_kept(self):
        (self.root / "docs/performance").mkdir(parents=True)
        self.write("build/out/test/times.txt", "all 1 0 1.0 s\n")
        self.assertEqual(module.keep(self.root), [module.TIMES])
        self.assertEqual((self.root / module.TIMES).read_text(), "all 1 0 1.0 s\n")


class OfThisClone(unittest.TestCase):
    def test_the_tables_of_the_documents_are_what_the_files_say(self):
        for name in module.DOCUMENTS:
            text = (CLONE / name).read_text(encoding="utf-8")
            self.assertEqual(module.written(CLONE, name, text), text, f"{name}: run: test/figures --write")


if __name__ == "__main__":
    unittest.main()
