"""The owner's pause: how it is kept, what clocks do to it, what the agent takes, what the kernel and HTCondor are told, and in which words."""
import json
import os
import pathlib
import random
import tempfile
import threading
import unittest
from unittest import mock

import samples

from wow.acts import pause as act
from wow.agent import allowed
from wow.lib import startd, system
from wow.lib.errors import WowError
from wow.lib.verb import UsageError
from wow.pause import state
from wow.slots import freeze, groups
from wow.stops import ask, rounds, tell, words
from wow.verbs import finish as finish_verb
from wow.verbs import pause as pause_verb
from wow.verbs import resume as resume_verb

NOW, UP, HERE, OTHER = 1_800_000_000, 5_000, "boot-1", "boot-2"
HOUR, YEAR = 3600, 365 * 86400
ALICE = 1000


def clock(wall=0, up=0, boot=HERE):
    """What the clocks say so many seconds after the pause began, each by itself."""
    return state.Clock(NOW + wall, UP + up, boot)


class Case(unittest.TestCase):
    """A machine whose state, control groups and files of HTCondor are folders of the test; what programs are run is noted."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.groups = self.folder / "htcondor"
        self.ran, self.code, self.clock, self.age = [], 0, clock(), 3600.0
        for one in (mock.patch.object(state, "FILE", f"{folder.name}/pause.json"), mock.patch.object(state, "SPARE", f"{folder.name}/spare.json"),
                    mock.patch.object(state, "LOCK", f"{folder.name}/pause.lock"), mock.patch.object(groups, "GROUPS", (str(self.groups), f"{folder.name}/elsewhere")),
                    mock.patch.object(freeze, "STOPS", f"{folder.name}/stops"),
                    mock.patch.object(tell, "FILE", f"{folder.name}/told.conf"), mock.patch.object(tell, "READ", f"{folder.name}/told.read"),
                    mock.patch.object(state, "now", lambda: self.clock), mock.patch.object(act.facts, "read", lambda: samples.pool(node__role="worker")),
                    mock.patch.object(act.pwd, "getpwuid", lambda uid: mock.Mock(pw_name="alice")), mock.patch.object(system, "run", self.run_program),
                    mock.patch.object(startd, "age", lambda: self.age), mock.patch("builtins.print")):
            one.start()
            self.addCleanup(one.stop)

    def run_program(self, arguments, *_, **__):
        self.ran.append(arguments[0])
        return self.code, "no" if self.code else ""

    def slot(self, name="slot1_1", is_populated=True):
        (self.groups / name).mkdir(parents=True)
        (self.groups / name / "cgroup.freeze").write_text("0")
        (self.groups / name / "cgroup.events").write_text(f"populated {is_populated:d}\nfrozen 0\n")
        return self.groups / name / "cgroup.freeze"

    def paused(self, seconds=HOUR, finish=False):
        """A pause that began at NOW."""
        state.keep(state.Kept(state.Pause(NOW, None if seconds is None else NOW + seconds, finish, "alice"), HERE, UP))

    def ends(self, now):
        """(since, until) of the pause by these clocks, None when there is none."""
        found = state.read(now)
        return found and (found.since - NOW, found.until and found.until - NOW)


class Keeping(Case):
    def test_what_was_kept_is_read_again(self):
        self.assertIsNone(state.read())
        self.paused(finish=True)
        state.sync()
        self.assertEqual(state.facts(state.read()), {"since": NOW, "until": NOW + HOUR, "finish": True, "who": "alice"})
        self.assertEqual(os.stat(state.FILE).st_mode & 0o777, 0o644)
        state.forget()
        state.sync()
        self.assertIsNone(state.read())
        state.forget()

    def test_a_bad_file_is_no_pause_and_is_told(self):
        self.paused()
        good = json.loads(pathlib.Path(state.FILE).read_text(encoding="utf-8"))
        bad = [b"", b"{", b"[]", b"null", b"\xff", b"[" * 4000, b"9" * 4000, json.dumps({**good, "more": 1}).encode()]
        bad += [json.dumps({name: value for name, value in good.items() if name != gone}).encode() for gone in good]
        bad += [json.dumps({**good, **change}).encode() for change in (
            {"since": True}, {"since": "1"}, {"since": 1 << 60}, {"since": 1.5}, {"until": NOW}, {"until": NOW - 1}, {"until": NOW + state.LONGEST + 1},
            {"finish": 1}, {"finish": None}, {"who": ""}, {"who": "a" * 33}, {"who": 'a"\nSTART = true'}, {"who": "a b"}, {"who": 5}, {"boot": ""}, {"boot": "\x1b[2J"},
            {"boot": "b" * 65}, {"uptime": None}, {"uptime": -(1 << 60)})]
        for data in bad:
            pathlib.Path(state.FILE).write_bytes(data)
            self.assertIsNone(state.read(), data[:60])
            self.assertIn(state.FILE, words.trouble(), data[:60])
            with self.assertRaises(WowError) as caught:
                state.load()
            self.assertIn("wow resume", caught.exception.todo)

    def test_noise_in_the_file_never_does_more_than_end_the_pause(self):
        self.paused()
        whole, chance = pathlib.Path(state.FILE).read_bytes(), random.Random(53)
        for _ in range(400):
            data = bytearray(whole)
            for _ in range(chance.randint(1, 5)):
                data[chance.randrange(len(data))] = chance.randrange(256)
            pathlib.Path(state.FILE).write_bytes(data)
            found = state.read()
            self.assertTrue(found is None or (state.is_name(found.who) and (found.until is None or found.until - found.since <= state.LONGEST)), bytes(data))


class Clocks(Case):
    def test_it_ends_after_its_time(self):
        self.paused()
        self.assertEqual(self.ends(clock(HOUR - 1, HOUR - 1)), (0, HOUR))
        self.assertIsNone(self.ends(clock(HOUR, HOUR)))

    def test_without_an_end_it_stays_whatever_the_clocks_say(self):
        self.paused(None)
        for now in (clock(YEAR, YEAR), clock(-YEAR, 5), clock(YEAR, 50 - UP, OTHER), clock(-YEAR, 50 - UP, OTHER)):
            self.assertIsNone(self.ends(now)[1])

    def test_the_time_that_the_host_slept_counts(self):
        self.paused()
        self.assertEqual(self.ends(clock(HOUR - 1, 10)), (0, HOUR))
        self.assertIsNone(self.ends(clock(8 * HOUR, 10)))

    def test_a_clock_that_is_set_forward_by_a_year_ends_nothing_and_one_that_is_set_back_makes_nothing_endless(self):
        self.paused()
        for jump in (YEAR, -YEAR, 2 * 86400, -HOUR):
            self.assertEqual(self.ends(clock(jump + 600, 600)), (jump, jump + HOUR), jump)
            self.assertIsNone(self.ends(clock(jump + HOUR, HOUR)), jump)

    def test_the_next_boot_counts_by_the_wall_clock_once_that_had_time_to_be_set(self):
        self.paused()
        self.assertEqual(self.ends(clock(600, 30 - UP, OTHER)), (0, HOUR))
        self.assertIsNotNone(self.ends(clock(2 * HOUR, state.SETTLED - 1 - UP, OTHER)))
        self.assertIsNone(self.ends(clock(2 * HOUR, state.SETTLED - UP, OTHER)))

    def test_a_boot_whose_clock_is_a_year_behind_makes_the_pause_no_longer_than_it_was(self):
        self.paused()
        self.assertEqual(self.ends(clock(-YEAR, 300 - UP, OTHER)), (-YEAR - 300, -YEAR - 300 + HOUR))
        self.assertIsNone(self.ends(clock(-YEAR, HOUR - UP, OTHER)))


class Asking(Case):
    """What the agent does."""

    def refused(self, code, **fields):
        with self.assertRaises(WowError) as caught:
            act.pause(fields, ALICE)
        self.assertEqual((caught.exception.code, bool(caught.exception.todo), state.read()), (code, True, None), fields)

    def test_a_pause_stops_all_jobs_at_once_is_kept_and_wakes_who_tells_htcondor(self):
        one, two = self.slot(), self.slot("slot1_2")
        act.pause({"for": "600"}, ALICE)
        self.assertEqual((one.read_text(), two.read_text(), self.ran), ("1", "1", ["systemctl"]))
        self.assertEqual(state.facts(state.read()), {"since": NOW, "until": NOW + 600, "finish": False, "who": "alice"})
        act.resume({}, ALICE)
        self.assertEqual((one.read_text(), state.read()), ("0", None))

    def test_to_finish_lets_jobs_go_on_also_those_that_a_pause_had_stopped(self):
        one = self.slot()
        act.pause({}, 0)
        act.pause({"finish": "yes"}, 0)
        self.assertEqual((one.read_text(), state.facts(state.read())), ("0", {"since": NOW, "until": None, "finish": True, "who": "console"}))

    def test_hostile_values_are_refused_and_change_nothing(self):
        one = self.slot()
        for value in ("", "0", "-1", "+5", "1.5", " 60", "60 ", "1e3", "٣", "9" * 10, "9" * 4000, str(state.LONGEST + 1), "Tomorrow", "3h", "\n", "\0", 'x"'):
            self.refused(allowed.BAD_REQUEST, **{"for": value})
        for value in ("", "no", "YES", "yes "):
            self.refused(allowed.BAD_REQUEST, finish=value)
        self.assertEqual((one.read_text(), self.ran), ("0", []))

    def test_a_machine_without_slots_says_that_there_is_nothing_to_pause(self):
        with mock.patch.object(act.facts, "read", lambda: samples.pool(node__role="login")):
            self.refused(allowed.NO_JOBS)

    def test_a_full_disk_is_told_and_jobs_stand_still_all_the_same(self):
        one = self.slot()
        with mock.patch.object(state.files, "write", side_effect=OSError(28, "No space left on device")):
            self.refused(allowed.FAILED, finish="yes")
            self.assertEqual(one.read_text(), "0")
            self.refused(allowed.FAILED)
            self.assertEqual(one.read_text(), "1")
            self.refused(allowed.FAILED, finish="yes")
            self.assertEqual(one.read_text(), "1")
        act.resume({}, ALICE)
        self.assertEqual(one.read_text(), "0")

    def test_nothing_is_frozen_while_htcondor_is_being_stopped(self):
        one = self.slot()
        pathlib.Path(freeze.STOPS).touch()
        act.pause({}, ALICE)
        self.assertEqual((one.read_text(), state.read().who), ("0", "alice"))

    def test_a_job_that_ends_while_its_group_is_read_runs_no_more(self):
        self.slot("slot1_1")
        gone = self.slot("slot1_2").parent / "cgroup.events"
        gone.unlink()
        gone.symlink_to("/proc/self/mem")  # reading fails, as it does of a group that is removed meanwhile
        self.assertEqual(freeze.running(), 1)

    def test_a_job_that_ends_meanwhile_does_no_harm(self):
        one = self.slot()
        with mock.patch.object(freeze, "slots", lambda: [str(self.groups / "gone"), str(one.parent)]):
            freeze.freeze()
        self.assertEqual(one.read_text(), "1")

    def test_tomorrow_is_a_morning_that_is_neither_near_nor_far(self):
        for hour in range(0, 86400, 600):
            self.assertTrue(4 * HOUR <= act.until_morning(NOW + hour) <= 29 * HOUR, hour)
            self.assertEqual(act.time.localtime(NOW + hour + act.until_morning(NOW + hour))[3:5], (6, 0))

    def test_who_has_no_good_name_is_a_number(self):
        for name in ("a b", "", "x" * 40, 'a"'):
            with mock.patch.object(act.pwd, "getpwuid", lambda uid, name=name: mock.Mock(pw_name=name)):
                self.assertEqual(act.name(ALICE), f"number-{ALICE}")


class Rounds(Case):
    """What wow-jobs does."""

    def round(self, meanwhile=lambda: None):
        rounds.Pausing(lambda _: meanwhile()).round(0.0)

    def told(self):
        return pathlib.Path(tell.FILE).read_text(encoding="utf-8")

    def test_htcondor_is_told_once_of_a_pause_and_of_its_end(self):
        self.round()
        self.ran.clear()
        self.paused()
        self.round()
        self.round()
        self.assertEqual(self.ran, ["condor_reconfig"])
        self.assertIn('WowPauseReason = "its owner paused it"\n', self.told())
        self.assertIn(f"WowPauseUntil = {NOW + HOUR}\n", self.told())
        self.assertIn("STARTD_ATTRS = $(STARTD_ATTRS) WowPauseReason WowPauseSince WowPauseFinish WowPauseUntil\n", self.told())
        state.forget()
        self.round()
        self.assertEqual((self.ran, "Wow" in self.told()), (["condor_reconfig"] * 2, False))

    def test_what_the_agent_began_and_did_not_end_is_done(self):
        one = self.slot()
        self.round()
        self.paused()
        self.round()
        self.assertEqual(one.read_text(), "1")
        state.forget()
        self.round()
        self.assertEqual(one.read_text(), "0")

    def test_a_job_that_began_while_htcondor_was_told_is_stopped_too(self):
        self.round()
        self.paused()
        late = []
        self.round(lambda: late or late.append(self.slot()))
        self.assertEqual(late[0].read_text(), "1")

    def test_a_job_that_cannot_be_stopped_just_then_is_stopped_soon_and_keeps_no_other_from_it(self):
        self.round()
        self.paused()
        one, seen = self.groups / "a" / "cgroup.freeze", []

        def begin():
            one.mkdir(parents=True)
            self.slot("b")

        def mend():
            seen.append((self.groups / "b" / "cgroup.freeze").read_text())
            one.rmdir()
            one.write_text("0")
        steps = iter((begin, mend))
        self.round(lambda: next(steps, lambda: None)())
        self.assertEqual((one.read_text(), seen), ("1", ["1"]))

    def test_what_is_asked_meanwhile_is_not_undone(self):
        one = self.slot()
        self.round()
        self.paused()
        self.round(lambda: act.resume({}, ALICE))
        self.assertEqual(one.read_text(), "0")

    def test_what_htcondor_has_been_told_is_its_own_to_thaw_for_a_checkpoint(self):
        one = self.slot()
        self.paused()
        self.round()
        one.write_text("0")
        self.round()
        self.assertEqual(one.read_text(), "0")

    def test_a_startd_that_does_not_hear_is_told_in_a_later_round(self):
        self.round()
        self.paused()
        self.code = 1
        for _ in range(2):
            with self.assertRaises(WowError):
                self.round()
        self.code = 0
        self.round()
        self.assertTrue(tell.is_told())

    def test_a_pause_ends_by_itself_and_jobs_go_on(self):
        one = self.slot()
        self.paused()
        self.round()
        self.clock = clock(HOUR, HOUR)
        self.round()
        self.assertEqual((one.read_text(), os.path.exists(state.FILE), "Wow" in self.told()), ("0", False, False))

    def test_a_clock_that_was_set_is_taken_into_the_file_so_that_the_next_boot_counts_right(self):
        self.paused()
        self.clock = clock(YEAR + 600, 600)
        self.round()
        self.assertEqual(self.ends(clock(YEAR + 1200, 30 - UP, OTHER)), (YEAR, YEAR + HOUR))

    def test_a_next_boot_takes_the_pause_over_and_later_jumps_do_it_no_harm(self):
        self.paused()
        self.clock = clock(600, 200 - UP, OTHER)
        self.round()
        self.assertEqual(self.ends(clock(YEAR, 500 - UP, OTHER)), (YEAR - 900, YEAR - 900 + HOUR))

    def ask(self, **fields):
        """For a pause that home does not take."""
        with self.assertRaises(WowError) as caught:
            act.pause(fields, ALICE)
        self.assertIn("ends when the machine is started again", str(caught.exception))

    def test_where_home_is_full_the_pause_holds_until_the_machine_starts_again(self):
        one, write = self.slot(), state.files.write

        def full(path, *words, **named):
            if path == state.FILE:
                raise OSError(28, "No space left on device")
            write(path, *words, **named)
        with mock.patch.object(state.files, "write", full):
            self.ask()
            self.assertEqual((one.read_text(), state.read().finish), ("1", False))
            self.round()
            self.assertIn("Wow", self.told(), "HTCondor is told")
            self.ask(finish="yes")
            self.assertEqual((one.read_text(), state.read().finish), ("0", True))
        act.pause({}, ALICE)
        self.assertEqual((state.read().finish, os.path.exists(state.SPARE)), (False, False), "kept as ever once there is room")
        with mock.patch.object(state.files, "write", full):
            self.ask(finish="yes")
        act.resume({}, ALICE)
        self.assertEqual((state.read(), one.read_text()), (None, "0"))

    def read_only(self):
        """A home that takes no change any more: the kernel says so before it looks whether there is such a file."""
        write, unlink = state.files.write, os.unlink

        def refuse(does):
            def act_on(path, *words, **named):
                if path == state.FILE:
                    raise OSError(30, "Read-only file system")
                return does(path, *words, **named)
            return act_on
        self.enterContext(mock.patch.object(state.files, "write", refuse(write)))
        self.enterContext(mock.patch.object(os, "unlink", refuse(unlink)))

    def test_where_home_is_read_only_a_pause_that_holds_until_the_next_start_ends_too(self):
        one = self.slot()
        self.read_only()
        for ends in (lambda: act.resume({}, ALICE), self.round):
            self.clock = clock()
            self.ask(**{"for": str(HOUR)})
            self.assertEqual(one.read_text(), "1")
            self.clock = clock(HOUR, HOUR)
            ends()
            self.assertEqual((one.read_text(), state.load(), os.path.exists(state.SPARE)), ("0", None, False))

    def test_where_home_became_read_only_a_pause_ends_whose_file_cannot_go(self):
        one = self.slot()
        act.pause({"for": str(HOUR)}, ALICE)
        before = pathlib.Path(state.FILE).read_bytes()
        self.read_only()
        with self.assertRaises(WowError) as caught:
            act.resume({}, ALICE)
        self.assertIn("may come back when the machine is started again", str(caught.exception))
        self.assertEqual((one.read_text(), state.load(), words.trouble(), pathlib.Path(state.FILE).read_bytes()), ("0", None, None, before))
        self.round()
        self.assertEqual((one.read_text(), "Wow" in self.told()), ("0", False))
        self.ask()
        self.assertEqual((one.read_text(), state.read().until), ("1", None), "the next one is not over")
        os.remove(state.SPARE)
        one.write_text("1")
        self.clock = clock(HOUR, HOUR)
        for _ in range(2):
            self.round()
            self.assertEqual((one.read_text(), state.load()), ("0", None), "its time is over")

    def test_a_pause_that_is_ended_or_replaced_while_a_round_looks_at_it_is_not_put_back(self):
        look = rounds.load
        for change, until in ((lambda: act.resume({}, ALICE), None), (lambda: act.pause({"for": str(2 * HOUR)}, ALICE), 3 * HOUR)):
            self.clock = clock()
            self.paused(2 * HOUR)
            self.clock = clock(HOUR, HOUR, OTHER)
            changes = [change]
            with mock.patch.object(rounds, "load", lambda changes=changes: (look(), changes and changes.pop()())[0]):
                self.round()
            found = state.load()
            self.assertEqual(found and found.pause.until - NOW, until)

    def test_who_changes_the_pause_waits_for_whoever_does_already(self):
        asked = threading.Thread(target=act.pause, args=({}, ALICE))
        with state.alone():
            asked.start()
            asked.join(0.2)
            self.assertIsNone(state.load())
            self.assertEqual(os.stat(state.LOCK).st_mode & 0o777, 0o600, "nobody else can lock it")
        asked.join()
        self.assertIsNotNone(state.load())

    def test_a_full_disk_keeps_the_pause_as_it_is(self):
        self.paused()
        self.round()
        self.clock = clock(-YEAR, 600)
        with mock.patch.object(state.files, "write", side_effect=OSError(28, "No space left on device")):
            self.round()
        self.assertEqual(state.load().pause.since, NOW)

    def test_a_bad_file_is_told_and_does_not_keep_jobs_from_running(self):
        pathlib.Path(state.FILE).write_text("{", encoding="ascii")
        with self.assertRaises(WowError):
            self.round()
        self.assertNotIn("Wow", self.told())

    def test_htcondor_that_starts_knows_a_pause_that_holds_and_none_that_has_ended(self):
        self.assertIsNone(rounds.at_start())
        self.paused()
        self.assertEqual(rounds.at_start().who, "alice")
        self.clock = clock(HOUR, HOUR)
        self.assertIsNone(rounds.at_start())


class Words(Case):
    """What people read."""

    def said(self, jobs, **changes):
        kept = {"since": NOW, "until": NOW + HOUR, "finish": False, "who": "alice", **changes}
        with mock.patch.object(words, "day", str):
            return words.sentence(state.Pause(**kept), jobs)

    def test_a_sentence_says_what_stands_by_whom_since_when_and_until_when(self):
        self.assertEqual(self.said(0), f"Paused: no job runs; by alice, since {NOW}, until {NOW + HOUR}.")
        self.assertEqual(self.said(2, until=None, who="console"), f"Paused: its 2 jobs stand still; by the console, since {NOW}, until somebody ends that.")
        self.assertEqual(self.said(1, finish=True), f"Takes no new jobs, and is paused when the one that runs has ended; by alice, since {NOW}, until {NOW + HOUR}.")
        self.assertEqual(self.said(0, finish=True), self.said(0))
        self.assertRegex(words.day(NOW), r"^2027-01-1\d \d\d:\d\d \S+$")
        self.assertEqual(words.day(1 << 62), "a time that is none")

    def test_how_long_is_minutes_hours_days_or_tomorrow(self):
        for word, seconds in (("90m", "5400"), ("3h", "10800"), ("2d", "172800"), ("tomorrow", "tomorrow"), ("31d", str(31 * 86400))):
            self.assertEqual(words.length(word), seconds)
        for word in ("", "h", "3", "0h", "-3h", "3H", "32d", "3 h", "9999999h", "٣h", "today"):
            self.assertIsNone(words.length(word), word)

    def test_a_verb_that_is_told_nonsense_asks_nobody(self):
        for verb in (pause_verb.VERB, finish_verb.VERB):
            for given in (["3"], ["3h", "8h"], ["for", "ever"]):
                with mock.patch.object(ask.client, "ask") as asked, self.assertRaises(UsageError):
                    verb.run(verb.read(given))
                asked.assert_not_called()

    def test_the_verbs_ask_the_agent_and_say_what_holds(self):
        for verb, given, asked in ((pause_verb.VERB, ["3h"], ("pause", {"for": "10800"})), (pause_verb.VERB, [], ("pause", {})),
                                   (finish_verb.VERB, ["tomorrow"], ("pause", {"for": "tomorrow", "finish": "yes"})), (resume_verb.VERB, [], ("resume", {}))):
            self.paused()
            with mock.patch.object(ask.client, "ask") as client, mock.patch("builtins.print") as printed:
                self.assertEqual(verb.run(verb.read(given)), 0)
                self.assertEqual((client.call_args.args[0], client.call_args.kwargs), asked)
                verb.run(verb.read([*given, "--json"]))
            lines = [call.args[0] for call in printed.call_args_list]
            self.assertTrue(lines[0].endswith("."), lines)
            self.assertIn("paused", json.loads(lines[1]))
