"""The page on the console: its text, and what wow-jobs knows for it without asking HTCondor. Its keys are in test_page_keys.py."""
import copy
import json
import os
import pathlib
import stat
import sys
import tempfile
import time
import unittest
from unittest import mock

import samples

from wow.config import users
from wow.jobs import lapsed
from wow.lib import console
from wow.lib.errors import WowError
from wow.page import doctor, keeper, text
from wow.pause.state import Pause
from wow.seal import fence
from wow.setup import accounts, configure, screen
from wow.slots import begun, running
from wow.stops import drained
from wow.web import look, pages

NOON = 1_900_000_000
HOSTILE = ["\x1b[2J\x1b[31mboo", "a\nb\rc\td", "\u202egnp.exe\u202c", "\u2066x\u2069", "\u0430lice@alpha", "\x9b31m", "x" * 5000, "%s%n\\033[H", "\ud800", ""]


def facts(**other):
    """A worker of a pool, well and idle."""
    found = text.Facts(NOON, "science", "worker")
    found.status, found.asked, found.findings, found.looked = copy.deepcopy(samples.STATUS), NOON, [], NOON - 60
    for name, value in other.items():
        setattr(found, name, value)
    return found


class Text(unittest.TestCase):
    def setUp(self):
        """In UTC; test_zone.py has others."""
        self.addCleanup(time.tzset)
        self.enterContext(mock.patch.dict(os.environ, TZ="UTC"))

    def said(self, **other):
        """The page, which fits whatever it holds."""
        lines = text.lines(facts(**other))
        self.assertLessEqual(len(lines), text.ROWS)
        for line in lines:
            self.assertLessEqual(len(line), text.WIDTH)
            self.assertTrue(all(" " <= one <= "~" for one in line), line)
        return "\n".join(lines)

    def test_it_says_pool_name_addresses_key_and_state(self):
        said = self.said()
        for word in ("pool science", "alpha.science.internal", "10.128.3.4  in the pool", "192.168.1.7  on your own network", "ab" * 20, "waits for jobs", "nothing, as of 17:45 UTC"):
            self.assertIn(word, said)
        self.assertIn("login    ssh -p 4422 NAME@localhost  for people of the pool", self.said(ssh="ssh -p 4422 NAME@localhost"))

    def test_it_says_what_runs_for_whom_and_since_when(self):
        jobs = [running.Job(2001, "alice@alpha.science.internal", 3600), running.Job(2002, "bob@beta.science.internal", 90000)]
        said = self.said(jobs=jobs)
        self.assertRegex(said, "runs +alice@alpha.science.internal +since 16:46")
        self.assertRegex(said, "bob@beta.science.internal +since 2030-03-16 16:46")
        self.assertIn("It works: 2 jobs of its pool run here.", said)
        slept = [running.Job(2001, "alice@alpha", 1200, wall=NOON - 3600)]
        self.assertRegex(self.said(jobs=slept), "alice@alpha +since 16:46")
        many = self.said(jobs=[running.Job(2001 + at, f"p{at}@alpha", at) for at in range(128)])
        self.assertIn("and 125 more", many)

    def test_each_state_has_a_sentence_of_its_own(self):
        status = samples.STATUS
        off = {**status, "ring": {**status["ring"], "joined": False}}
        self.assertIn("another machine has its key, a copy.", self.said(status=off))
        self.assertIn("nobody that it knows answers", self.said(status={**off, "warnings": []}))
        states = [
            self.said(status=None), self.said(status=off), self.said(status={**status, "address": None}),
            self.said(status={**status, "certified": False}), self.said(status={**status, "certified": False}, role="manager"), self.said(condor=False),
            self.said(role="manager"), self.said(role="login"), self.said(),
            self.said(jobs=[running.Job(2001, "a@b", 1)]), self.said(pause=Pause(NOON, None, False, "console")), self.said(pause=Pause(NOON, NOON + 3600, True, "alice"))]
        sentences = [next(line for line in said.splitlines() if line.startswith("state")) for said in states]
        self.assertEqual(len(set(sentences)), len(sentences))
        self.assertIn("until 18:46 UTC", sentences[-1])
        self.assertIn("until P is pressed", sentences[-2])

    def test_a_machine_that_the_administrator_drained_says_so_and_not_to_press_a_key_that_would_pause_it(self):
        pause = Pause(NOON, None, True, drained.WHO)
        self.assertIn("state    The pool's administrator gives it no jobs; what runs goes on.\n", self.said(pause=pause) + "\n")
        self.assertNotIn("until P", self.said(pause=pause))
        self.assertEqual(text.mode(facts(pause=pause)), text.WORKS)

    def test_a_part_that_is_away_is_named_and_what_is_known_stays_with_its_time(self):
        said = self.said(trouble="does not exist", asked=NOON - 600)
        self.assertIn("ipopd does not answer; this is of 17:36 UTC. See: wow doctor", said)
        self.assertIn("10.128.3.4", said)
        self.assertIn("ipopd does not answer.", self.said(trouble="gone", status=None))
        self.assertIn("wow-agent does not listen; keys do nothing. Start the machine again.", self.said(agent=False))

    def test_the_first_findings_are_whole_or_cut_at_an_end_and_the_rest_is_counted(self):
        said = self.said(findings=[("The manager does not answer.", "Ask who runs it.")] + [("word " * 90, "Do it.")] * 4)
        self.assertIn("wrong    The manager does not answer. Ask who runs it.", said)
        self.assertIn("and 2 more: wow doctor", said)
        self.assertIn(" ...", said)
        self.assertIn("not looked at yet", self.said(findings=None))

    def test_the_fullest_page_fits(self):
        rows = {"jobs": [running.Job(2001 + at, "x" * 200, 90000) for at in range(9)], "web": "http://192.168.100.100", "ssh": "ssh NAME@192.168.100.100", "limits": "50 %"}
        status = {**samples.STATUS, "open": True, "host": "h" * 63, "zone": "z" * 70}
        lines = self.said(**rows, findings=[("word " * 200, "")] * 9, status=status, trouble="x", agent=False, pause=Pause(NOON, NOON + 900000, False, "a")).splitlines()
        self.assertIn("and 6 more: wow doctor", lines[-1])

    def test_whatever_strangers_are_called_the_screen_obeys_none_of_it(self):
        for name in HOSTILE:
            for said in (self.said(jobs=[running.Job(2001, name, 5)]), self.said(findings=[(name, name)]), self.said(pause=Pause(NOON, None, False, "x"), trouble=name)):
                self.assertIn("science", said)
        self.assertIn("?[2J?[31mboo", self.said(jobs=[running.Job(2001, HOSTILE[0], 5)]))


