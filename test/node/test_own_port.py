"""The overlay's UDP port where pool.conf names none: a manager's is known to all, and each other machine keeps one of its own."""
import os
import tempfile
import unittest
from unittest import mock

from wow.config import own_port
from wow.lib import agreed, paths
from wow.seal import fence
from wow.setup import ipopd

import samples

NUMBER = "0123456789abcdef0123456789abcdef"


class OwnPortTests(unittest.TestCase):
    def port(self, number, **settings):
        """The port that all agree on: what programs read, what ipopd is told and what the fence lets through."""
        with tempfile.TemporaryDirectory() as state, mock.patch.object(paths, "STATE", state):
            if number is not None:
                with open(os.path.join(state, "machine-id"), "w", encoding="latin-1") as file:
                    file.write(number)
            pool = samples.pool(**settings)
            rules = fence.sockets(pool)
            for rule in (f"udp dport {pool.port} counter accept", f"udp sport {pool.port} counter accept", f"tcp dport {{ {', '.join(map(str, sorted((443, pool.port))))} }}"):
                self.assertIn(rule, rules)
            self.assertIn(f"[udp]\nport = {pool.port}\n", ipopd.config(pool))
            return pool.port

    def test_a_machine_keeps_its_own(self):
        self.assertEqual(self.port(NUMBER), self.port(NUMBER + "\n"))
        self.assertEqual(self.port(NUMBER), self.port(NUMBER, node__role="login"))

    def test_two_of_a_hundred_machines_seldom_have_the_same(self):
        found = {self.port(f"{(1 << 127) // 99 * number:032x}") for number in range(1, 101)}
        self.assertGreater(len(found), 95)
        self.assertEqual([], [port for port in found if not own_port.FIRST <= port < own_port.FIRST + own_port.COUNT])
        self.assertLessEqual(own_port.FIRST + own_port.COUNT, 32768, "from there on Linux takes ports for connections")

    def test_a_manager_has_the_one_that_its_pool_knows(self):
        self.assertEqual(agreed.OVERLAY_PORT, self.port(NUMBER, node__role="manager"))

    def test_the_administrator_s_word_counts(self):
        self.assertEqual([7000, 7000], [self.port(NUMBER, node__role=role, node__port="7000") for role in ("worker", "manager")])

    def test_a_machine_without_a_number_has_the_usual_one(self):
        self.assertEqual([agreed.OVERLAY_PORT] * 4, [self.port(number) for number in (None, "", "what a disk lost", "\xff\xfe")])
        with tempfile.TemporaryDirectory() as state, mock.patch.object(paths, "STATE", state):
            os.symlink("/proc/self/mem", os.path.join(state, "machine-id"))  # reading that fails as a bad block does
            self.assertEqual(agreed.OVERLAY_PORT, own_port.number())


if __name__ == "__main__":
    unittest.main()
