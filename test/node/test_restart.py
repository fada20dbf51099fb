"""A machine that starts again by itself, for modules that wait for that: when, what holds it, and that it cannot go round."""
import json
import os
import tempfile
import unittest
from unittest import mock

import samples
from test_stack import BASE, EMPTY, IMAGE, NODE, WHOLE, BYTES, Root, notice
from wow.computer import seen, settings
from wow.jobs import keeper
from wow.lib import modes, system
from wow.lib.errors import WowError
from wow.pause import state as pauses
from wow.stack import bring, kept, peers, people, restart, said, term, text, told, waiting

WALL = 1_795_700_000
"""Unix time when the machine started, of this test's clock."""
HOUR = 3600
REBOOT = ["systemctl", "reboot", "--no-block"]


class Machine(Root, unittest.TestCase):
    """A machine that was up for an hour when a stack came. self.now: seconds since it started."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        self.now, self.ahead, self.share = float(HOUR), 0.0, 0.5
        self.ran, self.jobs, self.shadows, self.there, self.wrote, self.trouble = [], [], set(), {}, [], None
        self.started("image")
        for patch in (mock.patch.object(term, "clock", lambda: 100.0), mock.patch.object(term, "NOTICE", f"{self.root}/notice-4"),
                      mock.patch.object(told, "FILE", f"{self.root}/stack.json"), mock.patch.object(said, "FILE", f"{self.root}/stack.json"),
                      mock.patch.object(told, "AGAIN_FILE", f"{self.root}/restart.json"), mock.patch.object(modes, "FILE", f"{self.root}/mode"),
                      mock.patch.object(kept, "STARTED", f"{self.root}/stack"), mock.patch.object(kept, "LIST", f"{self.root}/list"),
                      mock.patch.object(settings, "FILE", f"{self.root}/computer.json"), mock.patch.object(seen, "FILE", f"{self.root}/seen.json"),
                      mock.patch.object(pauses, "FILE", f"{self.root}/pause.json"), mock.patch.object(restart.running, "look", lambda: self.jobs),
                      mock.patch.object(restart.people, "look", lambda: self.there), mock.patch.object(restart.people, "tell", lambda *words: self.wrote.append(words)),
                      mock.patch.object(system, "must", self.must), mock.patch.object(told.time, "monotonic", lambda: self.now),
                      mock.patch.object(told.time, "time", self.wall), mock.patch("builtins.print")):
            patch.start()
            self.addCleanup(patch.stop)
        self.waiting = self.begin()

    def wall(self):
        return WALL + self.now + self.ahead

    def must(self, words, **_):
        if self.trouble:
            raise self.trouble
        self.ran.append(words)

    def begin(self, is_manager=False):
        """wow-jobs begins."""
        found = waiting.Waiting(is_manager, lambda: self.shadows)
        # As it is loaded, with a clock and a chance of this test's.
        patch = mock.patch.object(restart.Restart.__init__, "__defaults__", (self.wall, lambda: self.share))
        patch.start()
        self.addCleanup(patch.stop)
        return found

    def waits(self, code="next", number=12, by=None):
        told.leave(code, text.Stack(number, BASE, NODE, (text.Layer("module", "maths", 10, "ee" * 32),), by), "", "")

    def passes(self, seconds):
        """Rounds of wow-jobs, until it starts again; for how many seconds that took, None if it did not."""
        begin = self.now
        while self.now <= begin + seconds:
            self.waiting.round(self.now)
            if self.ran:
                self.assertEqual(self.ran, [REBOOT])
                return self.now - begin
            self.now += 5.0
        return None

    def says(self):
        return told.sentence(told.read())

    def holds(self, seconds=10 * HOUR):
        """What keeps it from starting again, which it does not for so long."""
        self.assertIsNone(self.passes(seconds))
        return json.loads(self.read("restart.json"))["why"]

    def read(self, name):
        with open(f"{self.root}/{name}", encoding="utf-8") as file:
            return file.read()


class Alone(Machine):
    """Without wow-stack: what waits is said."""

    def test_an_idle_machine_starts_again_at_its_moment_and_says_when(self):
        self.waits()
        self.assertIsNone(self.passes(60))
        self.assertIn("starts this machine again at once. It starts again by itself at 17:33 UTC when idle", self.says())
        self.assertTrue(3 * HOUR - 120 <= self.passes(10 * HOUR) <= 3 * HOUR)

    def test_the_moment_is_within_six_hours_and_the_last_one_is_as_likely_as_the_first(self):
        for self.share, least, most in ((0.0, restart.IDLE, restart.IDLE + 30), (0.999999, 6 * HOUR - 30, 6 * HOUR + 30), (0.25, 1.5 * HOUR - 30, 1.5 * HOUR + 30)):
            self.ran, self.waiting = [], self.begin()
            self.waits(number=int(self.share * 100) + 13)
            self.assertTrue(least <= self.passes(10 * HOUR) <= most, self.share)
        drawn = [restart.draw() for _ in range(1000)]
        self.assertTrue(0 <= min(drawn) < 0.1 and 0.9 < max(drawn) < 1)

    def test_a_job_a_job_of_its_queue_and_people_hold_it_as_long_as_they_are_there(self):
        self.waits()
        self.jobs = ["a job"]
        self.assertEqual(self.holds(), "a job runs here")
        self.assertIn("It starts again by itself when idle; now a job runs here", self.says())
        self.jobs, self.shadows = [], {4711}
        self.assertEqual(self.holds(), "a job of its own queue runs")
        self.shadows, self.there = set(), {5: ""}
        self.assertIn("somebody is logged in", self.holds())
        self.there = {}
        self.assertTrue(restart.IDLE <= self.passes(HOUR) <= restart.IDLE + 60)
        self.assertEqual(self.wrote, [])

    def test_it_was_idle_for_five_minutes_on_end(self):
        self.waits()
        self.share = 0.0
        for _ in range(20):
            self.jobs = ["a job"]
            self.assertIsNone(self.passes(30))
            self.jobs = []
            self.assertIsNone(self.passes(restart.IDLE - 60))
        self.assertEqual(json.loads(self.read("restart.json"))["why"], "it was needed until just now")
        self.assertIsNotNone(self.passes(120))

    def test_what_the_owner_says_holds_it_also_after_the_deadline(self):
        self.waits(by=WALL + 2 * HOUR)
        pauses.keep(pauses.Kept(pauses.Pause(int(self.wall()), None, False, "alice"), pauses.now().boot, pauses.now().uptime))
        self.assertEqual(self.holds(), "its owner paused it")
        pauses.forget()
        settings.keep(settings.Settings(restart=False))
        self.assertIn("its owner chose so", self.holds())
        self.assertIn("It does not start again by itself: its owner chose so (`wow computer set restart yes` lets it)", self.says())
        settings.keep(settings.Settings())
        self.assertIsNotNone(self.passes(60))

    def test_the_owner_s_computer_holds_it_until_the_deadline_and_a_machine_outside_of_its_hours_is_idle(self):
        self.waits(by=WALL + 30 * HOUR)
        seen.write(seen.Seen("used", 5))
        self.assertIn("which somebody uses", self.holds())
        self.now = 30.0 * HOUR
        self.assertIsNotNone(self.passes(restart.LATE + 60))

    def test_a_machine_is_up_for_five_minutes_also_after_the_deadline(self):
        self.now = 10.0
        self.waits(by=1)
        self.assertEqual(self.holds(restart.UP - 60), "it has just started")
        self.assertTrue(self.passes(120) is not None and self.now >= restart.UP)

    def test_the_window_ends_at_the_deadline(self):
        self.share = 0.999999
        self.waits(by=int(self.wall()) + HOUR)
        self.assertTrue(HOUR - 30 <= self.passes(10 * HOUR) <= HOUR + 30)
        self.assertEqual(told.read()["restart_by"], WALL + 2 * HOUR)

    def test_after_the_deadline_no_job_holds_it_and_machines_go_within_two_minutes(self):
        self.jobs, self.shadows = ["a job"], {4711}
        for self.share in (0.0, 0.5, 1.0):
            self.ran, self.waiting = [], self.begin()
            by = int(self.wall()) + 8 * HOUR
            self.waits(by=by, number=int(self.share * 10) + 13)
            self.assertIsNone(self.passes(HOUR))
            self.assertIn("UTC on no job holds it", self.says())
            self.assertIsNotNone(self.passes(10 * HOUR))
            self.assertTrue(self.share * restart.LATE <= self.wall() - by <= self.share * restart.LATE + 40, self.share)

    def test_now_is_a_deadline_that_has_come(self):
        self.jobs, self.share = ["a job"], 1.0
        self.waits(by=int(self.wall()))
        self.assertTrue(restart.LATE <= self.passes(HOUR) <= restart.LATE + 40)

    def test_after_the_deadline_people_are_told_once_and_have_ten_minutes(self):
        self.waits(by=1)
        self.there = {5: "/dev/pts/0", 6: "/dev/pts/0", 7: ""}
        self.assertIn("ten minutes to leave", self.holds(300))
        self.there[8] = "/dev/pts/1"
        self.assertIsNone(self.passes(120))
        self.assertEqual([words[0] for words in self.wrote], ["/dev/pts/0", "/dev/pts/1"])
        self.assertIn("starts again in 10 min", self.wrote[0][1])
        self.assertRegex(self.wrote[1][1], "starts again in [45] min")
        self.assertTrue(100 <= self.passes(HOUR) <= 240)

    def test_who_leaves_is_not_waited_for(self):
        self.waits(by=1)
        self.there = {5: "/dev/pts/0"}
        self.holds(120)
        self.there = {}
        self.assertTrue(self.passes(HOUR) <= 30)

    def test_a_manager_never_does_and_says_so(self):
        self.waiting = self.begin(is_manager=True)
        self.waits(by=1)
        self.assertEqual(self.holds(), "a manager waits for its administrator")
        self.assertIn("`wow boot release` starts this machine again at once. It does not start again by itself: a manager waits", self.says())

    def test_in_another_mode_than_release_it_never_does(self):
        for mode in ("develop maths", "ephemeral"):
            self.write("mode", f"{mode}\n")
            self.waits(by=1)
            self.assertEqual(self.holds(HOUR), f"this start is in {mode.split()[0]}")

    def test_where_nothing_waits_it_never_does_and_nothing_is_loaded(self):
        with mock.patch.object(restart, "Restart", side_effect=AssertionError("loaded")):
            self.assertIsNone(self.passes(60))
            for code in ("taken", "failed", "image", "ephemeral", "fetching", "other-base", "no-stack", "away", "no-room", "trouble"):
                self.waits(code, by=1)
                self.assertIsNone(self.passes(60), code)
        self.assertFalse(os.path.exists(f"{self.root}/restart.json"))

    def test_one_that_is_taken_meanwhile_no_longer_waits(self):
        self.waits()
        self.passes(60)
        self.waits("failed")
        with mock.patch.object(restart.Restart, "round", side_effect=AssertionError("it looks on")):
            self.assertIsNone(self.passes(10 * HOUR))
        self.assertNotIn("by itself", self.says())

    def test_another_stack_has_a_moment_of_its_own(self):
        self.waits()
        self.assertIsNone(self.passes(2 * HOUR))
        self.waits(number=13)
        self.assertTrue(3 * HOUR - 30 <= self.passes(10 * HOUR) <= 3 * HOUR + 30)

    def test_wow_jobs_that_is_started_anew_keeps_the_moment(self):
        self.waits()
        self.assertIsNone(self.passes(2 * HOUR))
        self.share, self.waiting = 1.0, self.begin()
        self.assertTrue(HOUR - 60 <= self.passes(10 * HOUR) <= HOUR + 30)

    def test_a_clock_that_is_set_changes_the_deadline_alone(self):
        self.waits(by=int(self.wall()) + 8 * HOUR)
        self.ahead = -100.0 * HOUR
        self.assertTrue(3 * HOUR - 30 <= self.passes(10 * HOUR) <= 3 * HOUR + 30)

    def test_a_clock_that_was_behind_and_is_set_has_the_deadline_come(self):
        self.share = 1.0
        self.waits(by=int(self.wall()) + 8 * HOUR)
        self.assertIsNone(self.passes(60))
        self.ahead = 9.0 * HOUR
        self.assertTrue(self.passes(60) <= 30)

    def test_what_systemd_does_not_do_is_tried_again_and_told(self):
        self.waits(by=1)
        self.trouble = WowError("no", "look")
        with self.assertRaises(WowError):
            self.passes(300)
        self.trouble = None
        self.now += 5.0
        self.assertTrue(self.passes(60) <= 30)

    def test_wow_jobs_looks_after_all_else_on_managers_and_workers(self):
        for role in ("manager", "worker"):
            rounds = []
            with mock.patch.object(keeper.facts, "read", lambda role=role: samples.pool(node__role=role)), mock.patch.object(keeper, "run", rounds.extend), \
                    mock.patch.object(keeper.queue, "release"), mock.patch.object(keeper.signal, "signal"), mock.patch.object(keeper.signal, "pthread_sigmask"), \
                    mock.patch.multiple(keeper, counter=mock.DEFAULT, line=mock.DEFAULT, page=mock.DEFAULT, returned=mock.DEFAULT, ads=mock.DEFAULT, runs=mock.DEFAULT):
                keeper.main()
            self.waits(by=1)
            self.now += 100.0
            rounds[-1](self.now)
            self.assertEqual(json.loads(self.read("restart.json"))["never"], role == "manager")


class Round(Machine):
    """With wow-stack, and what the initrd leaves of a start (test/image has the initrd itself)."""

    def setUp(self):
        super().setUp()
        os.mkdir(f"{self.root}/home")
        self.place = kept.Place(f"{self.root}/home", f"{self.root}/A.conf", f"{self.root}/stack", f"{self.root}/list")
        self.write("A.conf", IMAGE)
        patch = mock.patch.object(peers, "layer", lambda _, one, folder: self.write(f"{folder[len(self.root) + 1:]}/{one.digest}", BYTES[one.name]))
        patch.start()
        self.addCleanup(patch.stop)

    def publish(self, number, data=WHOLE):
        self.write("notice-3", notice(number, data + b"restart-by 1\n"))
        self.look()

    def look(self):
        bring.once(self.place, lambda: None, f"{self.root}/notice-3", lambda _: None)

    def starts(self, source, more=""):
        """The machine starts, and is back in its pool."""
        self.started(source, kept.read(self.place.next) if source == "next" else IMAGE, more)
        self.ran, self.now = [], 10.0
        self.waiting = self.begin()
        self.look()

    def test_after_the_start_it_has_the_stack_and_nothing_waits(self):
        self.publish(12)
        self.assertIsNotNone(self.passes(HOUR))
        self.starts("next", "number=12\n")
        self.assertIsNone(self.passes(24 * HOUR))
        # The same modules once more are nothing new.
        self.publish(13)
        self.assertIsNone(self.passes(24 * HOUR))
        self.publish(14, EMPTY)
        self.look()
        self.assertIn("for the pool took its stack back", self.says())
        self.assertIsNotNone(self.passes(HOUR))
        self.starts("image")
        self.assertIsNone(self.passes(24 * HOUR))

    def test_one_that_the_initrd_left_is_not_tried_again_by_itself_until_another_is_published(self):
        self.publish(12)
        self.assertIsNotNone(self.passes(HOUR))
        for why in ("maths: the layer is missing", "its starts cannot be counted, for home cannot be written"):
            self.starts("image", f"left=12\nwhy={why}\n")
            self.assertEqual(self.holds(24 * HOUR), "this start left that stack")
        self.publish(13)
        self.assertIsNotNone(self.passes(HOUR))

    def test_another_system_that_grub_was_not_told_of_is_tried_all_the_same(self):
        # Power went when the initrd's list was there, and GRUB knew nothing: the former system started, for which it is none.
        self.starts("image", "left=12\nwhy=it was made over another base or node than this image has\n")
        told.leave("next", text.Stack(12, BASE, NODE), "", "", is_system=True)
        self.assertIsNotNone(self.passes(6 * HOUR))

    def test_one_that_never_was_started_with_and_is_taken_back_brings_nothing(self):
        self.publish(12)
        self.publish(13, EMPTY)
        self.assertIsNone(self.passes(24 * HOUR))


class People(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name

    def process(self, number, name, uid, terminal=0):
        os.mkdir(f"{self.root}/{number}")
        for file, data in (("comm", f"{name}\n"), ("status", f"Name:\t{name}\nUid:\t{uid}\t0\t0\t0\n"), ("stat", f"{number} (a b) ) S 1 2 3 {terminal} -1 4194304\n")):
            with open(f"{self.root}/{number}/{file}", "w", encoding="ascii") as written:
                written.write(data)

    def test_who_has_a_process_is_logged_in(self):
        os.mkdir(f"{self.root}/self")
        os.mkdir(f"{self.root}/99")
        self.process(1, "systemd", 0)
        self.process(10, "sshd-session", 1000)
        self.process(11, "job", 2001)
        self.process(12, "wow-console", 989)
        self.assertEqual(people.look(self.root), {})
        self.process(20, "bash", 1000, 136 << 8 | 3)
        self.process(21, "tmux: server", 1999)
        self.process(22, "bash", 1001, 4 << 8 | 2)
        self.process(23, "bash", 1001, 136 << 8 | 0xff | 1 << 20)
        self.assertEqual(people.look(self.root), {20: "/dev/pts/3", 21: "", 22: "", 23: "/dev/pts/511"})

    def test_this_very_system_is_looked_at(self):
        with mock.patch.object(people.users, "FIRST_UID", os.getuid()), mock.patch.object(people.users, "LAST_UID", os.getuid()):
            self.assertIn(os.getpid(), people.look())

    def test_a_terminal_is_written_to_and_one_that_is_gone_or_full_holds_nobody_up(self):
        ours, theirs = os.openpty()
        people.tell(os.ttyname(theirs), "It starts again.")
        self.assertIn(b"It starts again.", os.read(ours, 100))
        for _ in range(200):
            people.tell(os.ttyname(theirs), "x" * 1000)
        people.tell(f"{self.root}/none", "x")
        os.close(ours)
        os.close(theirs)


if __name__ == "__main__":
    unittest.main()
