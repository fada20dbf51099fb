"""Waiting for HTCondor's daemons."""

import os
import tempfile
import threading
import time
import unittest

import samples  # noqa: F401  makes the node's modules importable

import member


class WaitForDaemon(unittest.TestCase):
    def test_ends_when_the_daemon_says_where_it_listens(self):
        with tempfile.TemporaryDirectory() as folder:
            threading.Timer(0.1, lambda: open(os.path.join(folder, ".startd_address"), "w", encoding="ascii").close()).start()
            started = time.monotonic()
            member.wait_for_daemon("startd", patience=60.0, folder=folder, pause=0.02)
            self.assertLess(time.monotonic() - started, 30.0)

    def test_gives_up_in_time_so_that_the_pool_is_asked_all_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            started = time.monotonic()
            member.wait_for_daemon("startd", patience=0.2, folder=folder, pause=0.02)
            self.assertGreaterEqual(time.monotonic() - started, 0.2)


if __name__ == "__main__":
    unittest.main()
