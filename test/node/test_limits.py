"""What its owner lends of a machine: hours, numbers, how they are kept, what kernel and HTCondor are told, and in which words."""
import contextlib
import datetime
import io
import json
import os
import pathlib
import random
import tempfile
import time
import unittest
from contextlib import redirect_stdout
from unittest import mock

import samples

from wow.acts import limit as act
from wow.acts import pause as pausing
from wow.agent import allowed
from wow.condor import drop_in
from wow.lib import startd, system
from wow.lib.errors import WowError
from wow.lib.verb import UsageError
from wow.limits import hours, line, month, rounds, share, state, tell, there, words
from wow.page import text as console
from wow.pause import state as pause_state
from wow.slots import freeze, groups
from wow.stops import holding
from wow.stops import rounds as pauses
from wow.stops import tell as pause_tell
from wow.stops import words as pause_words
from wow.verbs import limit as verb
from wow.web import limits as page

MONDAY = 1_799_625_600
"""2027-01-11 00:00 UTC."""
HOUR, DAY = 3600, 86400
NIGHTS = "mon-fri 20:00-7:00, sat-sun 0:00-24:00"


class Zoned(unittest.TestCase):
    """A machine of a time zone."""

    def setUp(self):
        self.zone("UTC")
        self.addCleanup(self.zone, "UTC")

    def zone(self, name):
        os.environ["TZ"] = name
        time.tzset()

    def outside(self, said, wall):
        """(since, until) of the pause, as hours since Monday in UTC; None within the hours."""
        found = hours.pause(hours.read(said), MONDAY + wall)
        return found and ((found.since - MONDAY) / HOUR, (found.until - MONDAY) / HOUR)


