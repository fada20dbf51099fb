"""The limits of the overlay: ipopd is told of the speed, the month is counted and outlives what there is, its share is a pause until the next month."""
import datetime
import json
import pathlib
import tempfile
import time
import unittest
from unittest import mock

from test_limits import DAY, HOUR, MONDAY, Case

from wow.lib import paths
from wow.lib.errors import WowError
from wow.limits import line, month, state, words
from wow.page import text as console
from wow.pause import state as pause_state
from wow.stack import lent
from wow.stops import holding
from wow.stops import tell as pause_tell
from wow.stops import words as pause_words
from wow.web import pages

GB = month.GIGABYTE
FEBRUARY = int(datetime.datetime(2027, 2, 1, tzinfo=datetime.timezone.utc).timestamp())


class Months(Case):
    """wow-jobs on a machine; `boot` seconds since it began."""

    def setUp(self):
        super().setUp()
        self.boot, self.now, self.uptime = "one", 1000.0, 900
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.place = pathlib.Path(made.name)
        for patch in (mock.patch.object(pause_state, "now", lambda: pause_state.Clock(self.wall, self.now, self.boot)),
                      mock.patch.object(paths, "BESIDE", str(self.place / "beside"))):
            patch.start()
            self.addCleanup(patch.stop)
        self.line = self.begin()

    def begin(self):
        """wow-jobs starts."""
        return line.Line(lambda: self.wall)

    def passes(self, seconds, sent=0, received=0):
        """Time, and what went meanwhile; then a round."""
        self.now, self.wall, self.uptime = self.now + seconds, self.wall + seconds, self.uptime + seconds
        if self.carried is not None:
            self.carried["sent_bytes"] += sent
            self.carried["received_bytes"] += received
        self.line.round(self.now)

    def beside(self, sent, received):
        """What wow-stack says that origins took and sent since this start."""
        self.place.joinpath("beside").write_text(f"{sent} {received}\n", encoding="ascii")

    def restarts(self):
        """ipopd starts anew."""
        self.carried, self.uptime = {"sent_bytes": 0, "received_bytes": 0, "speed": None, "waits": 0}, 0

    def kept(self):
        return month.read().facts()

    def counted(self):
        self.line.close()
        return self.kept()["month"], self.kept()["sent_bytes"], self.kept()["received_bytes"]


class Speed(Months):
    def test_ipopd_is_told_once_again_after_each_of_its_starts_and_when_it_ends(self):
        self.passes(5)
        self.ask(speed="500")
        self.assertIn("The speed holds in a moment, or when ipopd runs.", words.waits(state.read()))
        self.passes(5)
        self.passes(5)
        self.assertEqual(self.asked, [500])
        self.assertNotIn("The speed holds in a moment, or when ipopd runs.", words.waits(state.read()))
        self.carried = None
        self.passes(5)
        self.restarts()
        self.passes(5)
        self.passes(5)
        self.assertEqual(self.asked, [500, 500])
        self.ask(speed="none")
        self.passes(5)
        self.passes(5)
        self.assertEqual(self.asked, [500, 500, 0])

    def test_one_that_was_told_before_this_program_began_is_told_of_its_end(self):
        self.carried["speed"] = 64
        self.passes(5)
        self.assertEqual(self.asked, [0])

    def test_while_nothing_is_limited_ipopd_is_asked_twice_a_minute(self):
        with mock.patch.object(line.control, "status", side_effect=lambda **_: self.ipopd("status")) as asked:
            for _ in range(24):
                self.passes(5)
            self.assertIn(asked.call_count, (4, 5))
            self.ask(month="20")
            for _ in range(4):
                self.passes(5)
            self.assertIn(asked.call_count, (8, 9))


