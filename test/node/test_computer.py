"""The owner's computer: what it tells and how that is taken, what follows, and in which words."""
import io
import json
import os
import pathlib
import random
import re
import tempfile
import unittest
from contextlib import redirect_stdout
from unittest import mock

import samples

from wow.acts import computer as act
from wow.acts import pause as pausing
from wow.agent import allowed
from wow.computer import busy, report, rounds, seen, settings, words
from wow.lib import system
from wow.lib.errors import WowError
from wow.lib.verb import UsageError
from wow.limits import state as limits
from wow.page import code
from wow.page import text as console
from wow.pause import state as pauses
from wow.slots import groups
from wow.stops import holding, tell
from wow.stops import words as pause_words
from wow.verbs import computer as verb
from wow.web import computer, server

NOW = 1000.0


class Case(unittest.TestCase):
    """A machine whose files are those of the test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.ran, self.now = [], NOW
        for one in (mock.patch.object(settings, "FILE", f"{folder.name}/computer.json"), mock.patch.object(seen, "FILE", f"{folder.name}/seen.json"),
                    mock.patch.object(report.kept, "__defaults__", (f"{folder.name}/told.json",)), mock.patch.object(pauses, "FILE", f"{folder.name}/pause.json"),
                    mock.patch.object(pauses, "LOCK", f"{folder.name}/pause.lock"),
                    mock.patch.object(limits, "FILE", f"{folder.name}/limits.json"), mock.patch.object(groups, "GROUPS", (folder.name,)),
                    mock.patch.object(pausing.facts, "read", lambda: samples.pool(node__role="worker")),
                    mock.patch.object(system, "run", lambda arguments, *_, **__: (self.ran.append(arguments[0]), (0, ""))[1])):
            one.start()
            self.addCleanup(one.stop)

    def desk(self):
        """As a program has it that has just begun."""
        return computer.Desk(f"{self.folder}/told.json", lambda: self.now)

    def token(self):
        return act.computer({"token": "new"}, 0)["token"]

    def hears(self, token, **fields):
        self.now += computer.OFTEN
        return self.desk().hear(token, fields)


class Choosing(Case):
    def test_battery_alone_stops_jobs_until_somebody_chooses_otherwise_and_each_is_kept_by_itself(self):
        self.assertEqual(settings.load().chosen(), {"battery": True, "used": None, "busy": False, "restart": True})
        self.assertIsNone(act.computer({"used": "5", "busy": "yes"}, 0))
        self.assertIsNone(act.computer({"battery": "no"}, 0))
        self.assertIsNone(act.computer({"restart": "no"}, 0))
        self.assertEqual(settings.load().chosen(), {"battery": False, "used": 5, "busy": True, "restart": False})
        act.computer({"used": "none"}, 0)
        self.assertEqual((settings.load().used, set(self.ran)), (None, {"systemctl"}))

    def test_nonsense_changes_nothing_and_says_what_is_good(self):
        for fields in ({}, {"battery": ""}, {"battery": "Yes"}, {"busy": "1"}, {"restart": "never"}, {"used": "0"}, {"used": "1441"}, {"used": "-1"}, {"used": "٣"}, {"used": ""}, {"used": "9" * 20},
                       {"token": "x" * 32}, {"token": ""}, {"busy": "yes", "used": "x"}):
            with self.assertRaises(WowError) as caught:
                act.computer(fields, 0)
            self.assertEqual((caught.exception.code, bool(caught.exception.todo), os.path.exists(settings.FILE)), (allowed.BAD_REQUEST, True, False), fields)

    def test_a_token_has_128_bits_is_kept_as_a_hash_and_goes_when_another_is_made_or_it_is_forgotten(self):
        first, second = self.token(), self.token()
        self.assertRegex(first, "^[0-9a-f]{32}$")
        kept = pathlib.Path(settings.FILE).read_text(encoding="ascii")
        self.assertNotIn(second, kept)
        self.assertIn(code.digest(second), kept)
        self.assertNotEqual(first, second)
        act.computer({"busy": "yes"}, 0)
        self.assertEqual(settings.load().token, code.digest(second))
        act.computer({"token": "forget"}, 0)
        self.assertEqual((settings.load().token, settings.load().busy), ("", True))

    def test_a_machine_without_slots_and_a_full_disk_are_told(self):
        with mock.patch.object(pausing.facts, "read", lambda: samples.pool(node__role="login")), self.assertRaises(WowError) as caught:
            self.token()
        self.assertEqual(caught.exception.code, allowed.NO_JOBS)
        with mock.patch.object(pausing.facts, "read", lambda: samples.pool(node__role="login")):
            act.computer({"restart": "no"}, 0)
        self.assertFalse(settings.load().restart)
        with mock.patch.object(settings.files, "write", side_effect=OSError(28, "No space left on device")), self.assertRaises(WowError) as caught:
            self.token()
        self.assertEqual(caught.exception.code, allowed.FAILED)

    def test_a_bad_file_is_what_nobody_chose_is_told_and_is_made_anew_by_who_says_all_of_it(self):
        self.token()
        act.computer({"used": "5"}, 0)
        good = json.loads(pathlib.Path(settings.FILE).read_text(encoding="utf-8"))
        bad = [b"", b"{", b"[]", b"\xff", b"[" * 4000, json.dumps({**good, "more": 1}).encode()]
        bad += [json.dumps({name: value for name, value in good.items() if name != gone}).encode() for gone in good]
        bad += [json.dumps({**good, **change}).encode() for change in ({"battery": 1}, {"busy": None}, {"restart": 1}, {"used": 0}, {"used": True}, {"used": 1441}, {"used": "5"}, {"token": None},
                                                                       {"token": "x" * 64}, {"token": "a" * 63})]
        for data in bad:
            pathlib.Path(settings.FILE).write_bytes(data)
            self.assertEqual((settings.read().chosen(), settings.read().token), (settings.Settings().chosen(), ""), data[:60])
            with self.assertRaises(WowError):
                rounds.Watching().round(0.0)
            for fields in ({"battery": "no"}, {"token": "new"}, {"restart": "no"}):
                with self.assertRaises(WowError) as caught:
                    act.computer(fields, 0)
                self.assertEqual((caught.exception.code, pathlib.Path(settings.FILE).read_bytes()), (allowed.FAILED, data))
                self.assertIn("Type `wow computer forget`, and choose again", str(caught.exception))
        act.computer({"battery": "no", "used": "5", "busy": "yes", "restart": "no"}, 0)
        self.assertEqual(settings.load().chosen(), {"battery": False, "used": 5, "busy": True, "restart": False})
        pathlib.Path(settings.FILE).write_bytes(b"")
        with mock.patch.object(pausing.facts, "read", lambda: samples.pool(node__role="login")):
            act.computer({"token": "forget"}, 0)
        self.assertEqual(settings.load().chosen(), settings.Settings().chosen())


class Telling(Case):
    def test_a_report_in_the_words_of_each_system(self):
        for fields, said in (({"idle": "312", "power": "battery", "charge": "57"}, "heard 0 s ago: idle for 312 s, on battery 57 %"),
                             ({"idle": " 0 ", "power": "Online", "charge": "100"}, "heard 0 s ago: idle for 0 s, plugged in 100 %"),
                             ({"power": "Offline"}, "heard 0 s ago: on battery"), ({"idle": "5", "power": "Unknown", "charge": ""}, "heard 0 s ago: idle for 5 s"),
                             ({"power": "mains", "idle": "", "charge": ""}, "heard 0 s ago: plugged in")):
            self.assertEqual(words.heard(report.read(fields, NOW), NOW), said)

    def test_nonsense_is_no_report(self):
        for fields in ({}, {"idle": "", "power": ""}, {"charge": "50"}, {"idle": "-1"}, {"idle": "1.5"}, {"idle": "1e3"}, {"idle": "9" * 10}, {"idle": "100000001"}, {"idle": "٣"},
                       {"power": "on"}, {"power": "battery\0"}, {"power": "battery", "charge": "101"}, {"power": "battery", "charge": "255"}, {"idle": "1", "more": "x"},
                       {"idle": "<b>"}):
            with self.assertRaises(WowError, msg=str(fields)) as caught:
                report.read(fields, NOW)
            self.assertTrue(caught.exception.todo)

    def test_the_right_token_is_heard_and_no_other_nor_the_one_before(self):
        with self.assertRaises(computer.Refused) as caught:
            self.hears("", idle="1")
        self.assertIn("no line was made", caught.exception.text)
        old = self.token()
        right = self.token()
        for wrong in (old, "", right[:-1], right + "0", "é", "\ud800", right.upper() + " "):
            self.now += computer.OFTEN
            with self.assertRaises(computer.Refused) as caught:
                self.hears(wrong, idle="1")
            self.assertEqual(caught.exception.status, 403)
        self.assertEqual(self.hears(right, idle="312", power="battery").idle, 312)
        self.assertEqual((self.desk().told.idle, self.desk().wrong), (312, 8))
        self.assertEqual(os.stat(f"{self.folder}/told.json").st_mode & 0o777, 0o600)
        act.computer({"token": "forget"}, 0)
        with self.assertRaises(computer.Refused):
            self.hears(right, idle="1")

    def test_a_thousand_wrong_ones_are_slowed_and_counted_and_keep_the_right_one_out_of_nothing(self):
        right, desk, chance, looked = self.token(), self.desk(), random.Random(3), 0
        for _ in range(1000):
            self.now += 0.1
            with self.assertRaises(computer.Refused) as caught:
                desk.hear(chance.randbytes(16).hex(), {"idle": "1"})
            looked += caught.exception.status == 403
        self.assertLess(looked, 2)
        self.assertEqual(desk.hear(right, {"idle": "7"}).idle, 7)
        self.assertEqual(self.desk().wrong, 1000)

    def test_more_often_than_every_two_seconds_is_not_taken_and_a_bad_one_leaves_the_last(self):
        right = self.token()
        self.hears(right, idle="7")
        for status, step, fields in ((429, 1, {"idle": "8"}), (400, 2, {"idle": "x"})):
            self.now += step
            with self.assertRaises(computer.Refused) as caught:
                self.desk().hear(right, fields)
            self.assertEqual((caught.exception.status, self.desk().told.idle), (status, 7))

    def test_what_its_writer_leaves_there_instead_of_a_file_stops_nobody(self):
        path = self.folder / "told.json"
        for make in (lambda: os.mkfifo(path), lambda: path.mkdir(), lambda: path.symlink_to("/dev/zero"), lambda: path.write_bytes(b"\xff"), lambda: path.write_text("[]"),
                     lambda: path.write_text('{"report": {"when": "x"}, "wrong": -1, "last": []}')):
            make()
            self.assertIsNone(report.made(report.kept().get("report")))
            if not path.is_dir():
                path.unlink()
            else:
                path.rmdir()


class Following(Case):
    def setUp(self):
        super().setUp()
        self.wall, self.share = 2_000_000_000.0, 0.0
        self.right = self.token()
        self.watching = self.begin()

    def begin(self):
        return rounds.Watching(busy.Measure(lambda: (1.0 - self.share, self.share), lambda: (0, 0)), lambda: self.now, lambda: self.wall)

    def round(self, step=10.0):
        self.now += step
        self.wall += step
        self.watching.round(self.now)
        return found.who if (found := holding.read()) else None

    def test_battery_stops_jobs_and_mains_or_silence_lets_them_go_on(self):
        self.hears(self.right, idle="900", power="battery")
        self.assertEqual(self.round(1), "wow-battery")
        self.assertEqual(holding.read().since, int(self.wall))
        since = holding.read().since
        self.hears(self.right, idle="960", power="battery")
        self.assertEqual((self.round(), holding.read().since), ("wow-battery", since), "HTCondor would be told again and again")
        self.watching = self.begin()
        self.assertEqual((self.round(), holding.read().since), ("wow-battery", since), "it began anew with the program")
        self.hears(self.right, power="mains")
        self.assertIsNone(self.round(1))
        self.hears(self.right, power="battery")
        self.assertEqual(self.round(1), "wow-battery")
        self.assertEqual(self.round(report.FRESH - 20), "wow-battery")
        self.assertIsNone(self.round(30), "the computer may be gone")
        self.assertIsNone(seen.read().told)

    def test_use_stops_jobs_where_that_is_chosen_until_nobody_was_there_for_so_long(self):
        self.hears(self.right, idle="0", power="mains")
        self.assertIsNone(self.round(1))
        act.computer({"used": "5"}, 0)
        self.assertEqual(self.round(1), "wow-used")
        self.hears(self.right, idle="299")
        self.assertEqual(self.round(1), "wow-used")
        self.hears(self.right, idle="300")
        self.assertIsNone(self.round(1))

    def test_a_busy_computer_stops_jobs_where_that_is_chosen_alone(self):
        slot = self.folder / "slot1_1"
        slot.mkdir()
        (slot / "cgroup.events").write_text("populated 1\n", encoding="ascii")
        self.share = 0.6
        for _ in range(9):
            self.assertIsNone(self.round())
        self.assertTrue(seen.read().busy)
        self.assertEqual((seen.read().share, words.load(seen.read())), (60, "yes: it takes 60 % of a processor's time from this machine"))
        act.computer({"busy": "yes"}, 0)
        self.assertEqual(self.round(), "wow-busy")
        self.share = 0.0
        went = [self.round() for _ in range(45)]
        self.assertEqual((went[0], went[25], went[-1]), ("wow-busy", "wow-busy", None))
        self.assertEqual(sum(one != other for one, other in zip(went, went[1:])), 1)

    def test_the_owner_s_own_pause_stands_above_and_one_that_lets_jobs_end_below(self):
        self.hears(self.right, power="battery")
        self.round(1)
        clock = pauses.now()
        for finish, who in ((False, "alice"), (True, "wow-battery")):
            pauses.keep(pauses.Kept(pauses.Pause(clock.wall, None, finish, "alice"), clock.boot, clock.uptime))
            self.assertEqual(holding.read().who, who)

    def test_one_reason_in_the_same_words_everywhere_and_others_learn_none(self):
        self.hears(self.right, idle="0", power="battery", charge="57")
        self.round(1)
        pause = holding.read()
        self.assertIn("its 2 jobs stand still; by the owner's computer, which runs on battery, since", pause_words.sentence(pause, 2))
        self.assertIn("until that changes.", pause_words.sentence(pause, 2))
        self.assertIn("wow computer set battery no", pause_words.told(pause))
        facts = console.Facts(self.wall, "science", "worker")
        facts.pause = pause
        self.assertEqual((console.state(facts), console.mode(facts)), ("Your computer runs on battery: no job runs until that changes.", console.WORKS))
        for who in seen.WHO.values():
            self.assertEqual(tell.reason(pauses.Pause(0, None, False, who)), words.OTHERS)
            self.assertIn(who, words.SHORT)
        self.assertEqual(os.stat(seen.FILE).st_mode & 0o777, 0o640)

    def test_run_all_the_same_is_a_choice(self):
        slot = self.folder / "slot1_1"
        slot.mkdir()
        (slot / "cgroup.freeze").write_text("1", encoding="ascii")
        self.hears(self.right, idle="0", power="battery")
        self.assertEqual(self.round(1), "wow-battery")
        act.computer({"busy": "yes"}, 0)
        self.assertEqual(seen.read().why, "battery")
        act.computer({"battery": "no"}, 0)
        self.assertEqual((seen.read().why, (slot / "cgroup.freeze").read_text(encoding="ascii")), (None, "0"), "at once, not when wow-jobs looks")
        self.assertEqual(self.round(1), None)
        act.computer({"used": "5", "busy": "yes"}, 0)
        for why, (name, value) in words.ANYWAY.items():
            act.computer({name: value}, 0)
            self.assertFalse(settings.load().chosen()[name], why)

    def test_a_file_of_what_is_seen_that_is_no_good_is_no_pause(self):
        for text in ("", "{", "[]", "null", '{"why": "x", "since": 1}', '{"why": "battery"}', '{"why": "battery", "since": true}', '{"why": ["battery"], "since": 1}',
                     '{"why": "battery", "since": -1}', '{"why": "battery", "since": 1, "share": 101}'):
            pathlib.Path(seen.FILE).write_text(text, encoding="ascii")
            self.assertIsNone(seen.pause(), text)


class Showing(Case):
    def shown(self, *said, **options):
        out = io.StringIO()
        with redirect_stdout(out), mock.patch.object(verb.client, "ask", lambda _, **fields: {"ok": True, **(act.computer(fields, 0) or {})}):
            self.assertEqual(verb.run(mock.Mock(words=list(said), has=lambda _: bool(options))), 0)
        return out.getvalue()

    def test_the_verb_shows_and_sets(self):
        self.assertIn("tells nothing: wow computer line SYSTEM", self.shown())
        self.shown("set", "used", "5m")
        self.shown("set", "battery", "no")
        for line in ("pause: battery  no", "pause: used     5 minutes", "pause: busy     no"):
            self.assertIn(line, self.shown("show"))
        with mock.patch.object(verb.where, "found", lambda: ["192.168.1.7"]):
            said = self.shown("line", "linux")
            self.assertIn(settings.load().token, code.digest(re.search("token=([0-9a-f]{32})", said)[1]))
            self.assertIn("Register-ScheduledTask", json.loads(self.shown("line", "windows", json=True))["line"])
        found = json.loads(self.shown(json=True))
        self.assertEqual((found["chosen"], found["token"], found["why"], found["paused"]), ({"battery": False, "used": 5, "busy": False, "restart": True}, True, None, None))
        self.shown("forget")
        self.assertFalse(json.loads(self.shown(json=True))["token"])
        for wrong in (["what"], ["set"], ["set", "used"], ["set", "colour", "red"], ["line"], ["line", "beos"], ["forget", "x"], ["show", "x"]):
            with self.assertRaises(UsageError):
                self.shown(*wrong)

    def test_the_page_escapes_nothing_that_is_a_stranger_s_for_it_takes_numbers_alone_and_shows_no_token(self):
        right = self.token()
        self.hears(right, idle="312", power="battery", charge="57")
        with self.assertRaises(computer.Refused):
            self.hears("x", idle="1")
        said = computer.show("k", settings.load(), seen.Seen("battery", 5, False, 3, None), self.desk(), self.now + 40).decode()
        for part in ("heard 42 s ago: idle for 312 s, on battery 57 %", "no: it takes 3 % of a processor", "Jobs stand still for the owner&#x27;s computer, which runs on battery",
                     "Reports with a wrong token: 1,", "Make a new line", "Forget the line"):
            self.assertIn(part, said)
        self.assertNotIn(right, said)
        self.assertIn("No job stands still", computer.show("k", settings.Settings(), seen.Seen(), self.desk(), self.now).decode())

    @staticmethod
    def form(said):
        """The fields of the page's form as a browser sends it that nobody changed; those that it does not send are empty."""
        found = dict.fromkeys(settings.NAMES, "")
        for field in re.findall("<input [^>]*>", said.partition('action="/computer/set"')[2].partition("</form>")[0]):
            kind, name, value = (re.search(f'{part}="([^"]*)"', field) for part in ("type", "name", "value"))
            if not (kind and kind[1] == "checkbox") or " checked" in field:
                found[name[1]] = value[1]
        return found

    def test_what_somebody_else_chose_since_the_page_was_opened_stays(self):
        act.computer({"used": "5"}, 0)
        opened = self.form(computer.show("k", settings.read(), seen.Seen(), self.desk(), self.now).decode())
        self.assertEqual((opened["battery"], opened["busy"], opened["used"], opened["was-busy"]), ("yes", "", "5", "no"))
        act.computer({"restart": "no", "used": "30"}, 0)
        self.assertEqual(computer.asked(opened), {})
        act.computer(computer.asked({**opened, "busy": "yes", "battery": ""}), 0)
        self.assertEqual(settings.load().chosen(), {"battery": False, "used": 30, "busy": True, "restart": False})
        self.assertEqual(computer.asked({**opened, "used": " "}), {"used": "none"})
        self.assertEqual(computer.asked({**opened, "used": "x5 "}), {"used": "x5"})

    def test_a_spoilt_file_is_told_on_the_page_and_made_anew_by_its_form(self):
        def shown():
            return computer.show("k", settings.read(), seen.Seen(), self.desk(), self.now).decode()
        act.computer({"used": "5"}, 0)
        self.assertNotIn('role="alert"', shown())
        pathlib.Path(settings.FILE).write_bytes(b"\xff")
        self.assertIn('role="alert"', shown())
        self.assertIn("so jobs stand still on battery alone", shown())
        act.computer(computer.asked(self.form(shown())), 0)
        self.assertEqual(settings.load().chosen(), settings.Settings().chosen())

    def test_a_program_that_hears_reports_alone_ends_soon(self):
        self.assertTrue(computer.is_report({"PATH_INFO": "/computer", "REQUEST_METHOD": "POST"}))
        self.assertFalse(computer.is_report({"PATH_INFO": "/computer", "REQUEST_METHOD": "GET"}))
        self.assertEqual(self.ended([("/computer", "POST")] * 3), 15.0 + computer.TIME_UP)
        self.assertEqual(self.ended([("/computer", "POST"), ("/", "GET"), ("/computer", "POST")]), 10.0 + server.IDLE, "a browser keeps it for its time")
        self.assertEqual(self.ended([]), computer.TIME_UP)

    def ended(self, asked):
        """When the program ends that is asked these every five seconds."""
        clock, made, left = [0.0], [], list(asked)

        def loop(**_):
            clock[0] += 5.0
            if left:
                path, method = left.pop(0)
                made[0]({"PATH_INFO": path, "REQUEST_METHOD": method}, None)

        def create(app, **_):
            made.append(app)
            return mock.Mock(active_channels={})

        with mock.patch.object(server.time, "monotonic", lambda: clock[0]):
            server.serve(lambda *_: [], None, mock.Mock(create_server=create), mock.Mock(loop=loop))
        return clock[0]