class Hours(Zoned):
    def test_within_and_outside_and_when_that_ends(self):
        self.assertEqual(self.outside("mon 9-17", 8 * HOUR), (17 - 168, 9))
        self.assertIsNone(self.outside("mon 9-17", 9 * HOUR))
        self.assertIsNone(self.outside("mon 9-17", 17 * HOUR - 1))
        self.assertEqual(self.outside("mon 9-17", 17 * HOUR), (17, 9 + 168))

    def test_over_midnight_and_over_the_week_s_end(self):
        self.assertIsNone(self.outside(NIGHTS, 23 * HOUR))
        self.assertIsNone(self.outside(NIGHTS, DAY + 6 * HOUR))
        self.assertEqual(self.outside(NIGHTS, DAY + 7 * HOUR), (31, 44))
        self.assertEqual(self.outside(NIGHTS, 5 * HOUR), (0, 20))
        self.assertIsNone(self.outside("sun 22:00-6:00", 5 * HOUR))
        self.assertEqual(self.outside("sun 22:00-6:00", 6 * HOUR), (6, 6 * 24 + 22))
        self.assertIsNone(self.outside("fri-mon 8-9", 8 * HOUR))
        self.assertEqual(self.outside("fri-mon 8-9", 10 * HOUR), (9, 4 * 24 + 8))

    def test_a_week_that_is_open_at_all_times_is_no_pause(self):
        for at in range(0, 7 * DAY, 1800):
            self.assertIsNone(self.outside("mon-sun 0:00-24:00", at))

    def test_each_minute_of_a_week_as_a_plain_reading_of_it_says(self):
        chance = random.Random(20)
        for _ in range(40):
            days, begin, end = chance.sample(range(7), chance.randint(1, 4)), chance.randrange(1440), chance.randrange(1, 1441)
            if begin == end:
                continue
            said = f"{','.join(hours.DAYS[day] for day in days)} {begin // 60}:{begin % 60:02}-{end // 60}:{end % 60:02}"
            lasts = (end - begin) % 1440 or 1440
            for at in chance.sample(range(7 * 1440), 60):
                within = any((at - day * 1440 - begin) % 10080 < lasts for day in days)
                self.assertEqual(self.outside(said, at * 60) is None, within, f"{said} {at}")

    def test_it_goes_by_the_zone_as_it_is_now(self):
        self.assertIsNone(self.outside("mon 9-17", 10 * HOUR))
        self.zone("America/New_York")
        self.assertEqual(self.outside("mon 9-17", 10 * HOUR), (22 - 168, 14))

    def test_when_summer_begins_the_hours_are_those_of_the_clock_on_the_wall(self):
        self.zone("Europe/Berlin")
        # 2027-03-28, a Sunday: 2:00 becomes 3:00.
        saturday = int(datetime.datetime(2027, 3, 27, 20, 0, tzinfo=datetime.timezone.utc).timestamp())
        found = hours.pause(hours.read("sun 8-10"), saturday)
        self.assertEqual(time.strftime("%a %H:%M", time.localtime(found.until)), "Sun 08:00")
        self.assertEqual(time.strftime("%a %H:%M", time.localtime(found.since)), "Sun 10:00")
        self.assertIsNone(hours.pause(hours.read("sun 8-10"), found.until))

    def test_what_it_says_stays_the_same_while_nothing_changes(self):
        said = {self.outside("mon 9-17", 18 * HOUR + second) for second in range(0, 3 * HOUR, 7)}
        self.assertEqual(len(said), 1, "HTCondor would be told again and again")

    def test_however_it_is_typed_it_has_one_spelling(self):
        for said in ("MON-fri 20:00-7, sat,sun 0-24", "mon-fri 20-07:00;sat,sun 00:00-24:00", "  mon-fri  20:00-7:00   sat,sun 0:00-24:00 "):
            self.assertEqual(hours.text(hours.read(said)), "mon-fri 20:00-07:00, sat,sun 00:00-24:00")
        self.assertEqual(hours.text(hours.read(hours.text(hours.read(NIGHTS)))), hours.text(hours.read(NIGHTS)))

    def test_what_is_kept_can_be_read_again_and_else_is_refused(self):
        taken = []
        for days in ("mon-fri", "mon,wed,fri", "mon,tue,wed,thu,fri,sat,sun"):
            for spans in range(1, hours.MOST + 1):
                said = " ".join(f"{days} {hour}-{hour + 1}" for hour in range(spans))
                with contextlib.suppress(WowError):
                    taken.append(hours.text(hours.read(said)))
        self.assertGreater(max(map(len, taken)), hours.LONGEST - 40)
        for kept in taken:
            self.assertEqual(hours.text(hours.read(kept)), kept)
        with self.assertRaisesRegex(WowError, "more than 400 characters, where each time is spelled"):
            hours.read(" ".join(f"mon,tue,wed,thu,fri,sat,sun {hour}-{hour + 1}" for hour in range(11)))

    def test_nonsense_is_refused_with_words(self):
        for said in ("", " ", "mon", "mon 9", "mon 9-9", "mon 0:00-0:00", "mon 24:00-3:00", "mon 9-25", "mon 9:60-10", "mon -9-10", "mo 9-10", "mon- 9-10", "-mon 9-10", "mon,,tue 9-10",
                     "mon 9-10 tue", "mon ٣-10", "mon 9–10", "mon 9-10\0", 'mon 9-10"', "\nSTART = true", "mon 1-2 " * 15, "mon " + "9" * 500):
            with self.assertRaises(WowError, msg=said) as caught:
                hours.read(said)
            self.assertTrue(caught.exception.todo, said)


