"""Machines that are off: what the history keeps of them, and what the pool's page and `wow history machines` show."""
import json
import os
import re
import sqlite3
import unittest
from unittest import mock

from wow.condor import ads
from wow.history import keeper, ledger, looked, machines, page, server, store
from wow.lib.errors import WowError
from wow.lib.verb import Given, UsageError
from wow.verbs import history
from wow.web import pool, snapshot

import samples
from history_files import Kept
from test_history_pages import printed
from test_pool_page import NOW, machine, queue

MINUTE, DAY = 60, 86400


def work(label, seconds=3600, jobs=1):
    """Core seconds that a machine gave."""
    return ledger.Credit("alice@alpha", "surge", "Ada", label, seconds, jobs)


class Files(Kept):
    def read(self):
        """What the file has."""
        reader = store.Reader(self.path)
        try:
            return reader.machines()
        finally:
            reader.close()


class Kept(Files):
    def test_the_last_look_that_had_it_is_when_it_was_seen_last(self):
        for minute in range(15):
            here = {"beta": "Ada", "gamma": "Bob"} if minute < 13 else {"gamma": "Bob"}
            self.kept.add(NOW + minute * MINUTE, [], here)
        self.assertEqual(("Ada", NOW + 12 * MINUTE, 0, 0), self.read()["beta"])

    def test_one_that_stays_is_written_every_ten_minutes_and_not_at_each_look(self):
        seen = []
        for minute in range(25):
            self.kept.add(NOW + minute * MINUTE, [], {"beta": "Ada"})
            seen.append((self.read()["beta"][1] - NOW) // MINUTE)
        self.assertEqual([0] * 10 + [10] * 10 + [20] * 5, seen)

    def test_what_it_gave_is_added_up_and_stays_over_a_start_and_an_owner_who_changes_counts_at_once(self):
        self.kept.add(NOW, [work("beta")], {"beta": "Ada"})
        self.kept.add(NOW + MINUTE, [work("beta", 60, 2)], {})
        self.kept.close()
        self.open()
        self.kept.add(NOW + 2 * MINUTE, [], {"beta": "Eve"})
        self.assertEqual({"beta": ("Eve", NOW + 2 * MINUTE, 3660, 3)}, self.read())

    def test_a_file_of_before_gets_the_table(self):
        with sqlite3.connect(self.path) as file:
            file.execute("DROP TABLE machine")
        file.close()
        self.kept.close()
        self.open()
        self.kept.add(NOW, [], {"beta": "Ada"})
        self.assertIn("beta", self.read())

    def test_it_is_bounded_and_strangers_names_push_out_none_that_worked_or_was_there_within_a_day(self):
        self.kept.add(NOW - 9 * DAY, [work("worked")], {"worked": "Ada"})
        self.kept.add(NOW - 9 * DAY, [], {"idle": "Ada"})
        at = NOW
        for look in range(machines.MOST // machines.NEW + 5):
            at += MINUTE
            self.kept.add(at, [], {**{f"x{look}n{number}": "Eve" for number in range(1000)}, "beta": "Ada"})
        known = self.read()
        self.assertEqual(machines.MOST, len(known))
        self.assertEqual((True, False), ("worked" in known, "idle" in known), "idle gave nothing, and was seen longest ago")
        self.kept.add(at + MINUTE, [], {"newcomer": "Ada", "beta": "Ada"})
        self.assertFalse("newcomer" in self.read(), "all others were there within a day, or gave something")
        self.kept.add(at + 2 * DAY, [], {"newcomer": "Ada", "beta": "Ada"})
        self.assertEqual(set(), {"newcomer", "beta", "worked"} - set(self.read()))
        for look in range(machines.MOST // machines.NEW):
            self.kept.add(at + 40 * DAY + look, [], {f"y{look}n{number}": "Eve" for number in range(machines.NEW)})
        self.assertFalse("worked" in self.read(), "it was there more than 30 days ago")

    def test_a_clock_that_is_wrong_takes_no_machine_away(self):
        self.kept.add(NOW, [], {"beta": "Ada", "gamma": "Bob"})
        for at in (NOW + 9999 * DAY, NOW + MINUTE, NOW - 9999 * DAY, NOW + 2 * MINUTE):
            self.kept.add(at, [], {"beta": "Ada"})
        self.assertEqual({"beta", "gamma"}, set(self.read()))
        self.assertEqual(NOW + 2 * MINUTE, self.read()["beta"][1])

    def test_after_a_failure_it_is_written_anew(self):
        self.kept.add(NOW, [], {"beta": "Ada"})
        with mock.patch.object(machines, "GAVE", "no SQL"), self.assertRaises(sqlite3.Error):
            self.kept.add(NOW + 11 * MINUTE, [], {"beta": "Ada", "gamma": "Bob"})
        self.assertEqual({"beta": ("Ada", NOW, 0, 0)}, self.read(), "half of a look is none")
        self.kept.add(NOW + 12 * MINUTE, [], {"beta": "Ada", "gamma": "Bob"})
        self.assertEqual([NOW + 12 * MINUTE] * 2, [one[1] for one in self.read().values()])


class Shown(Files):
    def look(self, *said):
        """The snapshot of these ads."""
        page.Page(lambda: printed(*said), self.path, f"{self.path}.json", lambda: 1000.0, lambda: NOW, None).look()
        return snapshot.read(f"{self.path}.json")

    def shown(self, told, path="/pool/machines", **query):
        """The page, as a manager shows it."""
        seen = snapshot.Seen("science", told, [])
        with mock.patch.object(snapshot, "is_there", lambda: True), mock.patch.object(snapshot, "look", lambda **_: seen):
            return pool.answer(path, query, "k").decode()

    def fill(self):
        """gamma was there two days ago, delta forty, and beta a minute ago."""
        self.kept.add(NOW - 40 * DAY, [], {"delta": "Old"})
        self.kept.add(NOW - 2 * DAY, [work("gamma", 7200, 5)], {"gamma": "Bob"})
        self.kept.add(NOW - MINUTE, [work("beta", 3600, 2)], {"beta": "Ada"})

    def test_a_snapshot_tells_who_is_off_and_what_each_gave(self):
        self.fill()
        told = self.look(machine(), queue())
        self.assertEqual([["gamma", "Bob", NOW - 2 * DAY, 7200, 5]], told["off"])
        self.assertEqual({"beta": [3600, 2], "alpha": [0, 0]}, {one[0]: one[8:] for one in told["machines"]})

    def test_the_table_shows_them_and_the_filter_shows_them_alone(self):
        self.fill()
        told = self.look(machine(), queue())
        self.assertEqual(["alpha", "beta", "gamma"], re.findall(r'<th scope="row"><bdi>(.*?)</bdi>', self.shown(told)))
        text = self.shown(told, kind="off")
        self.assertEqual(["gamma"], re.findall(r'<th scope="row"><bdi>(.*?)</bdi>', text))
        self.assertIn("1 to 1 of 1, of 3 in all.", text)
        for word in ("<bdi>Bob</bdi>", "2027-01-13T08:00:00Z", '<td class="number">2</td><td class="number">5</td>'):
            self.assertIn(word, text)
        self.assertEqual(["gamma", "beta", "alpha"], re.findall(r'<th scope="row"><bdi>(.*?)</bdi>', self.shown(told, sort="hours")))
        self.assertEqual("gamma", re.findall(r'<th scope="row"><bdi>(.*?)</bdi>', self.shown(told, sort="seen"))[0])
        self.assertIn("<dt>Off, seen within 30 days</dt><dd>1</dd>", self.shown(told, "/pool"))
        self.assertIn("2: 1 free, 1 only submits", self.shown(told, "/pool"))

    def test_who_was_seen_while_the_clock_was_ahead_is_not_told_of_for_years(self):
        self.fill()
        self.kept.add(NOW + 3600 * DAY, [], {"omega": "Ada"})
        self.kept.add(NOW + MINUTE, [], {"zeta": "Ada"})
        self.assertEqual(["beta", "gamma", "zeta"], [one[0] for one in self.look(machine("alpha"))["off"]])

    def test_where_more_are_there_than_the_page_has_one_that_was_just_seen_is_not_told_as_off(self):
        self.fill()
        self.kept.add(NOW - MINUTE, [], {"beta": "Ada"})
        self.assertEqual(["beta", "gamma"], [one[0] for one in self.look(machine("alpha"))["off"]])
        with mock.patch.object(looked, "MOST_MACHINES", 1):
            self.assertEqual(["gamma"], [one[0] for one in self.look(machine("alpha"), machine("omega"))["off"]])

    def test_a_table_of_thousands_is_a_page_of_fifty(self):
        for look in range(machines.MOST // machines.NEW):
            self.kept.add(NOW - DAY, [], {f"m{look}n{number}": "Ada" for number in range(machines.NEW)})
        told = self.look(machine())
        self.assertEqual(machines.MOST, len(told["off"]))
        self.assertLess(os.path.getsize(f"{self.path}.json"), snapshot.LARGEST // 4)
        text = self.shown(told, kind="off", page="80")
        self.assertIn(f"3951 to 4000 of {machines.MOST}", text)
        self.assertLess(len(text), 30_000)

    def test_a_history_that_cannot_be_read_leaves_the_machines_that_are_there(self):
        self.kept.close()
        with open(self.path, "wb") as file:
            file.write(b"x" * 5000)
        told = self.look(machine())
        self.assertEqual(([], ["beta"]), (told["off"], [one[0] for one in told["machines"]]))
        self.assertIn("cannot be read", told["lost"])


class Typed(Files):
    def told(self):
        """What `wow history machines` gets."""
        kept = keeper.Keeper(self.kept, self.path, lambda: NOW)
        self.kept.add(NOW - 2 * DAY, [work("gamma", 7200, 5)], {"gamma": "Bob"})
        self.kept.add(NOW - 40 * DAY, [], {"delta": "Old"})
        kept.round(printed(machine(), queue()), 0.0)
        self.assertRaises(ValueError, kept.machines, "days=3")
        return json.loads(kept.machines("")[1])["machines"]

    def test_who_was_seen_last_comes_first_and_who_is_there_is_told_so(self):
        self.assertEqual([("alpha", True, "2027-01-15T08:00:00Z", 0.0, 0), ("beta", True, "2027-01-15T08:00:00Z", 0.0, 0), ("gamma", False, "2027-01-13T08:00:00Z", 2.0, 5)],
                         [(one["name"], one["here"], one["seen"], one["core_hours"], one["jobs"]) for one in self.told()])

    def test_people_see_those_that_are_off(self):
        lines = history.off(self.told())
        self.assertIn("2 machines are there; 1 are off", lines[0])
        self.assertRegex(lines[-1], "^gamma +Bob +2027-01-13T08:00:00Z +2.0 +5$")
        many = [{"name": f"m{number}\x1b", "owner": "x", "here": False, "seen": "x\x1b", "core_hours": 0.0, "jobs": 0} for number in range(25)]
        self.assertIn("and 5 more: --json", "\n".join(history.off(many)))
        self.assertNotIn("\x1b", "\n".join(history.off(many)))

    def test_a_history_that_cannot_be_read_is_unavailable(self):
        kept = keeper.Keeper(self.kept, f"{self.path}.none", lambda: NOW)
        self.assertRaises(server.Unavailable, kept.machines, "")

    def test_the_word_takes_no_option_of_another(self):
        for options in ({"--new": ""}, {"--days": "3"}):
            self.assertRaises(UsageError, history.run, Given(["machines"], options))
        self.assertRaises(UsageError, history.run, Given(["else"], {}))

    def test_a_queue_s_machine_has_its_owner(self):
        sample = ads.read(printed(queue(WowOwner="Eve"), machine(), queue("beta", WowOwner="Eve")))
        self.assertEqual({"alpha": "Eve", "beta": "Ada"}, sample.here())
        self.assertRaises(WowError, history.ask, "localhost", "a b", "/machines")


if __name__ == "__main__":
    unittest.main()
