"""The pool page's picture of the ring, from what ipopd tells of its peers."""
import re
import time
import unittest
from unittest import mock

from wow.history import members
from wow.lib import console, control
from wow.lib.errors import WowError
from wow.web import pool, ring, snapshot

import samples
from test_web import HOSTILE, MARKS

OWN = "10" * 20


def peer(name, node, **more):
    """A peer, which is direct by UDP if nothing else is said."""
    return {**samples.PEER, "host": name, "node": node * 20, "use": "other", **more}


BETA = peer("beta", "20", use="near")
GAMMA = peer("gamma", "05", path="relay", endpoint=None, relay="20" * 20, rtt_ms=80.0)
DELTA = peer("delta", "90", endpoint="tcp:192.0.2.7:443", use="shortcut")
EPSILON = peer("epsilon", "a0", path="ring", endpoint=None, rtt_ms=None)
PEERS = [GAMMA, EPSILON, DELTA, BETA]


def many(count, **more):
    """So many members."""
    return [{**peer(f"m{number:04}", "00", **more), "node": f"{number + 1:040x}"} for number in range(count)]


def picture(own, peers):
    """All of them drawn."""
    known = members.members(own, peers, {})
    return ring.picture("manager", known, known)


class Members(unittest.TestCase):
    def test_they_stand_in_the_order_of_the_ring_from_this_manager_on(self):
        self.assertEqual(["beta", "delta", "epsilon", "gamma"], [one.name for one in members.members(OWN, PEERS, {})])

    def test_each_path_is_told_as_what_it_is(self):
        known = {one.name: one for one in members.members(OWN, PEERS, {})}
        self.assertEqual({"beta": members.UDP, "gamma": members.RELAY, "delta": members.TCP, "epsilon": members.RING}, {name: one.kind for name, one in known.items()})
        self.assertEqual(("beta", 80.0, members.UNKNOWN), (known["gamma"].way, known["gamma"].rtt, known["epsilon"].rtt))
        self.assertEqual(["near", "other", "shortcut"], [known[name].use for name in ("beta", "gamma", "delta")])

    def test_a_relay_that_is_no_peer_is_named_by_its_address_and_one_without_a_certificate_by_its_own(self):
        known = members.members(OWN, [{**GAMMA, "relay": "fe" * 20}, peer(None, "33", address="10.1.2.3"), peer(None, "44", address=None)], {})
        self.assertEqual(["10.1.2.3", "44444444", "gamma"], [one.name for one in known])
        self.assertEqual("fefefefe", known[2].way)

    def test_in_an_open_pool_a_machine_is_named_by_the_address_in_its_ad_and_a_certificate_comes_first(self):
        known = members.members(OWN, [peer(None, "33", address="10.1.2.3"), peer("beta", "44", address="10.1.2.4")], {"10.1.2.3": "gamma", "10.1.2.4": "evil"})
        self.assertEqual(["gamma", "beta"], [one.name for one in known])

    def test_machines_without_a_session_are_in_the_table(self):
        machines = [["beta", "works", "Ada", "1", "direct", 1, 1, 1], ["zeta", "free", "Ada", "1", "ring", 1, 0, 1]]
        told = {row[0]: row[1:] for row in ring.rows(members.members(OWN, PEERS, {}), machines)}
        self.assertEqual([members.UDP, "-", 1.25, "near", "direct"], told["beta"])
        self.assertEqual([ring.NONE, "-", members.UNKNOWN, "-", "ring"], told["zeta"])
        self.assertEqual("-", told["gamma"][-1])


