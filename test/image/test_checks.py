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
    def run_all(self, shared, machines, words=()):
        """(how many failed, what was printed)"""
        said = io.StringIO()
        with mock.patch.object(checks, "CHECKS", shared), mock.patch.object(checks, "MACHINE_CHECKS", machines), contextlib.redirect_stdout(said):
            failed = checks.run_all(words)
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
        self.assertRegex(said, r"FAILED wrong \([0-9.]+ s\)\n       the reason\n       a figure\n")
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
        self.assertRegex(told["busy"], r"^ok +busy \([0-9.]+ s; 0\.[5-9] s of processor for its machines\)$")
        self.assertRegex(told["idle"], r"^ok +idle \([0-9.]+ s\)$")

    def test_a_machine_that_does_not_end_is_waited_for_no_longer_than_asked(self):
        sleeper = machine.Measured(["sleep", "60"])
        self.addCleanup(sleeper.wait)
        self.addCleanup(sleeper.kill)
        with self.assertRaises(subprocess.TimeoutExpired):
            sleeper.wait(0.1)

    def test_words_choose(self):
        failed, said = self.run_all([named("a_b", lambda: None)], [named("b_c", lambda: None), named("d", lambda: 1 / 0)], ["b"])
        self.assertEqual(failed, 0)
        self.assertTrue(said.endswith("2 passed, 0 failed\n"))


if __name__ == "__main__":
    unittest.main()
