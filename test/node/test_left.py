"""What an earlier job left of a slot's account is ended, and nothing else is."""
import signal
import subprocess
import unittest

import samples  # noqa: F401  makes the node's modules importable
from wow.slots import left

MINE, ANOTHERS = 1_617_001, 1_617_002
"""Accounts that nobody has."""


class Left(unittest.TestCase):
    def test_all_of_an_account_is_ended_and_nothing_of_another_one(self):
        begun = [subprocess.Popen(["sleep", "600"], user=account, start_new_session=True) for account in (MINE, MINE, ANOTHERS)]
        try:
            left.end(MINE)
            self.assertEqual([-signal.SIGKILL] * 2, [one.wait(60) for one in begun[:2]])
            self.assertIsNone(begun[2].poll())
        finally:
            for one in begun:
                one.kill()
                one.wait()

    def test_an_account_without_any_is_left_alone(self):
        with subprocess.Popen(["sleep", "600"], user=ANOTHERS, start_new_session=True) as one:
            left.end(MINE)
            self.assertIsNone(one.poll())
            one.kill()


if __name__ == "__main__":
    unittest.main()
