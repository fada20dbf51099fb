import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from runner.counts import Count, from_unittest  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
QUICK = """
import sys
sys.path.insert(0, sys.argv[1])
from runner import unit
unit.SECONDS, unit.LOOK_SECONDS, unit.AGAIN_SECONDS, unit.LEFT_SECONDS, unit.SLOW_SECONDS = 0.5, 0.1, 1.0, 0.1, 0.4
unit.main(sys.argv[2:])
"""
TESTS = """
    import subprocess
    import threading
    import unittest


    class Ready(unittest.TestCase):
        @classmethod
        def setUpClass(cls):
            threading.Event().wait()

        def case_it(self):
            pass


    class Some(unittest.TestCase):
        def case_a_that_waits(self):
            threading.Event().wait()  # line 18

        def case_b_that_waits_again_while_it_fails(self):
            with subprocess.Popen(["sleep", "1000"]) as child:
                self.addCleanup(child.kill)
                child.wait()

        def case_c_that_passes(self):
            pass

        def case_d_that_fails(self):
            self.fail("it does")
"""
LEAVES = """
    import threading
    import unittest


    def waits_for_ever():
        threading.Event().wait()


    class Some(unittest.TestCase):
        def case_it(self):
            threading.Thread(target=waits_for_ever).start()
"""


BLOCKS = """
    import contextlib
    import faulthandler
    import os
    import signal
    import time
    import unittest


    def blocked(*_, **__):
        return signal.pthread_sigmask(signal.SIG_BLOCK, ())


    def masks():
        # The signals that each thread blocks, by its number: signal(7), a new thread has the mask of the thread that makes it.
        found = {}
        for thread in os.listdir("/proc/self/task"):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError), open(f"/proc/self/task/{thread}/status", encoding="ascii") as file:
                found[int(thread)] = next(int(line.split()[1], 16) for line in file if line.startswith("SigBlk:"))
        return found


    class Some(unittest.TestCase):
        def case_threads(self):
            # The thread of the former dump_traceback_later() may still be about to end: it says that it is done before the kernel takes it away.
            while len(found := masks()) > 3:
                time.sleep(0.001)
            self.assertEqual(found.pop(os.getpid()), 0)
            self.assertEqual(len(found), 2)
            for mask in found.values():
                self.assertTrue(mask >> signal.SIGTERM - 1 & 1)

        def case_when_they_begin(self):
            seen, real = [], faulthandler.dump_traceback_later
            faulthandler.dump_traceback_later = lambda *_, **__: seen.append(blocked())
            self.addCleanup(lambda: self.assertIn(signal.SIGTERM, seen[0]))
            self.addCleanup(setattr, faulthandler, "dump_traceback_later", real)
            from runner import unit
            unit.Watch().begins()
"""


class Unit(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def play(self, tests):
        (self.folder / "test_some.py").write_text(textwrap.dedent(tests).replace("def case_", "def test_"))
        return subprocess.run([sys.executable, "-c", QUICK, str(HERE.parent), str(self.folder)], capture_output=True, text=True, timeout=120, check=False)

    def test_what_hangs_fails_by_name_and_line_and_the_others_run(self):
        ended = self.play(TESTS)
        self.assertEqual((ended.returncode, from_unittest(ended.stderr)), (1, Count(0, 4)))
        self.assertIn("ERROR: setUpClass (test_some.Ready)", ended.stderr)
        self.assertIn("Ran 4 tests", ended.stderr)
        self.assertIn("ERROR: test_a_that_waits (test_some.Some", ended.stderr)
        self.assertIn("line 18, in test_a_that_waits", ended.stderr)
        self.assertIn("ERROR: test_b_that_waits_again_while_it_fails (test_some.Some", ended.stderr)
        self.assertIn("no end after 0 s of a quiet machine", ended.stderr)
        self.assertRegex(ended.stderr, r"(?m)^ +[0-9.]+ s test_some.Some.test_a_that_waits$")

    def test_a_folder_whose_tests_pass(self):
        ended = self.play("import unittest\nclass Some(unittest.TestCase):\n    def case_it(self):\n        pass\n")
        self.assertEqual((ended.returncode, from_unittest(ended.stderr)), (0, Count(1, 0)))

    def test_what_watches_takes_no_signals_of_a_test_s(self):
        ended = self.play(BLOCKS)
        self.assertEqual((ended.returncode, from_unittest(ended.stderr)), (0, Count(2, 0)), ended.stderr)

    def test_a_thread_that_is_left_behind_and_does_not_end_is_a_failure(self):
        ended = self.play(LEAVES)
        self.assertEqual(ended.returncode, 1)
        self.assertIn("OK\n", ended.stderr)
        self.assertIn("in waits_for_ever", ended.stderr)
        self.assertIn("which a test left behind, does not end", ended.stderr)

    def test_a_folder_without_tests_does_not_pass(self):
        self.assertEqual(self.play("").returncode, 1)


if __name__ == "__main__":
    unittest.main()
