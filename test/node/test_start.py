"""Waiting for HTCondor's daemons."""

import contextlib
import io
import os
import tempfile
import threading
import time
import unittest
from unittest import mock

import samples
from wow.condor import start
from wow.lib import console, control
from wow.lib.errors import WowError


class WaitForDaemon(unittest.TestCase):
    def test_ends_when_the_daemon_says_where_it_listens(self):
        with tempfile.TemporaryDirectory() as folder:
            threading.Timer(0.1, lambda: open(os.path.join(folder, ".startd_address"), "w", encoding="ascii").close()).start()
            started = time.monotonic()
            start.wait_for_daemon("startd", patience=60.0, folder=folder, pause=0.02)
            self.assertLess(time.monotonic() - started, 30.0)

    def test_gives_up_in_time_so_that_the_pool_is_asked_all_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            started = time.monotonic()
            start.wait_for_daemon("startd", patience=0.2, folder=folder, pause=0.02)
            self.assertGreaterEqual(time.monotonic() - started, 0.2)


class WaitForPool(unittest.TestCase):
    def ask(self, answers, role="manager", is_certified=True, **changes):
        """Runs wait_for_pool against a pool that answers so, on a machine of that role; returns the questions' time limits, what the journal got and the console's steps."""
        limits, steps = [], []
        kind = {"manager": "-collector", "worker": "-startd", "login": "-schedd"}[role]

        def answer(command, timeout):
            self.assertIn(kind, command)
            self.assertIn('Machine == "boss.science.internal"', command)
            limits.append(timeout)
            return answers.pop(0)

        journal = io.StringIO()
        with mock.patch.object(start, "wait_for_daemon"), mock.patch.object(console, "say", lambda step, **values: steps.append((step, values))), \
                mock.patch.object(control, "status", return_value={**samples.STATUS, "certified": is_certified}), contextlib.redirect_stdout(journal):
            start.wait_for_pool(samples.pool(node__role=role, **changes), "boss", ask=answer, pause=lambda seconds: None)
        return limits, [line.split(": ", 1)[1] for line in journal.getvalue().splitlines()], steps

    def test_a_question_that_hangs_is_asked_anew_and_may_take_longer_each_time(self):
        limits, journal, steps = self.ask([(124, ""), (124, ""), (124, ""), (124, ""), (0, "lab@boss")])
        self.assertEqual([10.0, 20.0, 30.0, 30.0, 30.0], limits)
        self.assertEqual(["no answer in time"] * 4, journal)
        self.assertEqual([("pool", {"manager": "manager.science.internal", "slot": "lab@boss"})], steps)

    def test_a_pool_that_does_not_list_the_machine_yet_is_asked_again(self):
        limits, journal, steps = self.ask([(0, ""), (1, "Error: communication error\nCEDAR:6001"), (0, "lab@boss\nother")])
        self.assertEqual(3, len(limits))
        self.assertEqual(["the manager does not list this machine", "CEDAR:6001"], journal)
        self.assertEqual("lab@boss", steps[-1][1]["slot"])

    def test_a_machine_whose_certificate_ended_meanwhile_does_not_wait_in_vain(self):
        with self.assertRaises(WowError):
            self.ask([(0, ""), (0, "lab@boss")], is_certified=False)
        self.assertEqual(2, len(self.ask([(0, ""), (0, "lab@boss")], is_certified=False, pool__open="yes", ca__certificate=None, ca__ticket=None)[0]))

    def test_each_machine_looks_for_what_it_has_in_the_pool(self):
        for role in ("worker", "login"):
            self.assertEqual("found", self.ask([(0, "found")], role)[2][-1][1]["slot"])


if __name__ == "__main__":
    unittest.main()
