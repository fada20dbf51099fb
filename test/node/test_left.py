"""What an earlier job left of a slot's account is ended, and nothing else is."""
import platform
import signal
import subprocess
import sys
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

    def test_keys_of_an_account_are_gone_and_those_of_another_one_are_not(self):
        for account in (MINE, ANOTHERS):
            self.assertEqual("kept kept kept", keys(account, ADDS), "the kernel keeps them when their process has ended")
        left.end(MINE)
        self.assertEqual(("none none none", "kept kept kept"), (keys(MINE), keys(ANOTHERS)))
        left.end(ANOTHERS)


ADD_KEY, KEYCTL, SEARCH = *((217, 219) if platform.machine() == "aarch64" else (248, 250)), 10
RINGS = f"""import ctypes
call = ctypes.CDLL(None).syscall
rings = (-4, -5, call({KEYCTL}, 22, -1, -2))
"""
ADDS = f"""for ring in rings:
    call({ADD_KEY}, b"user", b"wow-left", b"secret", ctypes.c_size_t(6), ring)
"""
FINDS = f"""print(*("kept" if call({KEYCTL}, {SEARCH}, ring, b"user", b"wow-left", 0) > 0 else "none" for ring in rings))
"""


def keys(account, before=""):
    """Which of the three keyrings that the kernel keeps for an account have a key, as a program of its own sees it, and another one before that."""
    if before:
        subprocess.run([sys.executable, "-c", RINGS + before], user=account, check=True)
    return subprocess.run([sys.executable, "-c", RINGS + FINDS], user=account, check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    unittest.main()