class Pictures(unittest.TestCase):
    def test_a_line_is_straight_or_by_way_of_the_relay_and_none_goes_where_there_is_no_path(self):
        drawn = picture(OWN, PEERS)
        at = {name: place for *place, name in re.findall(r'cx="(\d+)" cy="(\d+)" r="4"><title>(\w+)', drawn)}
        top = re.search(r'cx="(\d+)" cy="(\d+)" r="8"', drawn).groups()
        lines = dict(re.findall(r'<path class="link (.*?)" d="(.*?)"/>', drawn))
        self.assertEqual({"udp near", "relayed other", "tcp shortcut"}, set(lines))
        self.assertEqual(f"M{' '.join(top)}L{' '.join(at['beta'])}", lines["udp near"])
        self.assertEqual(f"M{' '.join(top)}L{' '.join(at['beta'])}L{' '.join(at['gamma'])}", lines["relayed other"])
        self.assertIn('class="far"', drawn)

    def test_it_is_told_in_words(self):
        drawn = picture(OWN, PEERS)
        says = "4 members of the ring: 1 direct by UDP, 1 direct by TCP, 1 over a relay, 1 over the ring. Near neighbours: 1; shortcuts: 1."
        self.assertEqual(2, drawn.count(says), "in the figure's words, and for who does not see it")
        self.assertIn("<title>gamma: over a relay beta, 80.0 ms</title>", drawn)
        self.assertIn("<title>beta: direct by UDP, near, 1.2 ms</title>", drawn)

    def test_names_stand_beside_few_and_not_beside_many(self):
        self.assertEqual(ring.NAMED + 1, picture(OWN, many(ring.NAMED)).count("<text"))
        self.assertEqual(1, picture(OWN, many(ring.NAMED + 1)).count("<text"))

    def test_of_more_than_are_drawn_neighbours_and_shortcuts_stay_and_it_says_how_many_are_left_out(self):
        crowd = many(ring.MOST + 20)
        crowd[-1]["use"], crowd[-2]["use"] = "near", "shortcut"
        drawn = picture("0" * 40, crowd)
        self.assertEqual(ring.MOST, drawn.count('class="dot"') - 1)
        self.assertIn(f"Drawn are {ring.MOST} of them: ", drawn)
        for name in (f"m{ring.MOST + 19}: ", f"m{ring.MOST + 18}: "):
            self.assertIn(name, drawn)

    def test_alone_it_is_a_ring_of_one(self):
        self.assertIn("0 members of the ring. Near neighbours: 0; ", picture(OWN, []))


class Pages(unittest.TestCase):
    def shown(self, peers, status=samples.STATUS, machines=(), **query):
        """The page, as a manager shows it."""
        told, ipopd = {"machines": list(machines), "tried": console.uptime()}, WowError("no answer", "", "socket")
        with mock.patch.object(snapshot, "read", lambda: told), mock.patch.object(snapshot.pools, "read", lambda: samples.pool(node__role="manager")), \
                mock.patch.object(control, "status", side_effect=None if status else ipopd, return_value=status), \
                mock.patch.object(control, "peers", side_effect=peers if isinstance(peers, Exception) else None, return_value=peers):
            return pool.answer("/pool/ring", query, "k").decode()

    def test_it_is_sorted_filtered_and_by_pages(self):
        text = self.shown(PEERS, kind=members.RELAY)
        self.assertEqual(["gamma"], re.findall(r'<th scope="row"><bdi>(.*?)</bdi>', text))
        self.assertEqual("gamma", re.findall(r'<th scope="row"><bdi>(.*?)</bdi>', self.shown(PEERS, sort="rtt"))[0])
        self.assertIn("1 to 50 of 120.", self.shown(many(120)))
        text = self.shown(PEERS, kind=members.RELAY)
        self.assertEqual(["gamma"], re.findall(r'r="4"><title>(\w+)', text), "the picture is of those that are looked for")
        self.assertIn("has a session with 4 members of the ring", text)
        self.assertIn("Drawn are 1 of them", text)
        with self.assertRaises(pool.Refused):
            self.shown(PEERS, kind="else")

    def test_a_thousand_members_are_a_page_within_its_bounds(self):
        peers = many(ring.MOST, use="near", path="relay", endpoint=None, relay=f"{1:040x}", rtt_ms=1234.5)
        machines = [[f"m{number:04}", "free", "Ada", "1", "relay", 1, 0, 1] for number in range(ring.MOST)]
        began = time.process_time()
        text = self.shown(peers, machines=machines)
        self.assertLess(time.process_time() - began, 0.5, "ten times what it may take, for the machine may be busy")
        self.assertLess(len(text), 250_000)

    def test_where_ipopd_is_away_it_says_so_and_the_table_has_the_machines(self):
        machines = [["beta", "works", "Ada", "1", "direct", 1, 1, 1]]
        self.assertIn("<bdi>beta</bdi>", self.shown(PEERS, None, machines))
        text = self.shown(WowError("no answer", "", "socket"), machines=machines)
        self.assertIn("does not tell its peers", text)
        self.assertIn("<bdi>beta</bdi>", text)

    def test_whatever_a_peer_is_called_it_is_text(self):
        for name in HOSTILE:
            text = self.shown([peer(name, "20", address=name), peer(name, "30", path="relay", relay="20" * 20)], {**samples.STATUS, "host": name})
            self.assertFalse(set(text) & MARKS, name)
            self.assertNotIn("<script>alert", text)
            self.assertNotIn('" onmouseover="', text)


if __name__ == "__main__":
    unittest.main()