class Running(unittest.TestCase):
    """For whom slots work, as starters note it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "proc").mkdir()
        self.uptime(500)

    def uptime(self, seconds):
        """What the kernel says."""
        (self.folder / "proc/uptime").write_text(f"{seconds}.00 1.0\n")

    def process(self, number, name, started):
        (self.folder / f"proc/{number}").mkdir(exist_ok=True)
        (self.folder / f"proc/{number}/stat").write_text(f"{number} ({name}) S " + " ".join(["0"] * 18) + f" {int(started * running.TICKS)} 0\n")

    def look(self):
        return [(job.account, job.whom, job.age) for job in running.look(f"{self.folder}/begun", f"{self.folder}/proc")]

    def note(self, account, whom, number, begun_at):
        (self.folder / "begun").mkdir(exist_ok=True)
        (self.folder / f"begun/{account}").write_text(f"{whom}\n{number}\n{begun_at}\n")

    def test_a_note_counts_while_the_starter_runs_that_wrote_it(self):
        self.assertEqual(self.look(), [])
        self.process(70, "condor_starter", 100)
        self.process(71, "starter", 400)
        self.process(72, "condor_starter", 450)
        self.process(73, "sleep", 100)
        for account, number, at in ((2001, 70, 100.3), (2002, 71, 400.1), (2003, 72, 200), (2004, 73, 100), (2005, 99, 100)):
            self.note(account, f"p{account}@alpha", number, at)
        self.assertEqual([one[:2] for one in self.look()], [(2001, "p2001@alpha"), (2002, "p2002@alpha")])
        self.assertAlmostEqual(self.look()[0][2], 399.7)

    def test_a_job_began_when_the_clock_said_so_though_the_host_slept_since(self):
        self.process(70, "condor_starter", 100)
        for wall, slept, since in (("", 0, NOON - 3600), (f"\n{NOON - 3600}", 0, NOON - 3600), (f"\n{NOON - 3600}", 2400, NOON - 3600),
                                   (f"\n{NOON + 9999}", 0, NOON - 3600), ("\n5", 0, NOON - 3600)):
            self.note(2001, "alice@alpha", 70, f"100.0\nstorm surge{wall}")
            self.uptime(100 + 3600 - slept)
            job, = running.look(f"{self.folder}/begun", f"{self.folder}/proc")
            self.assertEqual((job.since(NOON), job.project), (since, "storm surge"), wall)

    def test_what_is_no_note_is_passed_over(self):
        self.process(70, "condor_starter", 100)
        for account, words in ((2001, ""), (2002, "a\n70\n"), (2003, "a\nb\nc\n"), (2004, "a\n70\n1\nmore\n")):
            self.note(account, "", 0, 0)
            (self.folder / f"begun/{account}").write_text(words)
        (self.folder / "begun/2005.new").write_text("a\n70\n100\n")
        self.assertEqual(self.look(), [])

    def test_a_starter_notes_for_whom_and_itself(self):
        begun.note(2007, "alice@alpha\x1b[2J\nsecond " + "x" * 500, folder=f"{self.folder}/begun")
        whom, number, at, _, wall = (self.folder / "begun/2007").read_text().splitlines()
        self.assertEqual((len(whom), number, wall.isdigit()), (begun.LONGEST, str(os.getpid()), True))
        self.assertGreater(float(at), 0)


class Doctor(unittest.TestCase):
    """When the doctor is asked, and what becomes of what it says. Time is the test's."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.says({"findings": []})

    def says(self, said):
        (self.folder / "said").write_text(said if isinstance(said, str) else json.dumps(said))

    def make(self, *command):
        return doctor.Doctor(lambda: NOON, list(command) or ["/bin/cat", f"{self.folder}/said"], f"{self.folder}/doctor.json")

    def looks(self, one, now, hint):
        """Whether a round at this time begins a look; it is waited for then."""
        was = one._pid
        one.round(now, hint)
        began = one._pid and not was
        if began:
            os.waitid(os.P_PID, one._pid, os.WEXITED | os.WNOWAIT)
        return bool(began)

    def test_it_looks_seldom_sooner_after_a_change_and_often_while_something_is_wrong(self):
        one = self.make()
        times = [now for now in range(0, 3000, 5) if self.looks(one, now, "as ever")]
        self.assertEqual(times, [60, 965, 1870, 2775])
        self.assertEqual((one.findings, one.looked), ([], NOON))
        self.says({"findings": [{"state": "wrong", "what": "a", "todo": "b"}, {"state": "ok", "what": "c", "todo": ""}]})
        times = [now for now in range(3000, 3500, 5) if self.looks(one, now, "changed")]
        self.assertEqual(times, [3020, 3145, 3270, 3395])
        self.assertEqual(one.findings, [("a", "b")])

    def test_what_it_says_in_halves_or_without_sense_leaves_what_was_known(self):
        one = self.make()
        self.looks(one, 0, 1)
        self.looks(one, 60, 1)
        one.round(65, 1)
        for wrong in ("", "{", "[]", '{"findings":[{}]}', '{"findings":7}', "[" * 9999):
            self.says(wrong)
            one._due = 100
            self.assertTrue(self.looks(one, 100, 1))
            one.round(105, 1)
            self.assertEqual(one.findings, [])

    def test_one_that_never_ends_is_ended(self):
        one = self.make("/bin/sleep", "1000")
        one.round(0, 1)
        one.round(60, 1)
        number = one._pid
        one.round(60 + doctor.LONGEST + 1, 1)
        os.waitid(os.P_PID, number, os.WEXITED | os.WNOWAIT)
        one.round(60 + doctor.LONGEST + 5, 1)
        self.assertEqual((one._pid, one.findings), (0, None))


