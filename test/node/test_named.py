"""Which origins a machine asks: those of pool.conf and those that the CA signed, and how the fence comes to know them."""
import os
import tempfile
import unittest
from unittest import mock

import samples
from test_stack import notice

from wow.lib import agreed, paths
from wow.lib.errors import WowError
from wow.seal import fence
from wow.stack import bring, named

A, B, C = "https://a.example/wow", "https://b.example:8443", f"https://192.0.2.7:8444/x#sha256={'ab' * 32}"


class Case(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.root, self.started, self.code = made.name, [], 0
        for patch in (mock.patch.object(named, "NOTICE", f"{self.root}/notice-6"), mock.patch.object(paths, "ORIGINS", f"{self.root}/origins"),
                      mock.patch.object(named.system, "run", self.start), mock.patch("builtins.print"),
                      mock.patch.object(named.system, "must", lambda words, text: self.started.append((*words, text)))):
            patch.start()
            self.addCleanup(patch.stop)

    def start(self, words, timeout):
        """What systemd does."""
        self.started.append(tuple(words))
        self.assertGreater(timeout, 10)
        with mock.patch("wow.config.facts.read", lambda: self.pool):
            # systemd says how it ended.
            return self.code, "" if self.code or named.main() else ""

    def sign(self, *origins, data=None, kind=6):
        with open(f"{self.root}/notice-6", "wb") as file:
            file.write(notice(7, data if data is not None else "".join(["wow-origins 1\n", *(f"origin {one}\n" for one in origins)]).encode(), kind))

    def settle(self, *own):
        self.pool = samples.pool(modules__origins=" ".join(own))
        return named.settle(self.pool.origins)


class Text(Case):
    def test_the_notice_names_a_few_in_their_order(self):
        self.assertEqual(named.signed(), [])
        self.sign(B, A, C)
        self.assertEqual(named.signed(), [B, A, C])
        self.sign()
        self.assertEqual(named.signed(), [])

    def test_what_is_no_such_text_names_none(self):
        good = f"wow-origins 1\norigin {A}\n"
        for data in ("", "wow-origins 1", good[:-1], good + "\n", good + f"origin {A}\n", good + "mirror https://c\n", good.replace("1", "2"),
                     good.replace("https", "http"),
                     good.replace("\n", "\r\n"), good + "origin https://c/x y\n", good + "origin https://c\x0borigin https://d\n", good + "origin https://c:70000\n",
                     good + "origin https://c\u0661\n", "".join(["wow-origins 1\n", *(f"origin https://a{number}\n" for number in range(agreed.MOST_ORIGINS + 1))]),
                     f"wow-origins 1\norigin https://a/{'a' * agreed.LONGEST_ORIGIN}\n"):
            self.sign(data=data.encode())
            self.assertEqual(named.signed(), [], data)
        self.sign(A, kind=3)
        self.assertEqual(named.signed(), [])
        os.unlink(f"{self.root}/notice-6")
        os.symlink("/proc/self/mem", f"{self.root}/notice-6")  # reading that fails as a bad block does
        self.assertEqual(named.signed(), [])


class Knowing(Case):
    def test_pool_conf_s_come_first_and_the_fence_knows_the_ports_of_all(self):
        self.sign(B, A, C)
        self.assertEqual(self.settle(A), [A, B, C])
        self.assertEqual(self.started, [("systemctl", "start", "wow-origins.service"),
                                        ("nft", "-f", "-", "flush set inet wow origins\nadd element inet wow origins { 443, 8443, 8444 }\n")])
        self.started.clear()
        self.assertEqual((self.settle(A), self.started), ([A, B, C], []), "the fence knows them")

    def test_what_the_ca_takes_back_is_shut(self):
        self.sign(B)
        self.settle()
        self.sign()
        self.assertEqual(self.settle(), [])
        self.assertEqual(self.started[-1][-1], fence.origin_ports(set()))
        self.assertEqual(self.started[-1][-1], "flush set inet wow origins\n")

    def test_none_is_asked_that_the_fence_does_not_know(self):
        self.sign(B)
        self.code = 1
        self.assertEqual(self.settle(A), [])
        with mock.patch.object(named.system, "must", side_effect=WowError("nft is missing", "")), \
                mock.patch("wow.config.facts.read", samples.pool), self.assertRaises(WowError):
            named.main()
        self.assertFalse(os.path.exists(f"{self.root}/origins"))

    def test_wow_stack_settles_them_before_it_looks_and_leaves_other_machines_alone(self):
        with mock.patch.object(bring, "once", return_value=0) as once, mock.patch.object(bring.facts, "read", samples.pool):
            self.pool = samples.pool()
            bring.main()
            self.assertEqual(self.started, [])
            self.sign(B)
            once.side_effect = lambda *_: self.assertEqual(named.known(), [B]) or 0
            self.assertEqual(bring.main(), 0)
            os.unlink(f"{self.root}/notice-6")
            once.side_effect = lambda *_: self.assertEqual(named.known(), []) or 0
            self.assertEqual(bring.main(), 0, "another key signs from now on")


if __name__ == "__main__":
    unittest.main()