class Counting(Months):
    def test_both_ways_are_counted_and_written_every_five_minutes(self):
        self.passes(30, 1000, 500)
        self.assertEqual(self.kept(), {"month": "2027-01", "sent_bytes": 1000, "received_bytes": 500})
        self.passes(30, 1000, 500)
        self.assertEqual(self.kept()["sent_bytes"], 1000)
        self.passes(300, 1000, 500)
        self.assertEqual((self.kept()["sent_bytes"], self.kept()["received_bytes"]), (3000, 1500))

    def test_what_ipopd_carried_while_this_program_was_away_is_counted_once(self):
        self.passes(30, 1000, 500)
        self.line.close()
        self.carried["sent_bytes"] += 70
        self.line = self.begin()
        self.passes(30)
        self.assertEqual(self.counted(), ("2027-01", 1070, 500))

    def test_a_look_that_was_late_counts_nothing_twice(self):
        """This machine looks at its clock late, as when its host is busy; ipopd told its age and counters in time."""
        self.passes(30, 6 * GB)
        for late in (0, 4, 0, 600, 0):
            self.now += late
            self.passes(30)
            self.now -= late
        self.assertEqual(self.counted(), ("2027-01", 6 * GB, 0))

    def test_a_run_that_carried_more_at_its_first_look_than_the_one_before_it_is_known_by_its_age(self):
        self.passes(30, 1000, 500)
        self.restarts()
        self.passes(30, 2000, 600)
        self.assertEqual(self.counted(), ("2027-01", 3000, 1100))

    def test_a_new_run_of_ipopd_and_a_new_boot_begin_at_nothing_and_add(self):
        self.passes(30, 1000, 500)
        self.restarts()
        self.passes(30, 2000, 10)
        self.assertEqual(self.counted(), ("2027-01", 3000, 510))
        self.restarts()
        self.boot, self.now, self.uptime = "two", 20.0, 10
        self.line = self.begin()
        self.passes(30, 4000, 10)
        self.assertEqual(self.counted(), ("2027-01", 7000, 520))

    def test_what_came_from_origins_past_the_overlay_is_counted_once_and_after_a_restart_of_anything(self):
        self.beside(100, 5000)
        self.passes(30, 1000, 500)
        self.passes(30)
        self.assertEqual(self.counted(), ("2027-01", 1100, 5500))
        self.beside(150, 6000)
        self.line = self.begin()
        self.passes(30)
        self.line = self.begin()
        self.passes(30)
        self.assertEqual(self.counted(), ("2027-01", 1150, 6500))
        self.boot, self.now, self.uptime = "two", 20.0, 10
        self.beside(200, 7000)
        self.line = self.begin()
        self.passes(30)
        self.assertEqual(self.counted(), ("2027-01", 1350 + 1000, 13500 + 500), "another boot begins at nothing")

    def test_a_file_of_a_former_release_is_as_good(self):
        self.passes(30, 1000, 500)
        kept = json.loads(pathlib.Path(month.FILE).read_text(encoding="utf-8"))
        del kept["beside"]
        kept["run"][1] = 100  # when ipopd began, in seconds of the boot
        pathlib.Path(month.FILE).write_text(json.dumps(kept), encoding="utf-8")
        self.line = self.begin()
        self.beside(1, 2)
        self.passes(30)
        self.assertEqual(self.counted(), ("2027-01", 1001, 502))

    def test_origins_use_up_the_month_too(self):
        self.ask(month="1")
        self.beside(0, GB)
        self.passes(5)
        self.assertEqual(holding.read().who, month.WHO)
        with self.assertRaisesRegex(WowError, "share of the line is used up"):
            lent.check()

    def test_a_loss_of_power_loses_five_minutes_at_most(self):
        for _ in range(100):
            self.passes(30, 1000)
        lost = 100 * 1000 - self.kept()["sent_bytes"]
        self.assertLessEqual(lost, 10 * 1000)

    def test_a_month_begins_when_the_clock_has_said_so_for_a_minute_and_three_are_kept(self):
        self.passes(30, 1000)
        for later in (1, 2, 3, 4):
            self.wall = int(datetime.datetime(2027, 1 + later, 1, tzinfo=datetime.timezone.utc).timestamp())
            self.passes(30, 1)
            self.assertEqual(self.counted()[0], f"2027-{later:02}")
            self.passes(61, 10 ** later)
        self.assertEqual(self.counted(), ("2027-05", 10 ** 4, 0))
        self.assertEqual(len(month.read().months), month.KEPT)

    def test_it_is_the_month_of_the_machine_s_zone(self):
        self.zone("Pacific/Auckland")
        self.wall = FEBRUARY - 10 * HOUR
        self.passes(30, 1000)
        self.assertEqual(self.counted()[0], "2027-02")
        self.assertEqual(time.strftime("%Y-%m-%d %H:%M", time.localtime(month.end("2027-12"))), "2028-01-01 00:00")

    def test_a_clock_that_is_wrong_for_a_moment_begins_no_month(self):
        self.passes(30, 1000)
        for wall in (5, FEBRUARY + 400 * DAY, 5):
            self.wall = wall
            self.passes(30, 1000)
            self.wall = MONDAY
            self.passes(30)
        self.assertEqual(self.counted(), ("2027-01", 4000, 0))

    def test_one_that_nothing_vouches_for_needs_an_hour(self):
        self.follows = "nothing"
        self.passes(30, 1000)
        self.wall = FEBRUARY
        self.passes(30, 1000)
        for _ in range(100):
            self.passes(30, 10)
        self.assertEqual(self.counted(), ("2027-01", 3000, 0))
        for _ in range(30):
            self.passes(30, 10)
        self.assertEqual(self.counted()[0], "2027-02")

    def test_one_that_was_ahead_gave_nothing_and_ends_nothing_for_ever(self):
        self.passes(30, 1000)
        self.wall = FEBRUARY + 900 * DAY
        self.passes(30)
        self.passes(70, 200)
        self.assertEqual(self.counted(), ("2029-07", 200, 0))
        self.wall = MONDAY
        self.passes(30)
        self.passes(70, 3)
        self.assertEqual(self.counted(), ("2027-01", 1203, 0))
        self.wall = FEBRUARY
        self.passes(30)
        self.passes(70, 4)
        self.assertEqual(self.counted(), ("2027-02", 4, 0))

    def test_one_that_was_behind_is_followed_to_the_right_month(self):
        self.wall = 5
        self.passes(30, 1000)
        self.assertEqual(self.counted(), ("1970-01", 1000, 0))
        self.wall = MONDAY
        self.passes(30)
        self.passes(70, 4)
        self.assertEqual(self.counted(), ("2027-01", 4, 0))

    def test_a_bad_file_is_told_and_counted_anew(self):
        self.passes(30, 1000)
        good = json.loads(pathlib.Path(month.FILE).read_text(encoding="utf-8"))
        bad = [b"", b"{", b"[]", b"\xff", b"[" * 4000] + [json.dumps({name: value for name, value in good.items() if name != gone}).encode() for gone in good if gone != "beside"]
        bad += [json.dumps({**good, **change}).encode() for change in (
            {"months": []}, {"months": {"2027-13": [1, 1]}}, {"months": {"2027-1": [1, 1]}}, {"months": {"2027-01": [1]}}, {"months": {"2027-01": [-1, 1]}}, {"months": {"2027-01": [True, 1]}},
            {"months": {"2027-01": [1 << 61, 1]}}, {"months": {"٢٠٢٧-01": [1, 1]}}, {"run": 5}, {"run": ["one", 1, 2]}, {"run": ["one", 1.5, 2, 3]}, {"beside": 5}, {"beside": ["one", 0, -2, 3]}, {"full": "1"}, {"full": -1})]
        for data in bad:
            pathlib.Path(month.FILE).write_bytes(data)
            with self.assertRaises(WowError, msg=data[:60]):
                month.load()
            self.assertEqual(month.read().carried, (0, 0), data[:60])
        with mock.patch("builtins.print") as told:
            self.line = self.begin()
        self.assertIn(month.FILE, str(told.call_args[0][0]))
        self.passes(30, 5)
        self.assertEqual(self.counted(), ("2027-01", 1005, 0))

    def test_a_full_disk_is_told_and_what_was_counted_is_written_later(self):
        with mock.patch.object(month.files, "write", side_effect=OSError(28, "No space left on device")), self.assertRaises(OSError):
            self.passes(30, 1000)
        self.passes(600, 1000)
        self.assertEqual(self.kept()["sent_bytes"], 2000)