class Case(Zoned):
    """A machine whose state, control groups and files of HTCondor are folders of the test."""

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.unit = self.folder / "condor.service"
        self.group = self.unit / "htcondor"
        self.ran, self.code, self.wall = [], 0, MONDAY
        self.carried, self.uptime, self.follows, self.asked = {"sent_bytes": 0, "received_bytes": 0, "speed": None, "waits": 0}, 100, "hypervisor", []
        for one in (mock.patch.object(startd, "age", lambda: startd.SETTLED), mock.patch.object(state, "FILE", f"{folder.name}/limits.json"),
                    mock.patch.object(month, "FILE", f"{folder.name}/month.json"), mock.patch.object(line.control, "ask", self.ipopd), mock.patch.object(line.control, "status", lambda **_: self.ipopd("status")),
                    mock.patch.object(pause_state, "FILE", f"{folder.name}/pause.json"), mock.patch.object(pause_state, "LOCK", f"{folder.name}/pause.lock"),
                    mock.patch.object(groups, "GROUPS", (str(self.group), f"{folder.name}/elsewhere")), mock.patch.object(freeze, "STOPS", f"{folder.name}/stops"),
                    mock.patch.object(tell, "FILE", f"{folder.name}/limits.conf"), mock.patch.object(tell, "READ", f"{folder.name}/limits.read"),
                    mock.patch.object(pause_tell, "FILE", f"{folder.name}/told.conf"), mock.patch.object(pause_tell, "READ", f"{folder.name}/told.read"),
                    mock.patch.object(pausing.facts, "read", lambda: samples.pool(node__role="worker")), mock.patch.object(there.facts, "read", samples.pool),
                    mock.patch.object(there.os, "cpu_count", lambda: 4), mock.patch.object(there.files, "read", self.read),
                    mock.patch.object(there.paths, "STATE", folder.name), mock.patch.object(time, "time", lambda: self.wall), mock.patch.object(system, "run", self.run_program)):
            one.start()
            self.addCleanup(one.stop)

    def ipopd(self, command, **fields):
        """What ipopd answers, if there is one."""
        if self.carried is None:
            raise WowError("does not exist: ipopd is not running", "Look", "control")
        if command == "limit":
            self.asked.append(fields["speed"])
            self.carried["speed"] = fields["speed"] or None
        return {"carried": dict(self.carried), "uptime_s": self.uptime, "clock": {"follows": self.follows, "error_s": 0.0}}

    def read(self, path):
        return "MemTotal: 4194304 kB\n" if path == "/proc/meminfo" else pathlib.Path(path).read_text(encoding="utf-8") if os.path.exists(path) else ""

    def run_program(self, arguments, *_, **__):
        self.ran.append(arguments[0])
        return self.code, "no" if self.code else ""

    def job(self):
        """A control group of a job below that of all; its freezer's file."""
        slot = self.group / "slot1_1"
        slot.mkdir(parents=True)
        (self.group / "cpu.max").write_text("max 100000\n", encoding="ascii")
        (slot / "cgroup.freeze").write_text("0", encoding="ascii")
        (slot / "cgroup.events").write_text("populated 1\n", encoding="ascii")
        return slot / "cgroup.freeze"

    def ask(self, **fields):
        act.limit(fields, 1000)

    def kept(self):
        return {name: value for name, value in state.load().values().items() if value is not None}


class Asking(Case):
    def test_limits_are_kept_each_by_itself_until_they_are_ended(self):
        self.assertEqual(self.kept(), {})
        self.ask(percent="50", memory="2048")
        self.ask(processors="2", hours="MON 9-17")
        self.assertEqual(self.kept(), {"percent": 50, "memory": 2048, "processors": 2, "hours": "mon 09:00-17:00"})
        self.ask(memory="none", hours="none")
        self.assertEqual(self.kept(), {"percent": 50, "processors": 2})
        self.assertEqual(os.stat(state.FILE).st_mode & 0o777, 0o644)
        self.assertEqual(set(self.ran), {"systemctl"})

    def test_nothing_too_little_too_much_and_nonsense_change_nothing_and_say_what_is_good(self):
        self.ask(percent="50")
        bad = [("percent", "401"), ("processors", "5"), ("memory", "3969"), ("memory", "127"), ("disk", "99"), ("disk", "9" * 12), ("speed", "15"), ("speed", "1000001"), ("month", "1000001"), ("hours", "mon 9-9"), ("hours", "")]
        bad += [(name, value) for name in state.NUMBERS for value in ("0", "-1", "+1", "1.5", "", " 1", "1e3", "٣", "9" * 13, "all", "None", "\n", "\0", '1"', "1M")]
        for name, value in bad:
            with self.assertRaises(WowError, msg=f"{name} {value!r}") as caught:
                self.ask(**{"processors": "1", name: value})
            self.assertEqual((caught.exception.code, bool(caught.exception.todo), self.kept()), (allowed.BAD_REQUEST, True, {"percent": 50}), f"{name} {value!r}")
        with self.assertRaises(WowError) as caught:
            self.ask()
        self.assertEqual(caught.exception.code, allowed.BAD_REQUEST)

    def test_what_there_is_is_no_more_than_pool_conf_lends(self):
        with mock.patch.object(there.facts, "read", lambda: samples.pool(jobs__processors="3")):
            self.ask(processors="3")
            with self.assertRaises(WowError):
                self.ask(processors="4")

    def test_a_machine_without_slots_says_that_there_is_nothing_to_limit(self):
        with mock.patch.object(pausing.facts, "read", lambda: samples.pool(node__role="login")), self.assertRaises(WowError) as caught:
            self.ask(percent="50")
        self.assertEqual((caught.exception.code, self.kept()), (allowed.NO_JOBS, {}))

    def test_a_full_disk_is_told_and_changes_nothing(self):
        self.job()
        with mock.patch.object(state.files, "write", side_effect=OSError(28, "No space left on device")), self.assertRaises(WowError) as caught:
            self.ask(percent="50")
        self.assertEqual((caught.exception.code, self.kept(), (self.group / "cpu.max").read_text()), (allowed.FAILED, {}, "max 100000\n"))

    def test_hours_stop_jobs_at_once_and_resume_does_not_start_them_but_no_hours_do(self):
        freezer = self.job()
        self.ask(hours="tue 9-17")
        self.assertEqual(freezer.read_text(), "1")
        pausing.resume({}, 0)
        self.assertEqual(freezer.read_text(), "1")
        pausing.pause({"finish": "yes"}, 0)
        self.assertEqual(freezer.read_text(), "1")
        self.ask(hours="none")
        self.assertEqual(freezer.read_text(), "0")

    def test_another_limit_touches_no_job_that_htcondor_thawed_for_its_checkpoint(self):
        freezer = self.job()
        self.ask(hours="tue 9-17")
        freezer.write_text("0", encoding="ascii")
        self.ask(processors="2")
        self.assertEqual(freezer.read_text(), "0")


