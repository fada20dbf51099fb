"""Managers that were started anew: when this machine notices, whom it asks, and when it tells of itself."""
import unittest
from unittest import mock

from wow.condor import pace
from wow.jobs import queue, returned
from wow.lib import control, files, system
import samples

MANAGER, SECOND = "10.128.0.1", "10.128.0.2"
TWO = [{"host": "manager", "address": MANAGER, "ca": True}, {"host": "second", "address": SECOND, "ca": False}]
LISTED = (0, "DaemonMaster\nScheduler\nMachine\n")


def peer(address, boot):
    """A peer that proved this boot id."""
    return {"address": address, "boot": boot}


class Boots(unittest.TestCase):
    def test_another_boot_id_than_before_is_told_once(self):
        boots = returned.Boots()
        self.assertEqual([], boots.renewed([peer(MANAGER, "0a")], [MANAGER]))
        self.assertEqual([], boots.renewed([peer(MANAGER, "0a")], [MANAGER]))
        self.assertEqual([MANAGER], boots.renewed([peer(MANAGER, "0b")], [MANAGER]))
        self.assertEqual([], boots.renewed([peer(MANAGER, "0b")], [MANAGER]))

    def test_one_that_was_away_for_a_while_is_remembered(self):
        boots = returned.Boots()
        for present, renewed in (("0a", []), (None, []), ("0a", []), (None, []), ("0b", [MANAGER])):
            self.assertEqual(renewed, boots.renewed([peer(MANAGER, present)] if present else [], [MANAGER]))

    def test_one_that_is_met_later_than_at_the_first_look_may_not_know_this_machine(self):
        boots = returned.Boots()
        self.assertEqual([], boots.renewed([], [MANAGER]))
        self.assertEqual([MANAGER], boots.renewed([peer(MANAGER, "0a")], [MANAGER]))

    def test_strangers_are_not_looked_at(self):
        boots = returned.Boots()
        boots.renewed([peer(MANAGER, "0a"), peer("10.128.9.9", "0a")], [MANAGER])
        self.assertEqual([], boots.renewed([peer("10.128.9.9", "0b"), peer(None, "0c"), peer(MANAGER, "0a")], [MANAGER]))


class Rounds(unittest.TestCase):
    """Rounds of a worker every five seconds from 100 on; the manager is started anew before the second."""

    def setUp(self):
        self.questions, self.answers, self.told, self.pace = [], [], [], 30

    def played(self, rounds=40, listed=(), **changes):
        """When this machine told of itself in so many rounds."""
        def run(words, **_):
            self.questions.append(words[2])
            return self.answers.pop(0) if self.answers else LISTED

        known = {**samples.STATUS, "manager": MANAGER, "managers": list(listed)}
        with mock.patch.object(control, "status", lambda: known), \
                mock.patch.object(control, "peers", lambda: [peer(MANAGER, "0a" if self.now < 105 else "0b")]), \
                mock.patch.object(system, "run", run), mock.patch.object(queue, "advertise", lambda: self.told.append(self.now)), \
                mock.patch.object(files, "find", lambda path: f"UPDATE_INTERVAL = {self.pace}\n" if path == pace.FILE else None), \
                mock.patch.object(returned.random, "uniform", lambda least, most: most), mock.patch("builtins.print"):
            watch = returned.Returned(samples.pool(**changes))
            for self.now in range(100, 100 + 5 * rounds, 5):
                watch.round(self.now)
        return self.told

    def test_a_manager_that_does_not_list_this_machine_any_more_is_told_until_it_does(self):
        self.answers = [(0, ""), (0, "Scheduler\n")]
        self.assertEqual([105, 110], self.played())
        self.assertEqual(["manager.science.internal"] * 3, self.questions)

    def test_one_that_lists_queue_and_slots_has_another_id_for_another_reason(self):
        self.assertEqual(([], 1), (self.played(), len(self.questions)))

    def test_a_machine_without_slots_misses_none(self):
        self.answers = [(0, "Scheduler\n")]
        self.assertEqual([], self.played(node__role="login"))

    def test_a_collector_that_is_not_there_yet_is_asked_again(self):
        self.answers = [(1, "no answer"), (124, ""), (0, "")]
        self.assertEqual([115], self.played())

    def test_one_that_never_takes_this_machine_is_told_ever_more_rarely_and_given_up(self):
        self.answers = [(0, "")] * 99
        self.assertEqual([105, 110, 120, 140, 175, 240, 370], self.played(200))

    def test_one_whose_collector_never_answers_is_given_up(self):
        self.answers = [(1, "")] * 999
        self.assertEqual([], self.played(200))
        self.assertEqual(60, len(self.questions))

    def test_machines_of_a_large_pool_come_one_after_the_other(self):
        self.pace, self.answers = 300, [(0, "")]
        (told,) = self.played()
        self.assertLessEqual(50, told - 105)
        self.assertLess(told - 105, 60)

    def test_the_list_says_who_the_managers_are(self):
        self.played(listed=[{"host": "boss", "address": MANAGER, "ca": True}])
        self.assertEqual(["boss.science.internal"], self.questions)

    def test_each_of_several_managers_is_looked_at(self):
        self.assertEqual({MANAGER: "manager", SECOND: "second"}, returned.places(samples.pool(), {**samples.STATUS, "managers": TWO}))
        self.assertEqual({}, returned.places(samples.pool(), {**samples.STATUS, "managers": [], "manager": None}))


if __name__ == "__main__":
    unittest.main()
