import pathlib
import sys
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parents[1])]

import breaking  # noqa: E402
from sites import SITES, gates_of  # noqa: E402

BY_NAME = {site.name: site for site in SITES}


def result(one, two, path="direct", kind="plain"):
    return {"a": one, "b": two, "class": kind, "connected": True, "path": path}


class Chosen(unittest.TestCase):
    def test_pairs_of_one_event_have_nothing_in_common(self):
        pairs = [("port", "full"), ("full", "address"), ("cgn-a", "double"), ("cgn-b", "address"), ("short", "address")]
        self.assertEqual(breaking.apart(pairs, BY_NAME), [("port", "full"), ("cgn-a", "double"), ("short", "address")])

    def test_two_behind_one_gate_are_no_pair_for_it(self):
        self.assertEqual(breaking.apart([("lan-a", "lan-b"), ("cgn-a", "cgn-b")], BY_NAME), [])

    def test_the_one_that_moves_stands_last(self):
        chosen = breaking.chosen([result("port", "public"), result("public", "full")], BY_NAME)
        self.assertEqual(chosen[breaking.MOVED], [("public", "port")])

    def test_only_relayed_pairs_lose_their_relay(self):
        chosen = breaking.chosen([result("random", "sequential", "relay", "both"), result("port", "full")], BY_NAME)
        self.assertEqual(chosen[breaking.RELAY], [("random", "sequential")])
        self.assertEqual(chosen[breaking.KILLED], [("port", "full")])

    def test_a_gate_that_moves_meets_nobody(self):
        taken = {gate.outside for site in SITES for gate in gates_of(site)} | {address for site in SITES for address in site.addresses}
        for site in SITES:
            if breaking.movable(site):
                network, number = gates_of(site)[0].outside.rsplit(".", 1)
                self.assertNotIn(f"{network}.{int(number) + 100}", taken)


if __name__ == "__main__":
    unittest.main()
