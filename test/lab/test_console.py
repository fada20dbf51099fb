import os
import tempfile
import unittest

import lab_path  # noqa: F401
from console import Console
from explain import failure
from shell import LabError


class ConsoleTests(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "log")
        self.console = Console(self.path, clock=lambda: 7.0)

    def write(self, data):
        with open(self.path, "ab") as file:
            file.write(data)

    def test_a_log_that_is_not_there_yet_has_no_steps(self):
        self.assertEqual([], self.console.poll())
        self.assertEqual([], self.console.tail())

    def test_steps_are_found_behind_the_kernel_s_time_stamp(self):
        self.write(b"[    3.1] WOW: address address=10.128.3.4 t=3.1\r\n[    3.2] other\r\n")
        (step,) = self.console.poll()
        self.assertEqual(("address", {"address": "10.128.3.4", "t": "3.1"}, 7.0), (step.name, step.values, step.seen))

    def test_a_line_that_comes_in_two_pieces_is_one_step(self):
        self.write(b"[ 3.1] WOW: ri")
        self.assertEqual([], self.console.poll())
        self.write(b"ng near=2 t=3.1\n")
        self.assertEqual(["ring"], [step.name for step in self.console.poll()])
        self.assertEqual([], self.console.poll())

    def test_a_kernel_that_gives_up_is_a_step_once(self):
        self.write(b"[    0.068000] Kernel panic - not syncing: no timer\r\n[    0.068000] ---[ end Kernel panic - not syncing: no timer ]---\r\n")
        self.assertEqual([("panic", "no timer")], [(step.name, step.text) for step in self.console.poll()])

    def test_the_login_prompt_has_no_end_of_line_and_counts_once(self):
        self.write(b"\nalpha login: ")
        self.assertEqual(["login"], [step.name for step in self.console.poll()])
        self.write(b"x")
        self.assertEqual([], self.console.poll())

    def test_the_last_step_of_a_name_wins(self):
        self.write(b"WOW: address address=10.0.0.1\nWOW: address address=10.0.0.2\n")
        self.console.poll()
        self.assertEqual("10.0.0.2", self.console.last("address").values["address"])
        self.assertIsNone(self.console.last("pool"))

    def test_quoted_values_keep_their_blanks(self):
        self.write(b'WOW: pool manager="a b" t=1\n')
        self.assertEqual("a b", self.console.poll()[0].values["manager"])

    def test_a_failure_says_step_machine_and_last_lines(self):
        self.write(b"\x1b[0;32mfine\x1b[0m\nWOW: error pool.conf: [pool] subnet: not a prefix\nlast\n")
        self.console.poll()
        text = "\n".join(failure(LabError("did not come", "alpha", "ring"), {"alpha": self.console}))
        for words in ("step: ring", "machine: alpha", "did not come", "alpha says: pool.conf: [pool] subnet: not a prefix", "| fine", "| last"):
            self.assertIn(words, text)


if __name__ == "__main__":
    unittest.main()
