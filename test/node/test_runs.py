"""What a queue tells of its jobs, for the manager to hold against what machines say."""
import json
import os
import tempfile
import unittest

from wow.condor import ads
from wow.jobs import runs, standing
from wow.jobs.refusals import Refusals

BEGIN = 1_800_000_000


def job(number=1, host="slot1_1@beta.p.internal", begun=BEGIN, **more):
    """A job that runs."""
    return {"ClusterId": number, "ProcId": 0, "JobStatus": 2, "Owner": "alice", "RemoteHost": host, "RequestCpus": 2, "JobCurrentStartDate": begun,
            **more}


class CounterTests(unittest.TestCase):
    def lines(self, counter):
        """{(person, project, machine): (seconds, jobs)} of what a manager reads of it."""
        return {(run.person, run.project, run.machine): (run.seconds, run.jobs) for run in ads.runs(counter.text(), "alpha")[1]}

    def test_a_job_counts_from_its_start_by_the_cores_that_it_asked_for(self):
        counter = runs.Counter(BEGIN)
        counter.look(BEGIN + 130, [job(begun=BEGIN + 100, ProjectName="surge"), job(2, host="slot1@gamma.p.internal", begun=BEGIN + 120)])
        counter.look(BEGIN + 160, [job(begun=BEGIN + 100, ProjectName="surge")])
        self.assertEqual({("alice@alpha", "surge", "beta"): (120, 1), ("alice@alpha", "-", "gamma"): (20, 1)}, self.lines(counter))

    def test_a_job_that_runs_again_is_another_run(self):
        counter = runs.Counter(BEGIN)
        for now, begun in ((30, 10), (60, 10), (90, 80)):
            counter.look(BEGIN + now, [job(begun=BEGIN + begun)])
        self.assertEqual({("alice@alpha", "-", "beta"): (2 * (50 + 10), 2)}, self.lines(counter))

    def test_what_was_before_it_began_to_count_is_left_out(self):
        counter = runs.Counter(BEGIN)
        counter.look(BEGIN + 10, [job(begun=BEGIN - 5000)])
        self.assertEqual({("alice@alpha", "-", "beta"): (20, 0)}, self.lines(counter))

    def test_a_clock_that_is_set_does_not_make_hours(self):
        counter = runs.Counter(BEGIN)
        for now in (10, 10 ** 7, 20, 30):
            counter.look(BEGIN + now, [job()])
        self.assertEqual(2 * (10 + runs.LONGEST_STEP + 0 + 10), self.lines(counter)["alice@alpha", "-", "beta"][0])

    def test_a_job_that_begins_after_the_clock_was_set_back_counts_and_one_of_before_does_not_count_again(self):
        counter = runs.Counter(BEGIN)
        counter.look(BEGIN + 60, [job(begun=BEGIN + 30)])
        for now in (-3600, -3570, -3540):
            counter.look(BEGIN + now, [job(begun=BEGIN + 30), job(2, host="slot1@gamma.p", begun=BEGIN - 3610)])
        self.assertEqual({("alice@alpha", "-", "beta"): (2 * (30 + 60), 1), ("alice@alpha", "-", "gamma"): (2 * 70, 1)}, self.lines(counter))

    def test_a_job_that_is_gone_counts_until_the_last_moment_in_which_all_ran(self):
        counter = runs.Counter(BEGIN)
        counter.look(BEGIN + 30, [job(), job(2, host="slot1@gamma.p")])
        counter.look(BEGIN + 60, [job()], whole=BEGIN + 50)
        self.assertEqual({("alice@alpha", "-", "beta"): (2 * 60, 1), ("alice@alpha", "-", "gamma"): (2 * 50, 1)}, self.lines(counter))
        counter.look(BEGIN + 70, [], whole=BEGIN + 7000)
        self.assertEqual(2 * 70, self.lines(counter)["alice@alpha", "-", "beta"][0], "not longer than until now")

    def test_a_job_that_is_gone_and_the_next_on_its_slot_do_not_count_at_a_time(self):
        counter = runs.Counter(BEGIN)
        counter.look(BEGIN + 30, [job()])
        counter.look(BEGIN + 60, [job(2, begun=BEGIN + 40)], whole=BEGIN + 60)
        self.assertEqual({("alice@alpha", "-", "beta"): (2 * 60, 2)}, self.lines(counter))

    def test_a_job_that_the_queue_left_out_once_is_one_job_and_counts_once(self):
        counter = runs.Counter(BEGIN)
        for now, jobs in ((30, [job()]), (60, []), (90, [job()]), (120, [job()])):
            counter.look(BEGIN + now, jobs, whole=BEGIN + now)
        self.assertEqual({("alice@alpha", "-", "beta"): (2 * 120, 1)}, self.lines(counter))

    def test_it_tells_so_many_lines_those_that_grew_last_and_all_of_them_are_read(self):
        counter = runs.Counter(BEGIN)
        for number in range(1000):
            counter.look(BEGIN + 30 * number + 30, [job(number, host=f"slot1@m{number}.p", begun=BEGIN + 30 * number), job(5000, host="slot1@beta.p", begun=BEGIN)])
        found = self.lines(counter)
        self.assertEqual(runs.MOST_LINES, len(found))
        self.assertEqual({True}, {(("alice@alpha", "-", machine) in found) for machine in ("beta", "m999", "m800")})
        self.assertLessEqual(runs.MOST_LINES, ads.MOST_RUNS)

    def test_whatever_people_call_their_projects_the_ad_stays_one(self):
        for name in ('a"b', "x;y|z", "line\nWowHeld = 5", "\\", "$(x)", "ü" * 1000, 7, None, {"a": 1}):
            counter = runs.Counter(BEGIN)
            counter.look(BEGIN + 30, [job(ProjectName=name)])
            text = runs.text(counter, {}, 0)
            self.assertRegex(text, r'\AWowRuns = "[^"\\\n]*"\nWowHeld = ""\nWowRefused = 0\n\Z')
            self.assertEqual(1, len(self.lines(counter)), name)

    def test_a_job_that_says_a_number_where_its_machine_s_name_belongs_does_not_count(self):
        counter = runs.Counter(BEGIN)
        counter.look(BEGIN + 60, [job(RemoteHost=5), job(2, RemoteHost=["x"])])
        self.assertEqual({}, self.lines(counter))

    def test_jobs_of_nowhere_and_nobody_do_not_count(self):
        counter = runs.Counter(BEGIN)
        counter.look(BEGIN + 30, [job(RemoteHost=None), job(Owner=None), {}])
        self.assertEqual({}, self.lines(counter))


class AskingTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.log, self.ad = f"{folder.name}/job_queue.log", f"{folder.name}/queue.ad"
        self.queue, self.questions, self.questions_of_held, self.now = [], 0, 0, 0.0
        self.schedd = f"{folder.name}/SchedLog"
        self.runs = runs.Runs(self.answer, self.log, self.ad, lambda: BEGIN + self.now, Refusals(self.schedd))

    def answer(self, question, timeout):
        """As condor_q answers, with so many jobs as it is asked for at most."""
        self.assertEqual(("condor_q", True), (question[0], timeout < 60))
        wanted = [one for one in self.queue if f"JobStatus == {one['JobStatus']}" in question[-1].split(" || ")]
        self.questions += question[-1] == runs.THAT_RUN
        self.questions_of_held += question[-1] == runs.THAT_ARE_HELD
        return 0, "[\n" + ",\n".join(json.dumps(one) for one in wanted[:int(question[question.index("-limit") + 1])]) + "\n]"

    def rounds(self, seconds, shadows=()):
        """So many seconds in rounds of five; how often the queue was asked."""
        before = self.questions
        for _ in range(seconds // 5):
            self.now += 5
            self.runs.round(self.now, frozenset(shadows))
        return self.questions - before

    def told(self):
        """The ad's values."""
        with open(self.ad, encoding="ascii") as file:
            return dict(line.rstrip("\n").split(" = ") for line in file)

    def test_a_queue_in_which_nothing_happens_is_not_asked(self):
        self.rounds(5)
        self.assertEqual(f'"{BEGIN}"', self.told()["WowRuns"], "the manager knows from the start from when on it counts")
        self.rounds(60)
        self.assertEqual(0, self.rounds(3600))
        with open(self.log, "w", encoding="ascii") as file:
            file.write("101 1.0 Job Machine\n")
        self.assertEqual(1, self.rounds(3600))

    def test_while_jobs_run_it_is_asked_every_half_minute_and_sooner_when_one_begins_or_ends(self):
        self.queue = [job()]
        self.assertEqual(1, self.rounds(10, [70]))
        self.assertEqual(10, self.rounds(300, [70]))
        self.assertIn(self.rounds(20, [70, 71]), (1, 2))
        self.queue = []
        self.assertEqual(1, self.rounds(60))

    def test_the_last_seconds_of_a_job_are_told_to_the_round_in_which_it_ended(self):
        for lasting in range(10, 80, 5):
            with self.subTest(lasting=lasting):
                self.setUp()
                self.rounds(60)
                begun = int(self.now)
                self.queue = [job(begun=BEGIN + begun)]
                self.rounds(lasting, [70])
                self.queue = []
                self.rounds(60)
                told = ads.runs(self.told()["WowRuns"].strip('"'), "alpha")[1]
                self.assertEqual([(2 * lasting, 1)], [(run.seconds, run.jobs) for run in told])

    def test_held_jobs_are_told_by_code(self):
        self.queue = [{"JobStatus": 5, "HoldReasonCode": 34}, {"JobStatus": 5, "HoldReasonCode": 34}, {"JobStatus": 5, "HoldReasonCode": 1},
                      job(), {"JobStatus": 5}]
        self.rounds(60, [70])
        self.assertEqual('"0:1,1:1,34:2"', self.told()["WowHeld"])
        self.assertEqual({0: 1, 1: 1, 34: 2}, ads.held(self.told()["WowHeld"].strip('"')))

    def test_refused_claims_are_told_though_nothing_else_happens(self):
        self.rounds(60)
        self.assertEqual("0", self.told()["WowRefused"])
        with open(self.schedd, "w", encoding="ascii") as file:
            file.write("11/25/26 15:37:10 Request was NOT accepted for claim slot1@beta.p.internal <10.128.0.3:9618?sock=startd> for alice 1.0\n")
        self.assertEqual(1, self.rounds(300))
        self.assertEqual("1", self.told()["WowRefused"])

    def test_held_jobs_are_asked_for_where_the_queue_s_file_has_changed(self):
        def write(line):
            with open(self.log, "a", encoding="ascii") as file:
                file.write(line)
        self.queue = [job()]
        write("101 1.0 Job Machine\n")
        self.assertEqual((10, 1), (self.rounds(300, [70]), self.questions_of_held))
        self.queue.append({"JobStatus": 5, "HoldReasonCode": 1})
        write("103 1.0 JobStatus 5\n")
        self.assertEqual((1, 2), (self.rounds(30, [70]), self.questions_of_held))
        self.assertEqual('"1:1"', self.told()["WowHeld"])
        write("103 1.0 JobStatus 1\n")
        answer, self.runs._ask = self.runs._ask, lambda question, timeout: (1, "") if question[-1] == runs.THAT_ARE_HELD else self.answer(question, timeout)
        self.rounds(30, [70])
        self.queue.pop()
        self.runs._ask = answer
        self.rounds(30, [70])
        self.assertEqual('""', self.told()["WowHeld"], "one that got no answer is asked again")

    def test_how_jobs_stand_is_told_and_those_that_wait_are_asked_for_where_the_file_has_changed(self):
        waits = {"JobStatus": 1, "JobUniverse": 5, "Owner": "bob", "ClusterId": 7, "ProcId": 1, "EnteredCurrentStatus": BEGIN, "RequestCpus": 4}
        self.queue = [job(ProjectName="surge"), waits, {"JobStatus": 5, "Owner": "bob"}]
        asked, answer = [], self.runs._ask
        self.runs._ask = lambda question, timeout: (asked.append(question[-1]), answer(question, timeout))[1]
        with open(self.log, "w", encoding="ascii") as file:
            file.write("101 1.0 Job Machine\n")
        self.rounds(300, [70])
        self.assertEqual(('"alice|surge|1|0|0;bob|-|0|1|1"', f'"7.1|bob|-|{BEGIN}|4|0|0|"'), (self.told()["WowJobs"], self.told()["WowOldest"]))
        self.assertEqual(1, asked.count(runs.THAT_WAIT[-1]))

    def test_held_jobs_in_any_number_hide_none_that_runs(self):
        self.queue = [*[{"JobStatus": 5, "HoldReasonCode": 1}] * (2 * ads.MOST_COUNTED[standing.HELD]), job()]
        self.rounds(60, [70])
        self.assertIn("|beta|", self.told()["WowRuns"])
        self.assertEqual(f'"1:{ads.MOST_COUNTED[standing.HELD]}"', self.told()["WowHeld"])

    def test_a_queue_that_does_not_answer_leaves_what_was_told(self):
        self.queue = [job()]
        self.rounds(60, [70])
        told = self.told()
        self.runs._ask = lambda *_, **__: (1, "Failed to connect")
        self.rounds(60, [70])
        self.assertEqual(told, self.told())
        self.assertFalse(os.path.exists(self.log))


if __name__ == "__main__":
    unittest.main()