class Keeping(Case):
    def test_a_bad_file_is_no_limit_and_is_told(self):
        self.ask(percent="50", hours="mon 9-17")
        good = json.loads(pathlib.Path(state.FILE).read_text(encoding="utf-8"))
        bad = [b"", b"{", b"[]", b"null", b"\xff", b"[" * 4000, json.dumps({**good, "more": 1}).encode()]
        bad += [json.dumps({name: value for name, value in good.items() if name != gone}).encode() for gone in good]
        bad += [json.dumps({**good, **change}).encode() for change in (
            {"percent": 0}, {"percent": True}, {"percent": "50"}, {"memory": -1}, {"disk": 1 << 60}, {"speed": 0}, {"month": "1"}, {"processors": 1.5}, {"hours": None}, {"hours": "mon"}, {"hours": 'x"\nSTART = true'},
            {"hours": "MON 9-17"}, {"since": -1}, {"since": 1 << 60}, {"since": "1"})]
        for data in bad:
            pathlib.Path(state.FILE).write_bytes(data)
            self.assertEqual([one for one in state.read().values().values() if one is not None], [], data[:60])
            self.assertIn(state.FILE, words.trouble(), data[:60])
            with self.assertRaises(WowError):
                rounds.Limiting().round(0.0)
        self.ask(**dict.fromkeys(state.NAMES, "none"))
        self.assertIsNone(words.trouble())

    def test_a_change_of_one_limit_is_refused_where_the_others_cannot_be_read(self):
        for data in (b"", b"\0" * 4096, b'{"percent": 50}'):
            pathlib.Path(state.FILE).write_bytes(data)
            for fields in ({"percent": "50"}, {"percent": "none"}, {"hours": "mon 9-17", "month": "20"}):
                with self.assertRaises(WowError) as caught:
                    self.ask(**fields)
                self.assertEqual((caught.exception.code, pathlib.Path(state.FILE).read_bytes()), (allowed.FAILED, data))
                self.assertRegex(str(caught.exception), f"^{state.FILE}: .*, so no limit holds. Type `wow limit clear`, and set them again$")


