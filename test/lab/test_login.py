import dataclasses
import unittest
from unittest import mock

import lab_path  # noqa: F401
import login
import patience
from login import Login, must_run
from shell import LabError
from sites import ALPHA


class LoginTests(unittest.TestCase):
    def test_whoever_logs_in_while_no_pool_runs_is_told_how_to_start_one(self):
        with self.assertRaisesRegex(LabError, "no pool with alpha runs here: `make wow KEEP=1` starts one"):
            must_run(dataclasses.replace(ALPHA, namespace="wowlab-nowhere"))

    def test_ssh_gives_up_after_those_who_wait_for_it(self):
        given_up = int(next(word for word in Login(ALPHA, "key").command("true") if word.startswith("ConnectTimeout=")).partition("=")[2])
        self.assertGreater(given_up, patience.seconds("login"))


class PatientTests(unittest.TestCase):
    """Where commands wait for machines that wait for a processor, the lab's clock counts, and not the day's."""

    def setUp(self):
        self.now = 0.0
        patch = mock.patch.object(login.steal, "now", self.look)
        patch.start()
        self.addCleanup(patch.stop)
        self.step = 0.0

    def look(self):
        self.now += self.step
        return self.now

    def test_what_it_says_and_how_it_ends_comes_back(self):
        done = login.patient(["sh", "-c", "cat; echo no >&2; exit 3"], "yes", 20)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (3, "yes", "no\n"))

    def test_it_is_waited_for_past_its_time_while_the_lab_s_clock_stands(self):
        # By the day's clock it takes several times as long as it may.
        with mock.patch.object(login, "LEAST", 0.0):
            done = login.patient(["sh", "-c", "sleep 0.3; cat; sleep 0.3"], "yes" * 100_000, 0.05)
        self.assertEqual((done.returncode, len(done.stdout)), (0, 300_000))

    def test_it_is_ended_once_the_lab_s_clock_says_so(self):
        self.step = 0.5
        self.assertIsNone(login.patient(["sleep", "600"], None, 1))
