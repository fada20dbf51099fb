import contextlib
import importlib.machinery
import io
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from runner import stages as module  # noqa: E402
from runner.counts import Count  # noqa: E402
from runner.test_process import is_gone  # noqa: E402
from runner.lanes import ALONE, BESIDE, COMPUTES, MACHINES, SERVES, SLEEPS, SLOW_SECONDS, UNITS, WAITS, Lanes, Result, disorder  # noqa: E402

RUN = pathlib.Path(__file__).resolve().parents[1] / "run"


class Clone(unittest.TestCase):
    """A small clone with the runner in it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.git("init", "-q")
        self.git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "one")

    def git(self, *arguments):
        subprocess.run(["git", "-C", str(self.root), *arguments], check=True, capture_output=True)

    def write(self, name, text, executable=False):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if executable:
            path.chmod(0o755)
        return path


class Finding(Clone):
    def test_shell_scripts_by_first_line_or_suffix(self):
        self.write("a", "#!/bin/sh\n")
        self.write("b", "#!/bin/sh -e\n")
        self.write("c", "#!/usr/bin/env bash\n")
        self.write("d.sh", "# shellcheck shell=sh\n")
        self.write("e", "#!/usr/bin/python3\n")
        self.write("f", "no script\n")
        self.assertEqual(module.shell_scripts(self.root), ["a", "b", "c", "d.sh"])

    def test_python_test_folders(self):
        for name in ("test/lab/test_a.py", "test/lab/test_b.py", "test/node/deep/test_c.py", "test/node/other.py", "appliance/test_d.py"):
            self.write(name, "")
        self.assertEqual(module.python_test_folders(self.root), ["test/lab", "test/node/deep"])

    def test_a_folder_may_bring_its_own_way_to_run_its_unit_tests(self):
        self.write("test/node/run", "#!/bin/sh\n", executable=True)
        self.write("test/vm/run", "#!/bin/sh\n", executable=True)
        self.assertEqual(module.python_tests(self.root, "test/node"), [*module.IN_MEMORY, str(self.root / "test/node/run")])
        for folder in ("test/vm", "test/lab"):
            self.assertEqual(module.python_tests(self.root, folder)[-2:], ["test/runner/unit.py", folder])

    def test_what_unit_tests_write_goes_to_memory_and_its_place_is_gone_with_them(self):
        asks = 'import os, tempfile; f = tempfile.NamedTemporaryFile(delete=False); print(f.name, os.popen(f"stat -f -c %T {f.name}").read())'
        name, kind = subprocess.run([*module.IN_MEMORY, sys.executable, "-c", asks], capture_output=True, text=True, check=True).stdout.split()
        self.assertEqual((os.path.dirname(name), kind, os.path.exists(name)), ("/dev/shm", "tmpfs", False))
        ended = subprocess.run([*module.IN_MEMORY, "sh", "-c", 'exit "$1"', "sh", "7"], check=False)
        self.assertEqual(ended.returncode, 7)
        folders = set(module.python_test_folders(RUN.parents[1]))
        kept = {folder for folder in folders if tuple(module.python_tests(RUN.parents[1], folder)[:len(module.IN_MEMORY)]) == module.IN_MEMORY}
        self.assertEqual(folders - kept, {module.IMAGE_TOOLS})

    def test_links_are_no_files_of_the_clone(self):
        (self.root / "link").symlink_to("/etc/passwd")
        (self.root / "broken").symlink_to("/run/nowhere")
        self.assertEqual(module.tracked(self.root), [])

    def test_what_git_ignores_is_not_of_the_clone(self):
        self.write(".gitignore", "/build/\n")
        self.write("build/x.sh", "")
        self.assertEqual(module.tracked(self.root), [".gitignore"])

    def test_every_test_project_has_a_stage_the_rules_first_and_the_simulation_next(self):
        for name in ("Simulation.Tests", "Ipop.Tests", "House.Tests", "Testing"):
            self.write(f"test/{name}/{name}.csproj", "")
        self.assertEqual(module.unit_projects(self.root), ["House.Tests", "Simulation.Tests", "Ipop.Tests"])

    def test_a_script_that_is_not_there_is_missing(self):
        self.assertIsNotNone(module.script(self.root, "vm", 1, "test/vm/run").missing)
        self.write("test/vm/run", "#!/bin/sh\n", executable=True)
        self.assertIsNone(module.script(self.root, "vm", 1, "test/vm/run").missing)


class Plan(unittest.TestCase):
    def setUp(self):
        self.plan = {stage.name: stage for stage in module.stages(RUN.parents[1], RUN.parents[1] / "build/out/test")}

    def test_what_computes_gives_way_and_virtual_machines_go_first(self):
        ways = {name: stage.niceness for name, stage in self.plan.items()}
        self.assertEqual({0}, {ways[name] for name in ("restore", "programs", "build", "image-build", "netns", "pool", "pages", "netns-alone")})
        self.assertEqual({module.GIVES_WAY}, {ways[name] for name in ("image", "python", "Simulation.Tests", "fuzz", "pool-admin-tools")})
        self.assertEqual(module.GOES_FIRST, ways["vm"])

    def test_on_a_slow_computer_what_else_goes_by_clocks_comes_after_virtual_machines_and_all_of_the_plan_is_played(self):
        self.assertEqual({name for name, stage in self.plan.items() if stage.slow_after == ("vm",)}, {"netns", "dhcp", "pages", "router", "pool", "grid", "netns-alone"})
        began = []
        runner = Lanes(lambda stage, unmet: began.append(stage.name) or Result(Count(1, 0), SLOW_SECONDS, None), threading.Event(), mock.Mock(has=lambda *_: True))
        runner.play(list(self.plan.values()), len(BESIDE))
        self.assertEqual(set(runner.results), set(self.plan))
        self.assertLess(began.index("vm"), min(began.index(name) for name in ("netns", "dhcp", "pages", "router", "pool", "grid")))

    def test_what_others_need_is_built_before_all_else(self):
        needed = {need for stage in self.plan.values() for need in stage.needs}
        self.assertEqual(needed, set(module.FIRST))
        self.assertEqual({name for name, stage in self.plan.items() if stage.after != ("build",)}, needed)


class Running(Clone):
    """Runs test/run's own functions with stages made here."""

    def setUp(self):
        super().setUp()
        loader = importlib.machinery.SourceFileLoader("test_run", str(RUN))
        self.run_module = types.ModuleType("test_run")
        self.run_module.__file__ = str(RUN)
        loader.exec_module(self.run_module)
        self.said = []
        for name, value in (("ROOT", self.root), ("OUT", self.root / "out"), ("say", self.said.append), ("STOP", threading.Event())):
            patch = mock.patch.object(self.run_module, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def main(self, *scripts, arguments=(), lanes=()):
        made = []
        for number, (text, needs) in enumerate(scripts):
            self.write(f"s{number}", text, executable=True)
            lane = lanes[number] if lanes else COMPUTES
            made.append(module.script(self.root, f"s{number}", 5, f"s{number}", needs=needs, lane=lane))
        with mock.patch.object(self.run_module, "stages", lambda root, out: made):
            return self.run_module.main(list(arguments)), self.said[-1]

    def test_sums_the_counts(self):
        good = "#!/bin/sh\necho 2 passed, 0 failed\n"
        self.assertEqual(self.main((good, ()), (good, ())), (0, "4 passed, 0 failed"))

    def test_a_failed_check_fails_the_run(self):
        self.assertEqual(self.main(("#!/bin/sh\necho 2 passed, 1 failed\nexit 1\n", ())), (1, "2 passed, 1 failed"))

    def test_a_crash_is_one_failure(self):
        self.assertEqual(self.main(("#!/bin/sh\necho on my way\nexit 9\n", ())), (1, "0 passed, 1 failed"))
        self.assertTrue(any("on my way" in line for line in self.said))

    def test_the_very_end_says_in_a_line_each_what_failed_and_why(self):
        long = "".join(f"echo '     alpha: line {number} of a journal'\n" for number in range(60))
        bad = f"#!/bin/sh\necho 'FAIL the second case (60 s)'\necho '     it is not so'\n{long}exit 9\n"
        self.assertEqual(self.main(("#!/bin/sh\necho 3 passed, 0 failed\n", ()), (bad, ())), (1, "3 passed, 1 failed"))
        self.assertEqual(self.said[-2].rstrip().splitlines()[-3:], ["", "s1: s1 ended with 9", "FAIL the second case (60 s) it is not so"])

    def test_a_good_count_with_a_bad_exit_is_a_failure(self):
        self.assertEqual(self.main(("#!/bin/sh\necho 2 passed, 0 failed\nexit 1\n", ())), (1, "0 passed, 1 failed"))

    def test_silence_is_a_failure(self):
        self.assertEqual(self.main(("#!/bin/sh\n", ())), (1, "0 passed, 1 failed"))

    def test_what_needs_a_failed_stage_fails_without_running(self):
        after = f"#!/bin/sh\ntouch {self.root}/ran\necho 1 passed, 0 failed\n"
        self.assertEqual(self.main(("#!/bin/sh\nexit 1\n", ()), (after, ("s0",))), (1, "0 passed, 2 failed"))
        self.assertFalse((self.root / "ran").exists())

    def test_one_stage_alone(self):
        good = "#!/bin/sh\necho 2 passed, 0 failed\n"
        self.assertEqual(self.main((good, ()), ("#!/bin/sh\nexit 1\n", ()), arguments=["s0"]), (0, "2 passed, 0 failed"))

    def test_an_unknown_stage_is_refused(self):
        code, said = self.main(("#!/bin/sh\n", ()), arguments=["nonsense"])
        self.assertEqual(code, 2)
        self.assertIn("nonsense", said)

    def test_an_empty_plan_is_a_failure(self):
        self.assertEqual(self.main(), (1, "0 passed, 1 failed"))

    def test_a_run_whose_time_is_over_ends_what_runs_and_tells_what_failed_so_far(self):
        slow = "#!/bin/sh\necho FAIL the second case\necho '     it is not so'\nsleep 60\n"
        said = self.main(("#!/bin/sh\necho 3 passed, 0 failed\n", ()), (slow, ()), ("#!/bin/sh\necho 1 passed, 0 failed\n", ()), arguments=["--within", "2"])
        self.assertEqual(said, (1, "3 passed, 2 failed"))
        for word in ("FAIL the second case", "it is not so", "ended, for the whole run was ended", "not begun, for"):
            self.assertTrue(any(word in line for line in self.said), word)

    def test_a_stage_that_ran_no_test_is_a_failure(self):
        self.assertEqual(self.main(("#!/bin/sh\necho 0 passed, 0 failed\n", ())), (1, "0 passed, 1 failed"))
        self.assertTrue(any("it ran no test" in line for line in self.said))

    def test_lanes_run_beside_each_other_and_each_line_says_its_stage(self):
        pipe = self.root / "pipe"
        os.mkfifo(pipe)
        # Each end of a pipe opens when the other one does: one after the other, the first would wait for ever.
        reads, writes = f"#!/bin/sh\ncat {pipe}\n", f"#!/bin/sh\necho 1 passed, 0 failed | tee {pipe}\n"
        self.assertEqual(self.main((reads, ()), (writes, ()), lanes=(COMPUTES, WAITS)), (0, "2 passed, 0 failed"))
        *lines, rows, last = self.said
        self.assertEqual({line.split()[0] for line in lines}, {"s0", "s1"})
        self.assertRegex(rows, r"(?m)^s0 +computes +1 +0 .* s$\n^s1 +waits +1 +0 .* s$")
        self.assertEqual(last, "2 passed, 0 failed")

    def test_one_lane_runs_all_in_the_plans_order(self):
        log = self.root / "log"
        scripts = [(f"#!/bin/sh\necho {name} >> {log}\necho 1 passed, 0 failed\n", ()) for name in "abc"]
        self.assertEqual(self.main(*scripts, arguments=["--lanes", "1"], lanes=(WAITS, ALONE, COMPUTES)), (0, "3 passed, 0 failed"))
        self.assertEqual(log.read_text(), "a\nb\nc\n")

    def test_a_number_that_is_none_is_refused(self):
        for arguments in (["--lanes"], ["--lanes", "2"], ["--lanes", "s0"], ["--within", "soon"]):
            with self.assertRaises(SystemExit) as refused, contextlib.redirect_stderr(io.StringIO()) as said:
                self.main(("#!/bin/sh\n", ()), arguments=arguments)
            self.assertEqual(refused.exception.code, 2)
            self.assertIn(arguments[0], said.getvalue())

    def test_a_plan_that_could_never_be_met_is_refused(self):
        code, said = self.main(("#!/bin/sh\n", ("s1",)), ("#!/bin/sh\n", ()))
        self.assertEqual(code, 2)
        self.assertIn("s0 needs s1", said)

    def test_a_command_that_is_not_there_fails_its_stage_alone(self):
        stages = [module.Stage("none", 5, [["/nowhere/to/be/found"]], module.each_passes(1)), module.Stage("true", 5, [["true"]], module.each_passes(1))]
        with mock.patch.object(self.run_module, "stages", lambda root, out: stages):
            self.assertEqual((self.run_module.main([]), self.said[-1]), (1, "1 passed, 1 failed"))

    def test_a_long_part_alone_keeps_its_result_and_what_only_serves_it_does_not(self):
        (self.root / "docs").mkdir()
        good = "#!/bin/sh\necho figure: silence: 0.5 s\necho 2 passed, 0 failed\n"
        plan = []
        for name in ("programs", "long-grid", "long-vm"):
            self.write(name, good, executable=True)
            plan.append(module.script(self.root, name, 5, name))
        with mock.patch.object(self.run_module, "long_stages", lambda root, today: plan):
            self.assertEqual((self.run_module.main(["--long", "long-grid", "programs"]), self.said[-1]), (0, "4 passed, 0 failed"))
        kept = json.loads((self.root / "docs/test-long.json").read_text())["parts"]
        self.assertEqual({name: entry["verdict"] for name, entry in kept.items()}, {"long-grid": "passed", "long-vm": "not run"})
        self.assertEqual(kept["long-grid"]["figures"][0]["reached"], "0.5 s")

    def test_a_long_part_that_was_ended_from_outside_keeps_its_former_result(self):
        former = '{"parts": {"long-grid": {"verdict": "not run"}}}'
        self.write("docs/test-long.json", former)
        self.write("long-grid", "#!/bin/sh\necho 2 passed, 0 failed\nsleep 60\n", executable=True)
        plan = [module.script(self.root, "long-grid", 90, "long-grid")]
        with mock.patch.object(self.run_module, "long_stages", lambda root, today: plan):
            self.assertEqual((self.run_module.main(["--long", "--within", "0.5"]), self.said[-1]), (1, "0 passed, 1 failed"))
        self.assertEqual((self.root / "docs/test-long.json").read_text(), former)

    def test_the_plan_of_make_test_can_be_met(self):
        root = RUN.parents[1]
        plan = module.stages(root, root / "build/out/test")
        self.assertEqual(disorder(plan), [])
        self.assertEqual({stage.name: stage.missing for stage in plan if stage.missing}, {})
        self.assertEqual({stage.lane for stage in plan}, {COMPUTES, UNITS, MACHINES, WAITS, SLEEPS, SERVES, ALONE})

    def test_each_folder_of_python_unit_tests_is_run_by_one_stage(self):
        root = RUN.parents[1]
        plan = [command for stage in module.stages(root, root / "build/out/test") for command in stage.commands]
        folders = module.python_test_folders(root)
        self.assertLessEqual(set(module.TOOLS), set(folders))
        self.assertEqual({folder: plan.count(module.python_tests(root, folder)) for folder in folders}, dict.fromkeys(folders, 1))

    def test_a_stage_that_says_only_yes_or_no(self):
        stage = module.Stage("yes", 5, [["false"]], module.each_passes(3))
        with mock.patch.object(self.run_module, "stages", lambda root, out: [stage]):
            self.assertEqual((self.run_module.main([]), self.said[-1]), (1, "0 passed, 1 failed"))

    def test_counts_add(self):
        self.assertEqual(Count(1, 2) + Count(3, 4), Count(4, 6))


class Signals(Clone):
    """test/run as a program, in a clone of its own."""

    def test_sigterm_ends_the_lanes_with_all_that_they_started(self):
        shutil.copytree(RUN.parent / "runner", self.root / "test/runner", ignore=shutil.ignore_patterns("__pycache__"))
        (self.root / "test/netns").mkdir()
        for name in ("run", "netns/pressure.py"):
            shutil.copy(RUN.parent / name, self.root / "test" / name)
        files = {name: self.root / name for name in ("image", "netns")}
        for name, file in files.items():
            self.write(f"test/{name}/run", f"#!/bin/sh\ntrap 'exit 1' TERM\nsleep 60 &\necho $! > {file}\nwait\n", executable=True)
        with subprocess.Popen([str(self.root / "test/run"), *files], stdout=subprocess.PIPE, text=True) as whole:
            children = [self.child(whole, file) for file in files.values()]
            whole.send_signal(signal.SIGTERM)
            said = whole.communicate(timeout=60)[0]
        self.assertEqual(whole.returncode, 128 + signal.SIGTERM)
        self.assertRegex(said, r"(?m)^netns .* ended, for the whole run was ended$")
        self.assertNotRegex(said, r"(?m)^\d+ passed, \d+ failed$")
        for child in children:
            self.assertTrue(is_gone(child))

    def child(self, whole, file):
        """The process that a stage started and wrote down; whoever ended before writes no more."""
        while not (said := file.read_text() if file.exists() else "").endswith("\n"):
            self.assertIsNone(whole.poll(), "test/run ended before its stages began")
            time.sleep(0.05)
        return int(said)


if __name__ == "__main__":
    unittest.main()