class Telling(Case):
    def round(self):
        rounds.Limiting().round(0.0)

    def told(self):
        return pathlib.Path(tell.FILE).read_text(encoding="utf-8")

    def test_htcondor_is_told_once_of_each_change(self):
        self.round()
        self.ran.clear()
        self.ask(processors="2", memory="1024", disk="100", percent="50")
        self.round()
        self.round()
        self.assertEqual(self.ran.count("condor_reconfig"), 1)
        for line in ("WowLimitProcessors = 2", "WowLimitMemory = 1024", "WowLimitDisk = 102400", "WowLimitPercent = 50",
                     "STARTD_ATTRS = $(STARTD_ATTRS) WowLimitProcessors WowLimitMemory WowLimitDisk WowLimitPercent",
                     f"CLAIM_WORKLIFE = ifThenElse(EnteredCurrentState <= {MONDAY}, 0, 1200)"):
            self.assertIn(f"{line}\n", self.told())
        self.ask(processors="none", memory="none", disk="none", percent="none")
        self.round()
        self.assertNotIn("WowLimit", self.told())
        self.assertNotIn(tell.WITHIN, self.told())

    def test_one_that_does_not_hear_is_told_in_a_later_round(self):
        self.round()
        self.ask(processors="2")
        self.code = 1
        with self.assertRaises(WowError):
            self.round()
        self.assertIn("HTCondor is told in a moment, or when it runs.", words.waits(state.read()))
        self.code = 0
        self.round()
        self.assertEqual(words.waits(state.read()), [])

    def test_a_clock_that_was_set_back_does_not_keep_claims_to_one_job(self):
        self.ask(processors="2")
        self.wall -= 365 * DAY
        self.round()
        self.assertIn("WowLimitProcessors", self.told())
        self.assertNotIn("CLAIM_WORKLIFE", self.told())

    def test_the_rule_of_htcondor_s_configuration_goes_by_it(self):
        said = drop_in.config(samples.pool(), "10.128.0.5", "alpha")
        self.assertIn(f"include ifexist : {tell.FILE}\n", said)
        self.assertRegex(said, rf"\nSTART = .*\$\({tell.WITHIN}\)\n")


class Shares(Case):
    def test_the_kernel_goes_by_it_at_once_and_no_more_when_it_is_ended(self):
        self.job()
        file = self.group / "cpu.max"
        for said, wanted in (("50", "50000 100000"), ("150", "150000 100000"), ("none", "max 100000")):
            self.ask(percent=said)
            self.assertEqual(file.read_text(), wanted)
        self.assertEqual(share.found(50), share.LATER)
        self.ask(percent="50")
        self.assertEqual(share.found(50), share.HOLDS)

    def test_a_group_that_htcondor_makes_later_is_held_in_the_next_round(self):
        self.ask(percent="50")
        self.assertEqual(share.found(50), share.LATER)
        self.job()
        rounds.Limiting().round(0.0)
        self.assertEqual((self.group / "cpu.max").read_text(), "50000 100000")

    def test_where_it_is_known_already_the_group_is_made_before_the_first_job(self):
        self.unit.mkdir()
        share.apply(50)
        self.assertFalse(self.group.exists())
        (self.unit / "cgroup.subtree_control").write_text("cpu memory pids\n", encoding="ascii")
        share.apply(None)
        self.assertFalse(self.group.exists())
        share.apply(50)
        self.assertTrue(self.group.is_dir())

    def test_a_kernel_that_counts_no_processor_time_by_groups_is_named(self):
        self.group.mkdir(parents=True)
        self.ask(percent="50")
        self.assertEqual(share.found(50), share.NEVER)
        self.assertIn("does not hold", words.waits(state.read())[0])


