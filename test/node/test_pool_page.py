"""The pool page: what it makes of the collector's ads, the snapshot and who asks for it, tables, pictures. With the whole program and a browser: test/pages."""
import json
import os
import pathlib
import re
import socket
import tempfile
import threading
import time
import unittest
from unittest import mock

import samples

from wow.history import looked, looks, members, page, store
from wow.history.ledger import Credit
from wow.lib import paths
from wow.lib.errors import WowError
from wow.web import chart, listing, pool, snapshot

from test_history_pages import printed
from test_web import HOSTILE, MARKS

NOW = 1_800_000_000


def machine(name="beta", **more):
    """The slot that jobs take parts of, of a machine with four cores of which one is left."""
    return {"MyType": "Machine", "Name": f"slot1@{name}.p.internal", "Machine": f"{name}.p.internal", "State": "Unclaimed", "Activity": "Idle", "Cpus": 1, "Memory": 500,
            "Disk": 9000, "SlotType": "Partitionable", "PartitionableSlot": True, "TotalSlotCpus": 4, "TotalSlotMemory": 2000, "TotalSlotDisk": 90000,
            "WowOwner": "Ada", "WowVersion": "0.1.0", "WowPathToManager": "direct", "DaemonStartTime": NOW - 500, **more}


def busy(name="beta", cores=3, **more):
    """A part of it that a job has."""
    return {"MyType": "Machine", "Name": f"slot1_1@{name}.p.internal", "Machine": f"{name}.p.internal", "State": "Claimed", "Activity": "Busy", "Cpus": cores,
            "RemoteOwner": "alice@alpha.p.internal", "SlotType": "Dynamic", "DaemonStartTime": NOW - 500, "Memory": 500, "Disk": 9000, **more}


def queue(name="alpha", jobs="", oldest="", **more):
    """A queue."""
    return {"MyType": "Scheduler", "Machine": f"{name}.p.internal", "WowJobs": jobs, "WowOldest": oldest, "WowHeld": "1:2", "DaemonStartTime": NOW - 900, **more}


NEGOTIATOR = {"MyType": "Negotiator", "LastNegotiationCycleEnd0": NOW - 5, "LastNegotiationCycleDuration0": 1, "LastNegotiationCycleMatches0": 0}
OLDEST = f"12.0|alice|surge|{NOW - 300}|2|100|1000|"


def look(*ads):
    """What the page shows of these ads."""
    return looked.Looked(printed(*ads), NOW).facts()