class Keeping(unittest.TestCase):
    """The file that the page draws."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.page = f"{folder.name}/page"
        self.time = NOON
        self.asked = []
        pool = mock.Mock(role="worker")
        pool.name = "science"
        self.answer = samples.STATUS
        for one in (mock.patch.object(keeper.control, "status", self.status), mock.patch.object(keeper.running, "look", list),
                    mock.patch.object(keeper.holding, "read", lambda: None), mock.patch.object(keeper.limits, "read", keeper.limits.Limits)):
            one.start()
            self.addCleanup(one.stop)
        self.keeper = keeper.Keeper(pool, lambda: self.time, self.page, mock.Mock(findings=[], looked=NOON))

    def status(self, timeout):
        self.asked.append(timeout)
        if isinstance(self.answer, WowError):
            raise self.answer
        return self.answer

    def rounds(self, count, start=0):
        """How often the file was written in so many rounds of 5 s."""
        written = set()
        for at in range(count):
            self.keeper.round(start + at * 5.0)
            written.add(os.stat(self.page).st_ino)
            self.time += 5
        return len(written)

    def test_it_is_written_once_a_minute_and_ipopd_asked_every_other_round(self):
        self.time -= self.time % 60
        self.assertLessEqual(self.rounds(24), 3)
        self.assertEqual(len(self.asked), 12)
        self.assertEqual(stat.S_IMODE(os.stat(self.page).st_mode), 0o644)

    def test_its_first_line_has_another_number_for_each_text(self):
        self.rounds(1)
        with open(self.page, encoding="ascii") as file:
            first = file.readline()
        self.time += 60
        self.rounds(1, 100)
        with open(self.page, encoding="ascii") as file:
            second = file.readline()
        self.assertEqual((first, second), ("1 works\n", "2 works\n"))

    def test_the_web_page_says_the_same_of_a_start_in_which_a_module_is_developed_paused_or_not(self):
        mode = f"{self.page}.mode"
        with open(mode, "w", encoding="ascii") as file:
            file.write("develop surge\n")
        for pause in (None, Pause(NOON, None, False, "console")):
            with mock.patch.object(keeper.modes, "FILE", mode), mock.patch.object(look.pools, "read", samples.pool), mock.patch.object(keeper.holding, "read", lambda pause=pause: pause):
                self.rounds(1, NOON if pause else 0)
                said = pages.sentence(look.look())
            with open(self.page, encoding="ascii") as file:
                self.assertIn(f"state    {said}\n", file.read())
            self.assertEqual(said, "Module surge is developed here: no job runs.")

    def test_a_certificate_that_ended_is_seen_in_what_ipopd_said_here_and_it_is_not_asked_once_more(self):
        watch = lapsed.Lapsed(lambda: self.keeper.status)
        with mock.patch.object(lapsed.system, "systemctl") as started:
            watch.round(0.0)
            self.rounds(1)
            watch.round(0.0)
            started.assert_not_called()
            self.answer = {**samples.STATUS, "certified": False}
            self.rounds(1, 100)
            watch.round(0.0)
            started.assert_called_once_with("start", "--no-block", "wow-renew.service")
        self.assertEqual(len(self.asked), 2)

    def test_ipopd_away_leaves_what_it_said_and_says_so(self):
        self.rounds(1)
        self.answer = WowError("nobody listens", "")
        self.rounds(1, 100)
        with open(self.page, encoding="ascii") as file:
            said = file.read()
        self.assertIn("ipopd does not answer; this is of", said)
        self.assertIn("10.128.3.4", said)


class Steps(unittest.TestCase):
    def test_the_last_steps_of_a_start_are_kept_for_the_page_without_what_a_terminal_obeys(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(console, "STEPS", f"{folder}/steps"), mock.patch.object(console, "KMSG", f"{folder}/kmsg"):
            for at in range(20):
                console.say("ring", node=f"n{at}\x1b[2J\u202e")
            console.say("error", what="secret words", todo="x")
            with open(f"{folder}/steps", encoding="ascii") as file:
                lines = file.read().splitlines()
        self.assertEqual(len(lines), console.MOST_STEPS)
        self.assertRegex(lines[0], r"^ *\d+ s  ring         node=n9\?\[2J\?$")
        self.assertRegex(lines[-1], r" s  error        see below$")


class Screen(unittest.TestCase):
    def test_a_login_is_chosen_by_a_file_and_the_kernel_s_lines_stay_then(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(screen, "CHOSEN", f"{folder}/login"), mock.patch.object(screen, "keep_lines_away") as away:
            screen.choose("login")
            self.assertEqual((os.path.exists(f"{folder}/login"), away.called), (True, False))
            screen.choose("page")
            self.assertTrue(away.called)

    def test_a_machine_without_a_pool_has_the_page_and_the_group_that_lets_it_ask_the_agent(self):
        with mock.patch.object(configure.screen, "choose") as choose, mock.patch.object(configure.accounts, "make") as make, \
                mock.patch.object(configure, "open_run") as opened, mock.patch.object(configure.screen, "hand") as hand, \
                mock.patch.object(configure.files, "write") as write:
            configure.without_a_pool()
        self.assertTrue(opened.called)
        write.assert_called_once_with("/run/wow/sockets.nft", fence.without_a_pool())
        choose.assert_called_once_with("page")
        hand.assert_called_once_with("", "")
        make.assert_called_once_with({})
        self.assertIn(f"\n{users.GROUP}:x:{users.GROUP_ID}:\n", users.add("", "\n", "", {})[1])

    def test_a_machine_without_screens_is_none_the_worse(self):
        self.assertIsNone(screen.keep_lines_away("/nonexistent/tty0", "/nonexistent/tty12"))

    def test_the_pages_accounts_are_made_once_and_are_nobody_s_number(self):
        passwd, shadow = users.own("root:x:0:0::/:/bin/sh\n", "root:*::\n")
        for name, uid in ((users.CONSOLE, users.CONSOLE_UID), (users.WEB, users.WEB_UID)):
            self.assertIn(f"\n{name}:x:{uid}:{users.GROUP_ID}:", passwd)
            self.assertFalse(users.FIRST_UID <= uid <= users.LAST_UID)
        with mock.patch.object(accounts.files, "read", lambda _: passwd), mock.patch.object(accounts.files, "write") as write:
            accounts.own()
        self.assertFalse(write.called)
        self.assertIn(users.CONSOLE, shadow)


if __name__ == "__main__":
    sys.exit(unittest.main())