class Holding(Case):
    def test_the_owner_s_pause_stands_above_the_hours_and_these_above_one_that_lets_jobs_end(self):
        own, ends = pause_state.Pause(MONDAY, None, False, "alice"), pause_state.Pause(MONDAY, None, True, "alice")
        self.assertEqual([holding.over(one) for one in (None, own, ends)], [None, own, ends])
        self.ask(hours="tue 9-17")
        self.assertEqual([holding.over(one).who for one in (None, own, ends)], [hours.WHO, "alice", hours.WHO])

    def test_the_rounds_stop_jobs_when_the_hours_end_and_start_them_when_they_begin(self):
        freezer = self.job()
        self.ask(hours="mon 9-17")
        self.wall, seen = MONDAY + 16 * HOUR + 3599, []
        for later in (0, 1, 2, 16 * HOUR):
            self.wall = MONDAY + 16 * HOUR + 3599 + later
            with mock.patch.object(pause_state, "now", lambda: pause_state.Clock(self.wall, 5000, "boot")):
                pauses.Pausing(lambda _: None).round(0.0)
            seen.append((freezer.read_text(), "WowPauseReason" in pathlib.Path(pause_tell.FILE).read_text(encoding="utf-8")))
        self.assertEqual(seen, [("0", False), ("1", True), ("1", True), ("1", True)])
        self.wall = MONDAY + 7 * DAY + 9 * HOUR
        with mock.patch.object(pause_state, "now", lambda: pause_state.Clock(self.wall, 5000, "boot")):
            pauses.Pausing(lambda _: None).round(0.0)
        self.assertEqual(freezer.read_text(), "0")
        self.assertEqual(self.ran.count("condor_reconfig"), 3)

    def test_a_clock_that_jumps_is_followed_and_nothing_is_left_of_where_it_was(self):
        self.ask(hours="mon 9-17")
        for wall, is_open in ((MONDAY + 10 * HOUR, True), (MONDAY - 365 * DAY + 3 * HOUR, False), (MONDAY + 10 * HOUR, True), (5, False), (MONDAY + 10 * HOUR, True)):
            self.wall = wall
            self.assertEqual(holding.read() is None, is_open, wall)

    def test_the_words_say_which_hours_and_what_ends_it(self):
        found = hours.pause(hours.read("tue 9-17"), MONDAY)
        self.assertIn("the hours that its owner set", pause_words.told(found))
        self.assertIn("wow limit clear hours", pause_words.told(found))
        facts = console.Facts(MONDAY, "science", "worker")
        facts.pause, facts.limits = found, "50 % of a processor; " + "x" * 400
        said = console.lines(facts)
        self.assertTrue(any("Outside of its owner's hours" in line and "2027-01-12 09:00" in line for line in said), said)
        self.assertTrue(any(line.startswith("limits   50 % of a processor") and len(line) <= console.WIDTH for line in said), said)
        self.assertEqual(console.mode(facts), console.WORKS)


class Verb(Case):
    def run_verb(self, *arguments):
        asked = []
        said = io.StringIO()
        with mock.patch.object(verb.client, "ask", lambda command, **fields: asked.append((command, fields))), redirect_stdout(said):
            code = verb.run(verb.VERB.read(list(arguments)))
        self.assertEqual(code, 0)
        return asked, said.getvalue()

    def test_words_become_what_the_agent_takes(self):
        for arguments, wanted in (
                (("set", "percent", "50%"), {"percent": "50"}), (("set", "percent", "50"), {"percent": "50"}), (("set", "processors", "2"), {"processors": "2"}),
                (("set", "memory", "2G"), {"memory": "2048"}), (("set", "memory", "2GB"), {"memory": "2048"}), (("set", "memory", "512", "MiB"), {"memory": "512"}), (("set", "memory", "none"), {"memory": "none"}),
                (("set", "percent", "50", "%"), {"percent": "50"}), (("set", "disk", "500m"), {"disk": "500"}), (("set", "disk", "1T"), {"disk": "1048576"}), (("set", "speed", "500kB/s"), {"speed": "500"}), (("set", "speed", "2", "MB/s"), {"speed": "2000"}),
                (("set", "speed", "64k"), {"speed": "64"}), (("set", "month", "20", "GB"), {"month": "20"}), (("set", "month", "1tb"), {"month": "1000"}), (("set", "month", "none"), {"month": "none"}),
                (("set", "disk", "none"), {"disk": "none"}),
                (("set", "hours", "mon-fri", "20:00-7:00", "sat", "0-24"), {"hours": "mon-fri 20:00-7:00 sat 0-24"}), (("clear", "hours"), {"hours": "none"}),
                (("clear",), dict.fromkeys(state.NAMES, "none"))):
            self.assertEqual(self.run_verb(*arguments)[0], [("limit", wanted)], arguments)
        for arguments in ((), ("show",), ("--json",)):
            self.assertEqual(self.run_verb(*arguments)[0], [])

    def test_wrong_words_are_refused_before_anybody_is_asked(self):
        for arguments in (("set",), ("set", "percent"), ("set", "colour", "1"), ("clear", "colour"), ("set", "speed", "500"), ("set", "speed", "4Mbit/s"), ("set", "speed", "k"),
                          ("set", "month", "20"), ("set", "month", "20M"), ("set", "month", "-1G"), ("set", "month", ""), ("clear", "hours", "disk"), ("show", "hours"), ("50",), ("set", "memory", "2048"), ("set", "memory", "1.5G"), ("set", "memory", "G"), ("set", "memory", "2", "G", "3"), ("set", "disk", ""), ("set", "speed", "500kb/s"), ("set", "percent", "%", "50", "7"),
                          ("set", "processors", "1", "2")):
            with self.assertRaises(UsageError, msg=arguments):
                self.run_verb(*arguments)

    def test_people_and_programs_are_told_what_holds_and_what_is_waited_for(self):
        tell.write(state.Limits(), MONDAY)
        self.ask(memory="2048", disk="1500", percent="50")
        _, said = self.run_verb()
        for word in ("2G", "1500M", "50 % of one processor", "none", "when the next job begins", "HTCondor is told in a moment"):
            self.assertIn(word, said)
        found = json.loads(self.run_verb("--json")[1])
        self.assertEqual(found["limits"], {"percent": 50, "processors": None, "memory": 2048, "disk": 1500, "speed": None, "month": None, "hours": None})
        self.assertEqual(len(found["waits"]), 2)
        self.job()
        self.assertIn("The job that runs keeps what it has until it ends.", self.run_verb()[1])

    def test_the_sentence_names_all_that_hold_and_is_empty_without(self):
        self.assertEqual(words.sentence(state.Limits()), "")
        self.assertEqual(words.sentence(state.Limits(50, 1, 2048, 1500, "mon 09:00-17:00")), "50 % of a processor; 1 processor; 2G memory; 1500M disk; mon 09:00-17:00")


