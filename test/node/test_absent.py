"""Who is absent: whose ads a manager takes away, what ipopd answers, and whose certificates were revoked."""
import json
import os
import tempfile
import types
import unittest
from unittest import mock

from wow.jobs import ads
from wow.lib import barred, overlay
import samples

BETA, GAMMA = "10.128.0.2", "10.128.0.3"


class BarredTests(unittest.TestCase):
    """The addresses whose certificates were revoked."""

    def test_what_is_kept_is_read_with_its_age(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "revoked")
            self.assertEqual(barred.read(path), (0.0, set()))
            with mock.patch("wow.lib.console.uptime", lambda: 100.0):
                barred.write({BETA, GAMMA}, path)
            with mock.patch("wow.lib.console.uptime", lambda: 107.5):
                self.assertEqual(barred.read(path), (7.5, {BETA, GAMMA}))


class TurnTests(unittest.TestCase):
    """Whose ads a manager takes away."""

    def test_who_does_not_answer_twice_is_gone(self):
        turns = ads.Turns()
        self.assertEqual(turns.next({BETA: {1}, GAMMA: {2}}), [BETA, GAMMA])
        self.assertEqual(turns.heard({BETA: None, GAMMA: "a"}, True), [])
        self.assertEqual(turns.next({GAMMA: {2}}), [BETA, GAMMA], "who has lost its connection is asked once more")
        self.assertEqual(turns.heard({BETA: None, GAMMA: "a"}, True), [BETA])
        self.assertEqual(turns.next({GAMMA: {2}}), [GAMMA])

    def test_who_is_gone_is_gone_once_until_it_answers(self):
        turns = ads.Turns()
        for boot, gone in ((None, []), (None, [BETA]), (None, []), (None, []), ("b", []), (None, []), (None, [BETA])):
            self.assertEqual(turns.next({BETA: {1}}), [BETA])
            self.assertEqual(turns.heard({BETA: boot}, True), gone)

    def test_who_was_back_between_two_looks_and_went_again_is_gone_again(self):
        turns = ads.Turns()
        for connections, gone in (({1}, []), ({1}, [BETA]), ({1}, []), ({1, 2}, []), ({1, 2}, [BETA]), ({2}, [])):
            self.assertEqual(turns.next({BETA: connections}), [BETA])
            self.assertEqual(turns.heard({BETA: None}, True), gone)

    def test_one_answer_counts(self):
        turns = ads.Turns()
        for boot in (None, "a", None, "a", None):
            self.assertEqual(turns.heard({BETA: boot}, True), [])

    def test_a_manager_that_reaches_nobody_takes_nothing_away(self):
        turns = ads.Turns()
        for _ in range(10):
            self.assertEqual(turns.heard({BETA: None, GAMMA: None}, False), [])

    def test_a_large_pool_is_asked_in_turn(self):
        turns, machines, asked = ads.Turns(), {f"10.128.1.{number}": {number} for number in range(1, 101)}, []
        for _ in range(5):
            some = turns.next(machines)
            self.assertEqual(len(some), ads.SOME)
            asked += some
            turns.heard(dict.fromkeys(some, "a"), True)
        self.assertEqual(sorted(asked), sorted(machines))


class KeeperTests(unittest.TestCase):
    """A manager's rounds."""

    def test_who_is_revoked_is_taken_away_once_also_without_a_connection(self):
        taken, revoked = [], set()
        with mock.patch.object(ads.collector, "own", lambda _: "here"), mock.patch.object(ads, "clients", dict), \
                mock.patch.object(overlay, "boots", lambda _: {}), mock.patch.object(barred, "read", lambda: (0.0, set(revoked))), \
                mock.patch.object(ads, "take_away", lambda gone, own, why: taken.append((gone, own))):
            keeper = ads.Keeper(None)
            for address in (None, GAMMA, BETA, None):
                revoked |= {address} - {None}
                keeper.round(0.0)
        self.assertEqual(taken, [([GAMMA], "here"), ([BETA], "here")])


class Ipopd:
    """What answers pings, on a clock of its own: the silent ones when their time is over, each other one after 10 ms."""

    def __init__(self, silent):
        self.silent, self.now, self.open, self.most, self._links = silent, 0.0, set(), 0, {}

    def poll(self):
        """select.poll: waits on this clock."""
        waited = {}

        def wait(milliseconds):
            begin = min(link.at for link in waited.values())
            self.now = max(self.now, min(begin, self.now + milliseconds / 1000))
            return [(number, 1) for number, link in waited.items() if link.at <= self.now]

        return types.SimpleNamespace(register=lambda link, _: waited.update({link.fileno(): link}), unregister=waited.pop, poll=wait)

    def socket(self, *_):
        """A link to it."""
        number = len(self._links) + 100
        link = self._links[number] = types.SimpleNamespace(at=0.0, said=b"", fileno=lambda: number, settimeout=lambda _: None, connect=lambda _: None)

        def ask(line):
            target, patience = (json.loads(line)[name] for name in ("target", "timeout_ms"))
            is_there = target not in self.silent
            link.at = self.now + (0.01 if is_there else patience / 1000)
            link.said = json.dumps({"ok": True, "boot": target if is_there else None, "boot_met_s": 60.0 if is_there else None}).encode() + b"\n"
            self.open.add(number)
            self.most = max(self.most, len(self.open))

        link.sendall, link.recv, link.close = ask, lambda _: link.said, lambda: self.open.discard(number)
        return link


class OverlayTests(unittest.TestCase):
    """ipopd's answers."""

    def test_an_address_is_here_if_it_is_this_machine_s(self):
        self.assertEqual((overlay.is_here("127.0.0.1"), overlay.is_here("192.0.2.1")), (True, False))

    def test_of_a_thousand_machines_those_that_are_silent_keep_none_of_the_others_waiting(self):
        addresses = [f"10.128.{number // 250}.{number % 250 + 1}" for number in range(1000)]
        ipopd = Ipopd(set(addresses[5::33]))
        with mock.patch.object(overlay.socket, "socket", ipopd.socket), mock.patch.object(overlay.select, "poll", ipopd.poll), \
                mock.patch.object(overlay.time, "monotonic", lambda: ipopd.now):
            found = overlay.boots(addresses)
        self.assertEqual({address for address, boot in found.items() if boot is None}, ipopd.silent)
        self.assertEqual((list(found), ipopd.most, ipopd.open), (addresses, overlay.MOST, set()))
        self.assertLess(ipopd.now, 2 * overlay.PATIENCE + 1)
        last = found[addresses[-1]]
        self.assertLess(last.met, 60.0, "as of when the first was asked")

    def test_only_an_answer_with_a_boot_id_is_somebody(self):
        boot = overlay.boot_of(b'{"ok":true,"rtt_ms":1.5,"boot":"00000000000000ab","boot_met_s":7}\n')
        self.assertEqual((boot.identity, boot.met), ("00000000000000ab", 7.0))
        self.assertEqual((None, "beta"), (boot.host, overlay.boot_of(json.dumps(samples.PING).encode()).host))
        for line in (b"", b"{", b"[]", b'{"ok":true,"boot":null,"boot_met_s":null}\n', b'{"boot":"ab"}', b'{"error":"not found","code":"not-found","ok":false}\n', b'{"boot":5}'):
            self.assertIsNone(overlay.boot_of(line), line)
