"""How the image's checks are run: two at once where each has files of its own, else one after the other, and each is counted."""

import contextlib
import io
import pathlib
import signal
import subprocess
import sys
import threading
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import checks  # noqa: E402
import machine  # noqa: E402

PATIENCE = 20


def named(name, function):
    function.__name__ = name
    return function


class Running(unittest.TestCase):
    def run_all(self, shared, machines, words=(), starts=(), long=False):
        """(how many failed, what was printed); shared and machines are those of every commit, or the long ones."""
        said = io.StringIO()
        kinds = {"CHECKS": [], "MACHINE_CHECKS": [], "LONG_SHARED_CHECKS": [], "LONG_CHECKS": [], "STARTS": starts}
        kinds.update({"LONG_SHARED_CHECKS": shared, "LONG_CHECKS": machines} if long else {"CHECKS": shared, "MACHINE_CHECKS": machines})
        with mock.patch.multiple(checks, **kinds), contextlib.redirect_stdout(said):
            failed = checks.run_all(words, long)
        return failed, said.getvalue()

    def test_two_machines_run_at_once(self):
        # Each waits for the other: run one after the other, both would fail.
        meeting = threading.Barrier(2)
        failed, said = self.run_all([], [named(name, lambda: meeting.wait(PATIENCE)) for name in ("one", "two")])
        self.assertEqual(failed, 0)
        self.assertTrue(said.endswith("2 passed, 0 failed\n"))

    def test_what_shares_files_runs_in_its_order_beside_a_machine(self):
        order, meeting = [], threading.Barrier(2)
        running = threading.Lock()

        def shared(name):
            def body():
                self.assertTrue(running.acquire(blocking=False))
                if name == "last":
                    meeting.wait(PATIENCE)
                order.append(name)
                running.release()
            return named(name, body)

        failed, said = self.run_all([shared("first"), shared("second"), shared("last")], [named("machine", lambda: meeting.wait(PATIENCE))])
        self.assertEqual((failed, order), (0, ["first", "second", "last"]), said)

    def test_what_fails_and_what_crashes_is_counted_and_told(self):
        def wrong():
            checks.note("a figure")
            checks.expect(False, "the reason")

        def crash():
            raise ValueError("of another kind")

        failed, said = self.run_all([named("good", lambda: None), named("wrong", wrong)], [named("crash", crash)])
        self.assertEqual(failed, 2)
        self.assertTrue(said.endswith("1 passed, 2 failed\n"))
        self.assertRegex(said, r"FAILED wrong \([0-9.]+ s; 0\.0 s of processor\)\n       the reason\n       a figure\n")
        self.assertIn("ValueError: of another kind", said)

    def test_a_machines_processor_time_stands_with_its_check_alone(self):
        def burns():
            burnt = machine.Measured([sys.executable, "-c", "import time\nwhile time.process_time() < 0.5: pass\nprint(flush=True)\nwhile True: time.sleep(9)"],
                                     stdout=subprocess.PIPE)
            with burnt.stdout as said:
                said.readline()
            self.assertIsNone(burnt.poll())
            burnt.kill()
            self.assertEqual((burnt.wait(), burnt.poll()), (-signal.SIGKILL, -signal.SIGKILL))

        failed, said = self.run_all([], [named("busy", burns), named("idle", lambda: None)])
        self.assertEqual(failed, 0, said)
        told = {line.split()[1]: line for line in said.splitlines()}
        self.assertRegex(told["busy"], r"^ok +busy \([0-9.]+ s; 0\.[5-9] s of processor, 0\.[5-9] s of these for its machines\)$")
        self.assertRegex(told["idle"], r"^ok +idle \([0-9.]+ s; 0\.0 s of processor\)$")

    def test_a_machine_that_does_not_end_is_waited_for_no_longer_than_asked(self):
        sleeper = machine.Measured(["sleep", "60"])
        self.addCleanup(sleeper.wait)
        self.addCleanup(sleeper.kill)
        with self.assertRaises(subprocess.TimeoutExpired):
            sleeper.wait(0.1)

    def start(self, *bodies, fails=False):
        """(a start with checks of these names and bodies, what was done to its machines)"""
        done = []

        class Machine:
            def __init__(self):
                if fails:
                    checks.expect(False, "it does not start")
                self.alive = True
                done.append("on")

            def answers(self):
                return self.alive

            def cut_power(self):
                done.append("off")

        with mock.patch.object(checks, "STARTS", []):
            made = checks.Start(Machine)
        for name, body in bodies:
            made.check(named(name, body))
        return made, done

    def test_checks_of_one_start_share_it_and_the_last_ends_it(self):
        seen = []
        made, done = self.start(*((name, lambda machine: seen.append(machine)) for name in ("one", "two")))
        failed, said = self.run_all([], [], starts=[made])
        self.assertEqual((failed, done, len(set(map(id, seen)))), (0, ["on", "off"], 1), said)
        self.assertTrue(said.endswith("2 passed, 0 failed\n"))

    def test_a_check_does_not_fail_because_the_one_before_it_did(self):
        made, done = self.start(("one", lambda machine: checks.expect(False, "the reason")), ("two", lambda machine: None))
        failed, said = self.run_all([], [], starts=[made])
        self.assertEqual((failed, done), (1, ["on", "off"]), said)
        self.assertRegex(said, r"FAILED one .*\n       the reason\nok +two ")

    def test_after_a_check_that_wrecked_its_machine_the_next_has_another(self):
        made, done = self.start(("one", lambda machine: setattr(machine, "alive", False)), ("two", lambda machine: None))
        failed, said = self.run_all([], [], starts=[made])
        self.assertEqual((failed, done), (0, ["on", "off", "on", "off"]), said)
        self.assertIn("started anew, for the machine did not answer after the check before", said.partition("two")[2])

    def test_a_start_that_fails_fails_each_check_of_it(self):
        made, done = self.start(("one", lambda machine: None), ("two", lambda machine: None), fails=True)
        failed, said = self.run_all([], [], starts=[made])
        self.assertEqual((failed, done, said.count("it does not start")), (2, [], 2), said)

    def test_words_choose_among_the_checks_of_a_start_and_without_one_it_is_not_begun(self):
        made, done = self.start(("a_one", lambda machine: None), ("b_two", lambda machine: None))
        self.assertEqual((self.run_all([], [], ["b_"], [made])[0], done), (0, ["on", "off"]))
        self.assertEqual((self.run_all([named("c", lambda: None)], [], ["c"], [made])[0], done), (0, ["on", "off"]))

    def test_the_long_ones_are_run_alone_those_that_share_files_in_their_order_and_those_of_a_start_with_another_one(self):
        made, done = self.start(("each_time", lambda machine: None))
        made.long_check(named("later", lambda machine: self.assertTrue(machine.alive)))
        self.assertEqual(self.run_all([], [], starts=[made], long=False)[1].count("ok "), 1)
        order = []
        shared = [named(name, lambda name=name: order.append(name)) for name in ("first", "second")]
        failed, said = self.run_all(shared, [named("machine", lambda: None)], starts=[made], long=True)
        self.assertEqual((failed, order, done), (0, ["first", "second"], ["on", "off"] * 2), said)
        self.assertEqual({line.split()[1] for line in said.splitlines()[:-1]}, {"first", "second", "machine", "later"})

    def test_what_a_command_takes_of_the_processor_and_what_the_check_itself_takes_stands_with_it(self):
        burn = "import time\nwhile time.process_time() < 0.5: pass"
        failed, said = self.run_all([named("command", lambda: checks.run(sys.executable, "-c", burn)),
                                     named("child", lambda: checks.run("sh", "-c", f"{sys.executable} -c '{burn}'; true")),
                                     named("own", lambda: exec("import time\nend = time.thread_time() + 0.5\nwhile time.thread_time() < end: pass", {}))], [])
        self.assertEqual(failed, 0, said)
        for name in ("command", "child", "own"):
            self.assertRegex(said, rf"(?m)^ok +{name} \([0-9.]+ s; 0\.[5-9] s of processor\)$")

    def test_words_choose(self):
        failed, said = self.run_all([named("a_b", lambda: None)], [named("b_c", lambda: None), named("d", lambda: 1 / 0)], ["b"])
        self.assertEqual(failed, 0)
        self.assertTrue(said.endswith("2 passed, 0 failed\n"))


if __name__ == "__main__":
    unittest.main()