class Page(Case):
    def test_the_form_shows_what_holds_and_what_there_is_and_an_empty_field_ends_a_limit(self):
        self.ask(memory="2048", hours="mon 9-17")
        said = page.show("k", page.kept()).decode()
        for word in ('name="memory" value="2048"', 'name="hours" value="mon 09:00-17:00"', 'name="percent" value=""', "There are 400.", "There are 3968.", 'name="key" value="k"'):
            self.assertIn(word, said)
        opened = page.kept()
        self.assertEqual(page.asked({**opened, "percent": " ", "processors": " 2 ", "memory": "", "speed": "500", "hours": "mon 09:00-17:00 "}),
                         {"processors": "2", "memory": "none", "speed": "500"})
        self.assertEqual(page.asked({**opened, "hours": ""}), {"hours": "none"})

    def test_what_somebody_else_set_since_the_page_was_opened_stays(self):
        self.ask(memory="2048", disk="1500")
        opened = page.kept()
        self.ask(hours="mon 9-17", month="20", disk="2000")
        setting = page.Limiting(None, None, None, None, {})
        sent = {name: opened[name] for name in setting.names}
        with mock.patch.object(page.client, "ask", lambda _, **fields: self.ask(**fields)):
            setting.have_done({**sent, "memory": "", "percent": "50"})
            setting.have_done(sent)
        self.assertEqual(state.read().values(), {"percent": 50, "processors": None, "memory": None, "disk": 2000, "speed": None, "month": 20, "hours": "mon 09:00-17:00"})

    def test_a_spoilt_file_is_told_on_both_pages_and_made_anew_by_the_form(self):
        self.ask(percent="50")
        self.assertNotIn("alert", page.show("k", page.kept()).decode() + page.line("50 %", True))
        pathlib.Path(state.FILE).write_bytes(b"\xff")
        for said in (page.show("k", page.kept()).decode(), page.line(words.sentence(state.read()), True)):
            self.assertIn('role="alert"', said)
            self.assertIn("so no limit holds", said)
            self.assertNotIn("all that the machine has", said)
        self.ask(**page.asked({**page.kept(), "memory": "2048"}))
        self.assertEqual((state.load().memory, state.load().percent), (2048, None))
        pathlib.Path(state.FILE).write_bytes(b"\xff")
        self.ask(**page.asked(page.kept()))
        self.assertEqual(state.load().values(), state.Limits().values())

    def test_what_was_refused_is_shown_again_as_text_and_has_a_bound(self):
        for hostile in ('"><script>alert(1)</script>', "x" * 5000, "\u202egnp"):
            said = page.show("k", dict.fromkeys(page.Limiting.names, hostile), f"no: {hostile}").decode()
            self.assertNotIn("<script>a", said)
            self.assertLess(len(said), 12000)
            self.assertIn('role="alert"', said)


if __name__ == "__main__":
    unittest.main()
