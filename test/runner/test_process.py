import os
import pathlib
import signal
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from runner import process  # noqa: E402
from runner.process import Stopped, failures, run, tail  # noqa: E402


def is_gone(process):
    """Whether a process that has been told to end does, its parent or not asking for its code."""
    for _ in range(50):
        try:
            os.kill(process, 0)
            state = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except (ProcessLookupError, FileNotFoundError):
            return True
        if state == "Z":
            return True
        time.sleep(0.1)
    os.kill(process, signal.SIGKILL)
    return False


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.log = self.folder / "log"

    def sh(self, script, limit=30):
        return run(["sh", "-c", script], self.log, limit, self.folder)

    def test_gives_the_code_and_keeps_the_output(self):
        ended = self.sh("echo out; echo err >&2; exit 3")
        self.assertEqual((ended.code, ended.timed_out), (3, False))
        self.assertEqual(self.log.read_text(), "out\nerr\n")

    def test_tells_the_processor_time_of_a_command_and_of_its_children(self):
        ended = self.sh("sh -c 'end=$(($(date +%s) + 2)); while [ $(date +%s) -lt $end ]; do :; done'")
        self.assertGreater(ended.processor, 0.1)
        self.assertLess(self.sh("sleep 1").processor, 0.1)

    def test_a_command_that_gives_way_does_so_with_all_that_it_starts(self):
        asks = "sh -c 'cut -d\" \" -f3 /proc/self/autogroup; nice'"
        for niceness, said in ((0, {"0"}), (5, {"5"})):
            self.log.unlink(missing_ok=True)
            run(["sh", "-c", f"sleep 0.5; {asks}"], self.log, 30, self.folder, niceness=niceness)
            told = set(self.log.read_text().split())
            self.assertTrue(said <= told, f"{niceness}: {told}")

    def test_where_the_kernel_knows_no_sessions_each_process_gives_way(self):
        with mock.patch.object(process, "AUTOGROUPS", self.folder / "nowhere"):
            run(["sh", "-c", "sleep 0.5; sh -c nice"], self.log, 30, self.folder, niceness=5)
        self.assertEqual(self.log.read_text(), "5\n")

    def test_what_a_busy_machine_lacks_is_no_time_of_the_limit(self):
        with mock.patch.object(process, "Clock") as clock:
            clock.return_value.now.side_effect = lambda: 0.1 * time.monotonic()
            self.assertFalse(self.sh("sleep 1.5", limit=1).timed_out)

    def test_has_no_standard_input_to_wait_for(self):
        self.assertEqual(self.sh("read line || exit 7").code, 7)

    def test_lets_traps_clean_up_when_the_time_is_used_up(self):
        ended = self.sh("trap 'echo cleaned; exit 1' TERM; sleep 60 & wait", limit=1)
        self.assertTrue(ended.timed_out)
        self.assertEqual(self.log.read_text(), "cleaned\n")
        self.assertLess(ended.seconds, 10)

    def test_ends_grandchildren_too(self):
        ended = self.sh("sleep 60 & echo $!; wait", limit=1)
        self.assertTrue(ended.timed_out)
        self.assertTrue(is_gone(int(self.log.read_text())))

    def test_ends_the_group_when_all_is_to_end(self):
        os.mkfifo(self.folder / "running")
        stop = threading.Event()

        def interrupt():
            (self.folder / "running").read_text()
            stop.set()

        threading.Thread(target=interrupt, daemon=True).start()
        with self.assertRaises(Stopped):
            run(["sh", "-c", "trap 'echo cleaned; exit 1' TERM; sleep 60 & echo $!; echo > running; wait"], self.log, 30, self.folder, stop=stop)
        child, said = self.log.read_text().split()
        self.assertEqual(said, "cleaned")
        self.assertTrue(is_gone(int(child)))

    def test_says_a_case_that_failed_while_the_command_goes_on(self):
        said = []
        with mock.patch.object(process, "LOOK_SECONDS", 0.1):
            run(["sh", "-c", r"printf 'FAIL the first\n     why\n     more\n'; echo ok the second; sleep 1; printf 'FAIL the third\n     so\n'; sleep 1"],
                self.log, 30, self.folder, say=said.append)
        self.assertEqual([line.partition(": ")[2] for line in said], ["FAIL the first", "     why", "FAIL the third", "     so"])

    def test_appends_so_that_the_commands_of_a_stage_share_a_log(self):
        self.sh("echo one")
        self.sh("echo two; echo")
        self.assertEqual(tail(self.log, 5), ["one", "two"])

    def test_a_failed_case_is_found_among_the_others_with_what_explains_it(self):
        self.log.write_text(
            "ok   first (0.1 s)\nFAIL second (2.0 s)\n     why\n     boot: a line of its log\nok   third (0.1 s)\n     nobody's\nFAIL fourth (0.1 s)\n2 passed, 2 failed\n")
        self.assertEqual(failures(self.log), [["FAIL second (2.0 s)", "     why", "     boot: a line of its log"], ["FAIL fourth (0.1 s)"]])


if __name__ == "__main__":
    unittest.main()