class Share(Months):
    def test_when_it_is_used_up_jobs_stop_until_the_next_month_or_a_larger_share(self):
        freezer = self.job()
        self.passes(5, 1)
        self.ask(month="2", speed="500")
        self.passes(5, GB, GB - 2)
        self.assertIsNone(holding.read())
        self.passes(5, 1)
        found = holding.read()
        self.assertEqual((found.who, found.since, found.until, found.finish), (month.WHO, self.wall, FEBRUARY, False))
        since = self.wall
        for _ in range(100):
            self.passes(5, 1000)
            self.assertEqual((holding.read().since, holding.read().until), (since, FEBRUARY), "HTCondor would be told again and again")
        self.ask(month="3")
        self.assertEqual((holding.read(), freezer.read_text()), (None, "0"))
        self.ask(month="1")
        self.assertEqual((holding.read().who, freezer.read_text()), (month.WHO, "1"))
        self.ask(month="none")
        self.assertEqual((holding.read(), freezer.read_text()), (None, "0"))

    def test_it_outlives_a_restart_and_a_clock_set_back_and_ends_with_the_month(self):
        self.ask(month="1")
        self.passes(5, GB)
        self.restarts()
        self.boot, self.now, self.uptime = "two", 20.0, 10
        self.line = self.begin()
        self.passes(5)
        self.assertEqual(holding.read().who, month.WHO)
        self.wall = MONDAY - 40 * DAY
        self.passes(5)
        self.passes(70)
        self.assertEqual(holding.read().who, month.WHO)
        self.wall = MONDAY
        self.passes(70)
        self.passes(70)
        self.wall = FEBRUARY
        self.passes(5)
        self.passes(70)
        self.assertIsNone(holding.read())
        self.assertEqual(self.counted()[1], 0)

    def test_the_owner_s_pause_stands_above_and_a_month_lasts_longer_than_hours(self):
        own, ends = pause_state.Pause(MONDAY, None, False, "alice"), pause_state.Pause(MONDAY, None, True, "alice")
        self.ask(month="1", hours="tue 9-17")
        self.passes(5, GB)
        self.assertEqual([holding.over(one).who for one in (None, own, ends)], [month.WHO, "alice", month.WHO])

    def test_the_words_say_which_limit_until_when_and_what_ends_it(self):
        self.ask(month="1", speed="500")
        self.passes(5, GB)
        found = holding.read()
        said = pause_words.told(found)
        for word in ("the owner's limit of a month", "until 2027-02-01 00:00 UTC", "wow limit clear month"):
            self.assertIn(word, said)
        self.assertIn("in a month", pause_tell.config(found))
        self.assertEqual(words.sentence(state.read()), "500 kB/s sent; 1 GB a month, of which 1.0 GB are used")
        facts = console.Facts(MONDAY, "science", "worker")
        facts.pause = found
        self.assertTrue(any("month's share is used up" in one and "2027-02-01" in one for one in console.lines(facts)))
        self.assertEqual(console.mode(facts), console.WORKS)
        with mock.patch.object(pages, "_has_slots", lambda _: True):
            self.assertNotIn("Resume now", pages._acts(mock.Mock(facts=facts), "key"))


if __name__ == "__main__":
    unittest.main()