class Looks(unittest.TestCase):
    def why(self, *ads, oldest=OLDEST):
        """Why the oldest job waits."""
        return look(queue(oldest=oldest), *ads)["oldest"]["text"]

    def test_a_machine_is_all_of_its_slots(self):
        told = look(machine(), busy(), machine("gamma", Cpus=4), queue())
        self.assertEqual([["beta", "works", "Ada", "0.1.0", "direct", NOW - 500, 3, 4], ["gamma", "free", "Ada", "0.1.0", "direct", NOW - 500, 0, 4],
                          ["alpha", "only submits", "alpha", "-", "-", NOW - 900, 0, 0]], told["machines"])
        self.assertEqual((1, {"by a person": 2}), (told["queues"], told["held"]))

    def test_states_in_a_word(self):
        for ads, state in (([machine(WowPauseReason="by its owner"), busy()], "paused"), ([machine(State="Drained")], "drains"), ([machine(State="Owner")], "other"),
                           ([machine(Cpus=0), busy(cores=4)], "works"), ([machine(Cpus=4)], "free")):
            told = look(*ads)["machines"]
            self.assertEqual((1, state), (len(told), told[0][1]), ads)

    def test_jobs_of_all_queues_by_person_and_project(self):
        told = look(queue(jobs="alice|surge|2|3|0;bob|-|0|0|1"), queue("gamma", jobs="alice|surge|1|0|0;nonsense;x|y|z|1|2;eve|p|-1|0|0"),
                    {"MyType": "Submitter", "Name": "alice@alpha.p.internal", "IdleJobs": 3, "RunningJobs": 2, "HeldJobs": 7})
        self.assertEqual([["alice@alpha", "surge", 2, 3, 0], ["bob@alpha", "-", 0, 0, 1], ["alice@gamma", "surge", 1, 0, 0]], told["jobs"])
        self.assertEqual([2, 3, 7], told["totals"])

    def test_why_the_oldest_job_waits(self):
        self.assertIsNone(look(queue())["oldest"])
        self.assertIn("no machine that runs jobs", self.why())
        self.assertIn("No machine has 9 processors; the largest has 4, on beta", self.why(machine(), NEGOTIATOR, oldest=OLDEST.replace("|2|100|", "|9|100|")))
        self.assertIn("negotiator", self.why(machine(Cpus=4)))
        self.assertIn("is busy with jobs of alice@alpha (1)", self.why(machine(), busy(), NEGOTIATOR))
        self.assertIn("its owner has paused it", self.why(machine(WowPauseReason="x"), NEGOTIATOR))
        self.assertIn("passed it over: no match found", self.why(machine(Cpus=4), NEGOTIATOR, oldest=OLDEST + "no match found"))
        self.assertIn("has not looked at it", self.why(machine(Cpus=4), NEGOTIATOR))
        people = [{"MyType": "Submitter", "Name": f"{name}.p.internal", "IdleJobs": 1} for name in ("alice@alpha", "bob@gamma")]
        self.assertIn("First comes bob@gamma", self.why(machine(), busy(), NEGOTIATOR, *people,
                                                        {"MyType": "Accounting", "Name": "alice@alpha.p.internal", "Priority": 5.0}))

    def test_whose_turn_it_is_goes_by_the_better_of_a_person_s_priorities(self):
        people = [{"MyType": "Submitter", "Name": f"{name}.p.internal", "IdleJobs": 1} for name in ("alice@alpha", "bob@gamma")]
        ranks = [{"MyType": "Accounting", "Name": f"{name}.p.internal", "Priority": rank} for name, rank in (
            ("alice@alpha", 9.0), ("bob@gamma", 5.0), ("nice-user.bob@gamma", 5e9))]
        for ads in (ranks, ranks[::-1]):
            self.assertIn("First comes bob@gamma", self.why(machine(), busy(), NEGOTIATOR, *people, *ads))

    def test_of_several_queues_the_job_that_waits_for_longest_is_told(self):
        told = look(queue(oldest=OLDEST), queue("gamma", oldest=OLDEST.replace("12.0", "3.1").replace(str(NOW - 300), str(NOW - 400))), machine())["oldest"]
        self.assertEqual(("3.1", "gamma", "alice@gamma", "surge", NOW - 400), tuple(told[key] for key in ("job", "queue", "person", "project", "since")))

    def test_an_address_is_a_machine_s_where_its_ads_alone_say_so(self):
        self.assertEqual({"10.1.2.3": "beta"}, look(machine(MyAddress="<10.1.2.3:9618?addrs=10.1.2.3-9618&alias=x>"), busy(), queue(MyAddress="<10.1.2.9:9618>"),
                                                    machine("evil", MyAddress="<10.1.2.9:1>"))["at"])
        for text in ("", "10.1.2.3:9618", "<10.1.2.3.4:1>", "<a.b.c.d:1>", "<[::1]:9618>", "<1111111111.1.1.1:1>", "<\u0663.1.1.1:1>", 7, None):
            self.assertEqual({}, look(machine(MyAddress=text))["at"], text)

    def test_what_is_nonsense_is_left_out(self):
        for text in ("", "x", "||||||||", OLDEST.replace("12.0", "12"), OLDEST.replace("|2|", "|x|"), OLDEST.replace(str(NOW - 300), "0"), OLDEST.replace(str(NOW - 300), str(NOW + 99)),
                     OLDEST + "|", OLDEST.replace("alice", "a b"), 7, None):
            self.assertIsNone(look(queue(oldest=text), machine())["oldest"], text)
        self.assertEqual([], look({"MyType": "Machine", "Machine": 7}, {"MyType": "Scheduler", "Machine": "<b>"}, {"MyType": "Accounting", "Name": [], "Priority": "x"},
                                  {"MyType": "Accounting", "Name": "a@b", "Priority": 10 ** 400})["machines"])

    def test_there_is_a_bound_of_machines_and_of_pairs(self):
        self.assertEqual((looked.MOST_MACHINES, 10), (len((told := look(*(machine(f"m{number}") for number in range(looked.MOST_MACHINES + 10))))["machines"]), told["beyond"]))
        lines = ";".join(f"alice|p{number}|1|0|0" for number in range(1000))
        self.assertEqual(looked.MOST_OF_ONE, len(look(queue(jobs=lines))["jobs"]))
        # A machine may have several queues, and say what it likes of each.
        others = [queue(jobs=lines.replace("|p", f"|q{number}-"), Name=f"{number}@alpha.p.internal") for number in range(50)]
        self.assertEqual((looked.MOST_OF_ONE + 1, ["bob@beta", "-", 1, 0, 0]), (len(told := look(*others, queue("beta", "bob|-|1|0|0"))["jobs"]), told[-1]))
        self.assertEqual(looked.MOST_LINES, len(look(*(queue(f"q{number}", lines) for number in range(50)))["jobs"]))

    def test_all_that_it_reads_is_asked_for_and_bounded(self):
        constraint = looked.question("manager.p.internal")[5]
        for name in ("WowJobs", "WowOldest", "WowPauseReason", "Priority", "WowRuns", "Name"):
            self.assertIn(f"size(unparse({name})) <= ", constraint)
        self.assertIn('MyType == "Accounting"', constraint)


