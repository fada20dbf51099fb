"""What this machine gave: how it is counted of jobs and cards, what is kept within which bounds, how it is told, and whatever the file may have become."""
import json
import os
import pathlib
import random
import tempfile
import time
import unittest
from unittest import mock
from xml.etree import ElementTree

import samples
import test_web

from wow.given import book, counter
from wow.lib import names
from wow.lib.errors import WowError
from wow.lib.verb import UsageError
from wow.page import text
from wow.slots import begun, running
from wow.slots.uses import Use
from wow.slots.running import Job
from wow.verbs import given as verb
from wow.web import look, sharing
from wow.web import work as page

NOON = 1_900_000_000
UNREADABLE = "/proc/self/mem"
"""Reading it from its begin fails with EIO, as a bad block does."""
HOSTILE = "\x1b[31m<b>surge</b>\u202e" + "x" * 100


def date(moment):
    return time.strftime("%Y-%m-%d", time.localtime(moment))


class Kept(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.path, self.bad = pathlib.Path(folder.name), f"{folder.name}/given.json", f"{folder.name}/given.bad"


class Counting(Kept):
    """wow-jobs' part. The machine started 1,000 s before this program."""

    def setUp(self):
        super().setUp()
        self.wall, self.jobs, self.uses = NOON, [], {}
        self.card("eth0", 5000, 7000)
        for one in (mock.patch.object(counter.running, "look", lambda: self.jobs), mock.patch.object(counter.kernel, "look", lambda: self.uses)):
            one.start()
            self.addCleanup(one.stop)
        self.counter = counter.Counter(lambda: self.wall, lambda: 1000.0, self.path, f"{self.folder}/net")
        self.now = 0

    def card(self, name, sent, received):
        place = self.folder / "net" / name / "statistics"
        place.mkdir(parents=True, exist_ok=True)
        (place / "tx_bytes").write_text(f"{sent}\n")
        (place / "rx_bytes").write_text(f"{received}\n")

    def pass_on(self, seconds=5, **used):
        """A round, before which jobs of accounts had so many seconds of a processor."""
        self.now, self.wall = self.now + seconds, self.wall + seconds
        self.uses = {2000 + int(slot[1:]): Use(spent, 1) for slot, spent in used.items()}
        self.counter.round(self.now)

    def kept(self):
        self.pass_on(counter.WRITE, **{f"s{account - 2000}": use.processor for account, use in self.uses.items()})
        return book.read(self.path)

    def project(self, name="surge", day=None):
        one = self.kept().days[day or date(NOON)].projects[name]
        return round(one.seconds, 3), one.jobs

    def test_a_job_has_what_the_kernel_counted_for_its_project_and_counts_once(self):
        self.jobs = [Job(2001, "alice@alpha", 1, "surge", 1001.0)]
        for spent in (0.5, 4.5, 9.0):
            self.pass_on(s1=spent)
        self.assertEqual(self.project(), (9.0, 1))

    def test_the_next_job_of_a_slot_begins_at_nothing_and_one_without_a_project_has_its_own_line(self):
        self.jobs = [Job(2001, "a", 1, "surge", 1001.0)]
        self.pass_on(s1=100.0)
        self.jobs = [Job(2001, "a", 1, "", 1010.0), Job(2002, "b", 1, "surge", 1010.0)]
        self.pass_on(s1=2.0, s2=3.0)
        self.assertEqual((self.project(), self.project(book.NONE)), ((103.0, 2), (2.0, 1)))

    def test_what_ran_before_this_program_counts_from_its_first_look_on(self):
        self.jobs = [Job(2001, "a", 900, "surge", 100.0)]
        self.pass_on(s1=800.0)
        self.pass_on(s1=804.0)
        self.assertEqual(self.project(), (4.0, 0))

    def test_a_group_that_is_not_there_for_a_moment_costs_nothing(self):
        self.jobs = [Job(2001, "a", 1, "surge", 1001.0)]
        self.pass_on(s1=10.0)
        self.pass_on()
        self.uses = {2001: Use(None, None)}
        self.pass_on(s1=12.0)
        self.assertEqual(self.project(), (12.0, 1))

    def test_bytes_are_those_of_all_real_cards_since_the_first_look_and_a_card_may_be_put_in_anew(self):
        self.card("lo", 1, 1)
        self.card("wow0", 1, 1)
        self.pass_on()
        for name in ("lo", "wow0"):
            self.card(name, 10**6, 10**6)
        self.card("eth0", 5100, 7200)
        self.pass_on(10)
        self.card("eth0", 50, 60)
        self.card("eth1", 1, 2)
        self.pass_on(10)
        day = self.kept().days[date(NOON)]
        self.assertEqual((day.sent, day.received), (151, 262))

    def test_each_day_has_its_own_and_days_are_the_machine_s(self):
        self.jobs = [Job(2001, "a", 1, "surge", 1001.0)]
        self.pass_on(s1=10.0)
        self.wall += 86400
        self.pass_on(s1=15.0)
        self.assertEqual((self.project(), self.project(day=date(NOON + 86400))), ((10.0, 1), (5.0, 0)))

    def test_a_clock_that_was_ahead_leaves_no_day_to_come_once_ipopd_vouches_for_it_and_one_that_is_behind_takes_none(self):
        self.jobs, clock, days = [Job(2001, "a", 1, "surge", 1001.0)], {"follows": "nothing", "error_s": None}, (date(NOON), date(NOON + 10 * 86400))
        self.pass_on(s1=10.0)
        with mock.patch.object(counter.control, "status", lambda timeout: {"clock": clock}):
            for wrong in (10, -10):
                self.wall += wrong * 86400
                self.pass_on(s1=15.0 + wrong)
                self.wall -= wrong * 86400
                self.pass_on(s1=15.0 + wrong)
            self.pass_on(120, s1=25.0)
            self.assertIn(days[1], self.kept().days, "nothing says that the clock is not behind")
            clock["follows"] = "peers"
            self.pass_on(120, s1=25.0)
            self.assertEqual((max(self.kept().days), self.project()), (days[0], (25.0, 1)))
            clock["follows"] = "nothing"
            self.wall -= 20 * 86400
            self.pass_on(120, s1=25.0)
            self.assertEqual(max(self.kept().days), days[0])

    def test_it_is_written_a_few_times_an_hour_where_there_is_something_new_and_gone_on_with(self):
        self.jobs = [Job(2001, "a", 1, "surge", 1001.0)]
        with mock.patch.object(book.files, "write", wraps=book.files.write) as write:
            for _ in range(3600 // 5):
                self.pass_on(5, s1=float(self.now))
            self.assertEqual((write.call_count, write.call_args.kwargs), (5, {"sync": True}))
            self.jobs = []
            for _ in range(3600 // 5):
                self.pass_on(5)
            self.assertEqual(write.call_count, 6)
        before = book.read(self.path).days[date(NOON)].projects["surge"].seconds
        again = counter.Counter(lambda: NOON, lambda: 5000.0, self.path, f"{self.folder}/net")
        self.jobs, self.uses = [Job(2001, "a", 1, "surge", 5001.0)], {2001: Use(7.0, 1)}
        again.round(0.0)
        again.round(counter.WRITE)
        self.assertAlmostEqual(book.read(self.path).days[date(NOON)].projects["surge"].seconds, before + 7.0, 1)

    def test_a_disk_that_is_full_is_tried_again_and_loses_nothing(self):
        self.jobs = [Job(2001, "a", 1, "surge", 1001.0)]
        self.pass_on(s1=10.0)
        with mock.patch.object(book.files, "write", side_effect=OSError(28, "No space left on device")), self.assertRaises(OSError):
            self.pass_on(counter.WRITE, s1=11.0)
        self.assertEqual(self.project(), (11.0, 1))


class Book(Kept):
    def test_it_has_a_bound_in_days_and_projects_whoever_names_them(self):
        kept = book.Book()
        for number in range(book.DAYS + 50):
            day = kept.day(date(NOON + 86400 * number))
            for each in range(book.PROJECTS + 20):
                day.add(f"{each:03}" + "p" * 200, 1e6, 1)
            day.sent = day.received = 10**15
        self.assertEqual((len(kept.days), min(kept.days)), (book.DAYS, date(NOON + 86400 * 50)))
        projects = kept.days[max(kept.days)].projects
        self.assertEqual((len(projects), projects[names.OTHERS].jobs, max(map(len, projects))), (book.PROJECTS + 1, 20, names.LONGEST))
        book.keep(kept, self.path)
        self.assertLess(os.path.getsize(self.path), book.LARGEST)
        self.assertEqual(book.text(book.read(self.path)), book.text(kept))

    def test_a_day_before_all_that_are_kept_changes_nothing(self):
        kept = book.Book()
        for number in range(book.DAYS):
            kept.day(date(NOON + 86400 * number))
        kept.day("1970-01-01").add("surge", 5, 1)
        self.assertNotIn("1970-01-01", kept.days)

    def test_names_are_cleaned(self):
        day = book.Day()
        day.add(HOSTILE, 1, 1)
        name, = day.projects
        self.assertFalse(set(name) - names.LETTERS - {"?"})

    def test_what_is_no_good_is_put_aside_and_told_and_counting_begins_anew(self):
        for bad in ("", "{", "[]", "{}", '{"days":[]}', '{"days":{"2026":[1,2,{}]}}', '{"days":{"2026-11-26":[1,2]}}', '{"days":{"2026-11-26":[-1,2,{}]}}',
                    '{"days":{"2026-11-26":[true,2,{}]}}', '{"days":{"2026-11-26":[1,2,{"a":[1]}]}}', '{"days":{"2026-11-26":[1,2,{"a":["1",2]}]}}',
                    '{"days":{"2026-11-26":[1,1e400,{}]}}', '{"days":{"2026-11-26":[1,2,{"a":[NaN,2]}]}}', '{"days":{"../../etc/x":[1,2,{}]}}', "[" * 100000, "\xff"):
            pathlib.Path(self.path).write_bytes(bad.encode("latin-1"))
            with self.assertRaises(ValueError):
                book.read(self.path)
            with mock.patch("builtins.print") as printed:
                self.assertEqual(book.open_book(self.path, self.bad).days, {})
            self.assertTrue(printed.called)
            self.assertEqual(pathlib.Path(self.bad).read_bytes(), bad.encode("latin-1"))

    def test_a_file_that_the_disk_cannot_read_is_put_aside_or_written_over_and_ends_nothing(self):
        for bad in (self.bad, f"{self.path}/nowhere/bad"):
            os.symlink(UNREADABLE, self.path)
            with self.assertRaisesRegex(OSError, "Input/output error"):
                book.read(self.path)
            with mock.patch("builtins.print") as printed:
                kept = book.open_book(self.path, bad)
            self.assertIn("Input/output error", printed.call_args_list[0].args[0])
            kept.day("2026-11-26").sent = 7
            book.keep(kept, self.path)
            self.assertEqual(7, book.read(self.path).days["2026-11-26"].sent)
            os.unlink(self.path)
        self.assertEqual(UNREADABLE, os.readlink(self.bad))

    def test_noise_in_the_file_is_a_value_error_or_a_book(self):
        kept, chance = book.Book(), random.Random(20)
        kept.day("2026-11-26").add("surge", 5.5, 2)
        whole = book.text(kept).encode()
        for _ in range(5000):
            line = bytearray(whole)
            for _ in range(chance.randint(1, 4)):
                line[chance.randrange(len(line))] = chance.randrange(256)
            try:
                read = book.parse(bytes(line).decode())
            except ValueError:
                continue
            self.assertLessEqual(set(json.loads(json.dumps(book.told(read, None, {})))), {"sent_bytes", "received_bytes", "projects", "days"})


class Told(Kept):
    """For people and for programs."""

    def setUp(self):
        super().setUp()
        kept = book.Book()
        for number in range(40):
            day = kept.day(date(NOON - 86400 * number))
            day.add("surge", 3600, 1)
            day.add("", 1800, 2)
            day.sent, day.received = 1_000_000, 2_000_000
        book.keep(kept, self.path)
        self.projects = {"surge": {"says": "How high the water comes.", "link": "https://surge.example"}}
        for one in (mock.patch.object(book.read, "__defaults__", (self.path,)), mock.patch.object(book, "known_projects", lambda: self.projects)):
            one.start()
            self.addCleanup(one.stop)

    def said(self, *arguments):
        with mock.patch("builtins.print") as printed:
            self.assertEqual(verb.run(verb.VERB.read(list(arguments))), 0)
        return printed.call_args.args[0]

    def test_the_verb_for_people(self):
        said = self.said()
        self.assertIn(f"on 30 days, {date(NOON - 86400 * 29)} to {date(NOON)}; 30.0 MB sent, 60.0 MB received", said)
        self.assertRegex(said, r"surge +30\.0 +30  How high the water comes\.\n- +15\.0 +60\n")
        self.assertRegex(said, rf"{date(NOON)} +1\.5 +3  1\.0 MB +2\.0 MB")
        self.assertEqual(said.count("2.0 MB"), verb.SHOWN)

    def test_the_verb_for_programs(self):
        told = json.loads(self.said("--json", "--days", "2"))
        self.assertEqual((told["sent_bytes"], told["received_bytes"], [one["day"] for one in told["days"]]), (2_000_000, 4_000_000, [date(NOON), date(NOON - 86400)]))
        self.assertEqual(told["projects"][0], {"name": "surge", "processor_hours": 2.0, "jobs": 2, **self.projects["surge"]})
        self.assertEqual(told["days"][0]["projects"][1], {"name": "-", "processor_hours": 0.5, "jobs": 2})

    def test_days_that_are_none_and_a_file_that_is_no_good_are_told(self):
        for days in ("0", "401", "x", "", "-1", "1e2", "\u0663", "9" * 5000):
            with self.assertRaises(UsageError):
                self.said("--days", days)
        pathlib.Path(self.path).write_text("{")
        with self.assertRaises(WowError):
            self.said()
        os.unlink(self.path)
        self.assertIn("Nothing is known yet", self.said())

    def seen(self):
        pool = samples.pool()
        pool.projects = {"surge": {"says": "How <b>high</b>", "link": ""}}
        return look.Seen(pool, text.Facts(NOON, "science", "worker"), {}, [])

    def test_the_page_has_projects_with_their_sentence_days_and_the_month(self):
        said = page.section(self.seen())
        self.assertIn("<bdi>surge</bdi></th><td>30.0</td><td>30</td><td><bdi>How &lt;b&gt;high&lt;/b&gt;</bdi></td>", said)
        self.assertEqual(said.count('<th scope="row">20'), page.DAYS)
        month = int(time.strftime("%d", time.localtime(NOON)))
        self.assertIn(f"carried {month}.0 MB from this machine and {month * 2}.0 MB to it", said)

    def test_the_picture_to_share_names_pool_and_projects_alone_and_is_xml_whatever_they_are_called(self):
        kept = book.Book()
        for name, seconds in (("surge <b>&\u202e", 7200), ("x" * 200, 3600), ("third", 60), ("fourth", 6), (book.NONE, 3600)):
            kept.day("2026-11-26").add(name, seconds, 1)
        said = sharing.picture("a & b", kept).decode()
        shown = [one.text for one in ElementTree.fromstring(said).iter() if one.text and one.text.strip()]
        self.assertEqual(shown[:3], ["This computer works for a & b", "4.0 processor hours", "5 jobs, since 2026-11-26"])
        self.assertEqual(len(shown), 3 + sharing.PROJECTS)
        self.assertTrue(all(len(one) <= sharing.LONGEST for one in shown[3:]), shown)
        self.assertNotIn("\u202e", said)
        self.assertIn("0 jobs, from today on", sharing.picture("lab", book.Book()).decode())

    def test_the_page_without_a_file_or_with_one_that_is_no_good_says_so(self):
        pathlib.Path(self.path).write_text("{")
        self.assertIn("cannot be read", page.section(self.seen()))
        os.unlink(self.path)
        self.assertIn("Nothing is known yet", page.section(self.seen()))


class Project(Kept):
    """From the slot's ad to the pages."""

    def test_a_starter_notes_the_project_and_a_note_of_before_has_none(self):
        with mock.patch.object(running, "STARTERS", (pathlib.Path("/proc/self/comm").read_text().strip(),)):
            for project, shown in (("storm surge", "storm surge"), ("", ""), ("a\nb\x1b" + "x" * 500, ("a b\x1b" + "x" * 500)[:begun.LONGEST])):
                begun.note(2001, "alice@alpha", project, f"{self.folder}/begun")
                job, = running.look(f"{self.folder}/begun")
                self.assertEqual((job.whom, job.project, job.begun > 0), ("alice@alpha", shown, True))
            note = self.folder / "begun/2001"
            note.write_text("\n".join(note.read_text().split("\n")[:3]) + "\n")
            self.assertEqual([job.project for job in running.look(f"{self.folder}/begun")], [""])

    def test_it_is_what_the_startd_adds_to_the_job_that_comes_and_not_the_slot_s_of_the_job_before(self):
        def sent(*lines, slot=("Disk = 5", 'ProjectName = "genome"', 'WowProject = "genome"')):
            ads = [len(ad).to_bytes(8, "big") + b"".join(line.encode() + b"\0" for line in ad) + b"Machine\0\0" for ad in (slot, lines)]
            body = b"".join(ads)
            return b"\1" + len(body).to_bytes(4, "big") + body
        self.assertEqual(begun.project_of(sent('Cmd = "x"', 'WowProject = "storm surge"')), "storm surge")
        self.assertEqual(begun.project_of(sent('WowProject = "storm surge"', slot=("ZKM", "Capability = 1")).replace(b"\x02ZKM", b"\x01ZKM")), "storm surge")
        self.assertEqual([begun.project_of(one) for one in (sent(), sent('Cmd = "x"'))], ["", ""])
        whole = sent()
        self.assertEqual("", begun.project_of(b"\1" + (len(whole) - 5 - 17).to_bytes(4, "big") + whole[5:-17]), "a startd that adds nothing sends one ad")
        for value, project in ((r'"the \"storm\" surge"', 'the "storm" surge'), (r'"a\b\\c\"', r"a\b\\c" + "\\"), ('""', ""), ('"', ""), ("undefined", ""), ("5", ""),
                               ('strcat("a", "b")', ""), ('"a" + "b"', "")):
            self.assertEqual(begun.project_of(sent(f"WowProject = {value}")), project, value)

    def test_both_pages_name_it(self):
        job = Job(2001, "alice@alpha.science.internal", 60, "storm surge")
        self.assertIn("<td><bdi>storm surge</bdi></td>", test_web.Pages.shown(test_web.Pages(), jobs=[job]))
        facts = text.Facts(NOON, "science", "worker")
        facts.jobs = [job, Job(2002, "x" * 80, 60, "y" * 80), Job(2003, "bob@beta", 60)]
        rows = "\n".join(text.lines(facts))
        self.assertIn("alice@alpha.science.internal, storm surge     since", rows)
        self.assertIn(f"{'x' * 23}..., {'y' * 13}...  since", rows)
        self.assertIn("bob@beta                                      since", rows)


if __name__ == "__main__":
    unittest.main()