class Snapshots(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file, self.history, self.path = f"{folder.name}/page.json", f"{folder.name}/history.db", f"{folder.name}/sock"
        self.uptime, self.asked, self.answer = 1000.0, 0, printed(machine())
        self.page = page.Page(self.ask, self.history, self.file, lambda: self.uptime, lambda: NOW, None)

    def ask(self):
        self.asked += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def serve(self):
        """Serves until the test ends."""
        listener = page.listen(self.path, os.getgid())
        thread = threading.Thread(target=self.page.serve, args=(listener,), daemon=True)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(listener.close)
        self.addCleanup(listener.shutdown, socket.SHUT_RDWR)

    def settled(self, wanted):
        """Waits until it was asked so often, and what came of it lies in the file."""
        end = time.monotonic() + 10
        while (self.asked < wanted or self.page.age() >= looks.FRESH) and time.monotonic() < end:
            time.sleep(0.01)
        self.assertEqual(wanted, self.asked)

    def test_nobody_asks_and_nothing_is_looked_at(self):
        self.serve()
        self.assertEqual(0, self.asked)
        self.assertFalse(os.path.exists(self.file))

    def test_one_snapshot_serves_all_for_ten_seconds_and_later_the_next_is_made(self):
        self.serve()
        for _ in range(20):
            self.assertEqual("", snapshot.ask(5.0, False, self.path))
        self.assertEqual(1, self.asked)
        self.assertEqual("beta", snapshot.read(self.file)["machines"][0][0])
        self.uptime += looks.FRESH
        self.assertEqual("", snapshot.ask(5.0, True, self.path))
        self.settled(2)
        self.uptime += looks.GOOD
        self.assertEqual("", snapshot.ask(5.0, False, self.path))
        self.assertEqual(3, self.asked)

    def test_the_socket_and_the_file_are_for_the_group_alone(self):
        self.serve()
        snapshot.ask(5.0, False, self.path)
        self.assertEqual((0o660, 0o640), tuple(os.stat(path).st_mode & 0o777 for path in (self.path, self.file)))

    def test_a_collector_that_is_away_is_named_beside_what_it_said_last(self):
        self.page.look()
        self.answer = WowError("no answer in time", "", "collector")
        self.uptime += 20
        self.page.look()
        told = snapshot.read(self.file)
        self.assertEqual(("collector: no answer in time", "beta", self.uptime), (told["trouble"], told["machines"][0][0], told["tried"]))

    def test_what_an_earlier_run_saw_is_kept_while_the_collector_is_away(self):
        self.page.look()
        self.answer = WowError("no answer in time", "", "collector")
        for words in (None, "{", "[]"):
            if words is not None:
                pathlib.Path(self.file).write_text(words, encoding="ascii")
            page.Page(self.ask, self.history, self.file, lambda: self.uptime, lambda: NOW, None).look()
            told = snapshot.read(self.file)
            self.assertEqual(words is None, "machines" in told)
            self.assertIn("no answer in time", told["trouble"])

    def test_the_history_s_part_is_looked_at_every_five_minutes_and_one_that_cannot_be_read_is_named(self):
        self.page.look()
        self.assertIn("cannot be read", snapshot.read(self.file)["lost"])
        kept = store.Store(self.history)
        self.addCleanup(kept.close)
        kept.add(NOW - 2 * 86400, [Credit("alice@alpha", "surge", "Ada", "beta", 7200, 3)])
        kept.add(NOW, [Credit("alice@alpha", "surge", "Ada", "beta", 3600, 1), Credit("bob@alpha", "-", "Eve", "gamma", 1800, 1)])
        self.page.look()
        self.assertIn("lost", snapshot.read(self.file))
        self.uptime += page.OF_OWNERS
        self.page.look()
        told = snapshot.read(self.file)
        self.assertEqual([["Ada", 10800, 4, 10800, 4], ["Eve", 1800, 1, 1800, 1]], told["owners"])
        self.assertEqual((page.DAYS, [7200, 3], [0, 0], [5400, 2]), (len(told["course"]), *(day[1:] for day in told["course"][-3:])))

    def test_a_program_that_is_away_is_named(self):
        self.assertIn("No such file", snapshot.ask(0.1, True, self.path))
        listener = page.listen(self.path, os.getgid())
        self.assertEqual("", snapshot.ask(0.1, True, self.path), "it is late, and what there is is good")
        self.assertIn("no answer within", snapshot.ask(0.1, False, self.path))
        listener.close()
        self.assertIn("refused", snapshot.ask(0.1, True, self.path))

    def test_a_file_that_is_no_snapshot_is_none(self):
        for words in (b"", b"{", b"[]", b"\xff", b" " * (snapshot.LARGEST + 1)):
            pathlib.Path(self.file).write_bytes(words)
            self.assertEqual({}, snapshot.read(self.file))


class Tables(unittest.TestCase):
    ROWS = [[f"m{number:03}", "free" if number % 2 else "works", "Ada", "0.1.0", "direct", NOW, pool.NOW, number, 8, 3600, 1] for number in range(120)]

    def shown(self, **query):
        """(rows' names, the whole text)."""
        text = "".join(pool.MACHINES.show(self.ROWS, pool.MACHINES.read(query)))
        return re.findall(r'<th scope="row"><bdi>(.*?)</bdi>', text), text

    def test_pages(self):
        first, text = self.shown()
        self.assertEqual((listing.ROWS, "m000"), (len(first), first[0]))
        self.assertIn("1 to 50 of 120.", text)
        self.assertIn("next page", text)
        self.assertNotIn("page before", text)
        self.assertEqual(["m100", "m119"], [self.shown(page="3")[0][at] for at in (0, -1)])
        self.assertEqual(self.shown(page="3")[0], self.shown(page="9999")[0], "a page beyond the last is the last one")

    def test_sorted_and_filtered(self):
        self.assertEqual("m119", self.shown(sort="busy")[0][0], "numbers begin with the largest")
        self.assertEqual("m000", self.shown(sort="busy", order="up")[0][0])
        names, text = self.shown(find="M11", kind="free", sort="name", order="down")
        self.assertEqual(["m119", "m117", "m115", "m113", "m111"], names)
        self.assertIn("1 to 5 of 5, of 120 in all.", text)
        self.assertIn('<option value="free" selected>', text)
        self.assertIn('aria-sort="descending"', text)
        self.assertIn("None, of 120 in all.", self.shown(find="<b>")[1])

    def test_what_is_asked_for_wrongly_is_refused_and_says_what_may_stand_there(self):
        for query in ({"sort": "x"}, {"order": "sideways"}, {"find": "x" * 65}, {"kind": "<b>"}, {"page": "0"}, {"page": "-1"}, {"page": "٣"}, {"page": "99999999"}, {"page": "1e3"}):
            with self.assertRaises(ValueError) as caught:
                pool.MACHINES.read(query)
            self.assertIn("takes", str(caught.exception))
        self.assertRaises(ValueError, pool.JOBS.read, {"kind": "free"})

    def test_what_was_looked_for_comes_back_as_text(self):
        for find, value in (('"><script>x', "&quot;&gt;&lt;script&gt;x"), ("a&b", "a&amp;b"), ("\u202ex\x1b", "x")):
            text = "".join(pool.MACHINES.show([], pool.MACHINES.read({"find": find})))
            self.assertIn(f'maxlength="64" value="{value}">', text)
            self.assertFalse(set(text) & MARKS)


class Pages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.told = {**look(machine(), busy(), queue(jobs="alice|surge|2|3|0", oldest=OLDEST), NEGOTIATOR), "when": NOW, "tried": 1.0, "trouble": "", "lost": "",
                     "owners": [["Ada", 7200, 3, 72000, 30]], "course": [[NOW - 86400, 3600, 1], [NOW, 7200, 3]]}
        self.troubles = []

    def shown(self, path, **query):
        """A page as a manager shows it."""
        seen = snapshot.Seen("science", {**self.told, "ring": members.facts(samples.STATUS, [], {})}, self.troubles)
        with mock.patch.object(snapshot, "is_there", lambda: True), mock.patch.object(snapshot, "look", lambda **_: seen):
            return pool.answer(path, query, "k").decode()

    def test_they_say_what_is_known(self):
        self.told["totals"] = [2, 3, 1]
        for path, words in (("/pool", ("2: 1 works, 1 only submits", "3 of 4 at work", "2 running, 3 waiting, 1 held", "2 by a person", "12.0 of alice@alpha, project surge",
                                       "is busy with jobs of", "wow why 12.0", "CPU hours: 3 core hours", "3, 2 of them to its neighbours", "1 direct, 1 not told")),
                            ("/pool/machines", ("beta", "works", "Ada", "0.1.0", "direct")), ("/pool/jobs", ("alice@alpha", "surge")), ("/pool/owners", ("Ada", "20"))):
            text = self.shown(path)
            for word in words:
                self.assertIn(word, text, path)

    def test_a_count_that_met_its_queue_s_limit_is_told_as_one_and_others_are_not(self):
        self.told["jobs"] = [["alice@alpha", "surge", 2, 600, 0], ["bob@alpha", "-", 0, 400, 4999], ["eve@gamma", "-", 5000, 999, 1]]
        text = self.shown("/pool/jobs")
        self.assertEqual(["5000 or more", "999", "1", "2", "600 or more", "0", "0", "400 or more", "4999"], re.findall(r'<td class="number">(.*?)</td>', text))
        self.told.update(held={"by a person": 5000, "its disk space": 1}, totals=[2, 3, 5301])
        self.assertIn("5000 by a person, 1 its disk space, and 300 more, of which no queue tells why", self.shown("/pool"))
        self.told["held"]["by a person"] = 4000
        self.assertNotIn("no queue tells why", self.shown("/pool"), "queues tell a little later than people's ads")

    def test_each_is_broad_says_below_what_it_is_of_and_logs_out(self):
        for path in pool.PAGES:
            text = self.shown(path)
            for word in ('<form method="post" action="/logout">', f"<footer>{pool.FOOT}</footer>", '<body class="broad">'):
                self.assertIn(word, text, path)

    def test_without_a_snapshot_they_say_so(self):
        self.told, self.troubles = {}, ["wow-pool is away"]
        for path in pool.PAGES:
            text = self.shown(path)
            self.assertIn("wow-pool is away", text)
            self.assertIn("Nothing is known of it yet", text)

    def test_whatever_somebody_is_called_it_is_text(self):
        for name in HOSTILE:
            told = look(machine(WowOwner=name, WowVersion=name, WowPathToManager=name), machine(name or "x"), busy(RemoteOwner=f"{name}@{name}.p.internal"),
                        queue(jobs=f"{name}|{name}|1|1|1", oldest=OLDEST.replace("surge", name) + name), NEGOTIATOR)
            # And as if it had come past wow-pool.
            told["machines"].append([name, "free", name, name, name, NOW, 1, 1])
            told["jobs"].append([name, name, 1, 1, 1])
            self.told.update(told, owners=[[name, 1, 1, 1, 1]], trouble=name, pool=name)
            self.troubles = [name]
            for path in pool.PAGES:
                text = self.shown(path)
                self.assertFalse(set(text) & MARKS, name)
                self.assertNotIn("<script>alert", text)
                self.assertNotIn('" onmouseover="', text)

    def test_without_a_pool_there_is_none_and_a_wrong_question_is_refused(self):
        with mock.patch.object(snapshot, "is_there", lambda: False), self.assertRaises(pool.Refused) as caught:
            pool.answer("/pool", {}, "k")
        self.assertEqual(404, caught.exception.status)
        with self.assertRaises(pool.Refused) as caught:
            self.shown("/pool/machines", sort="x")
        self.assertEqual(400, caught.exception.status)

    def test_a_look_says_what_is_away(self):
        for told, wrong, word in (({}, "No such file", "wow-pool, which looks"), ({"tried": 0.0, "trouble": "collector: no answer"}, "", "collector, which knows machines")):
            with mock.patch.object(snapshot, "read", lambda told=told: dict(told)), mock.patch.object(snapshot, "ask", lambda *_, wrong=wrong: wrong), \
                    mock.patch.object(snapshot.pools, "read", lambda: samples.pool(node__role="manager")):
                self.assertIn(word, " ".join(snapshot.look().troubles))
                self.assertIn("ipopd", " ".join(snapshot.look(with_links=True).troubles))

    def test_the_snapshot_is_where_the_unit_makes_its_folder(self):
        unit = (pathlib.Path(__file__).resolve().parents[2] / "appliance/node/root/usr/lib/systemd/system/wow-pool.service").read_text(encoding="utf-8")
        self.assertIn(f"RuntimeDirectory={os.path.dirname(paths.POOL_SOCKET).removeprefix('/run/')}\n", unit)
        self.assertEqual(os.path.dirname(paths.POOL_SOCKET), os.path.dirname(paths.POOL_PAGE))
        self.assertEqual(json.loads(json.dumps(self.told)), self.told)


class Pictures(unittest.TestCase):
    def test_the_largest_bar_is_as_tall_as_there_is_room_and_a_day_without_is_none(self):
        drawn = chart.bars("Jobs", [(NOW, 1.0), (NOW + 86400, 4.0), (NOW + 2 * 86400, 0.0)], "jobs")
        room = chart.HEIGHT - chart.TOP - chart.FOOT
        self.assertEqual([f"{room / 4:.1f}", f"{room:.1f}", "0.0"], re.findall(r'class="bar".*?height="(.*?)"', drawn))
        self.assertIn("5 jobs from 2027-01-15 to 2027-01-17, at most 4 in a day", drawn)

    def test_where_there_is_nothing_it_says_so(self):
        self.assertIn("nothing yet", chart.bars("Jobs", [], "jobs"))
        self.assertIn("nothing yet", chart.bars("Jobs", [(NOW, 0.0)], "jobs"))


if __name__ == "__main__":
    unittest.main()
