"""What a queue tells of how its jobs stand, and what a manager's pool page makes of it."""
import unittest

from wow.jobs import standing

BEGIN = 1_800_000_000


def waiting(number=1, since=BEGIN, **more):
    """A job that waits."""
    return {"ClusterId": number, "ProcId": 0, "JobStatus": 1, "JobUniverse": 5, "Owner": "alice", "EnteredCurrentStatus": since, "RequestCpus": 2, "RequestMemory": 128,
            "RequestDisk": 1024, **more}


class Standing(unittest.TestCase):
    def setUp(self):
        self.standing = standing.Standing()

    def count(self, state, *jobs):
        """How many jobs a look passed on."""
        return len(list(self.standing.pass_on(state, jobs)))

    def test_jobs_are_counted_by_person_project_and_state_and_each_look_counts_anew(self):
        run = {"Owner": "alice", "ProjectName": "storm surge"}
        self.assertEqual(3, self.count(standing.RUNNING, run, run, {"Owner": "bob"}))
        self.assertEqual(1, self.count(standing.HELD, {"Owner": "bob"}))
        self.standing.wait([waiting(), waiting(2)])
        self.assertIn('WowJobs = "alice|storm surge|2|0|0;bob|-|1|0|1;alice|-|0|2|0"\n', self.standing.text())
        self.assertEqual(0, self.count(standing.RUNNING))
        self.assertIn('WowJobs = "alice|-|0|2|0;bob|-|0|0|1"\n', self.standing.text())

    def test_the_job_that_waits_for_longest_is_told_with_what_it_asks_for(self):
        self.standing.wait([waiting(3, BEGIN + 5), waiting(2, ProjectName="x"), waiting(4), waiting(1, BEGIN - 5, JobUniverse=7)])
        self.assertIn(f'WowOldest = "2.0|alice|x|{BEGIN}|2|128|1024|"\n', self.standing.text())
        self.standing.wait([])
        self.assertIn('WowOldest = ""\n', self.standing.text())

    def test_what_the_negotiator_said_counts_where_it_said_so_since_the_job_waits(self):
        for when, said in ((BEGIN + 1, "no match found"), (BEGIN - 1, "")):
            told = standing.oldest(waiting(LastRejMatchTime=when, LastRejMatchReason="no match found"))
            self.assertEqual(said, told.rpartition("|")[2])

    def test_what_a_job_asks_for_by_an_expression_is_not_known(self):
        self.assertIn("|2|0|0|", standing.oldest(waiting(RequestMemory="/Expr(MemoryUsage)/", RequestDisk=None)))

    def test_of_pairs_so_many_are_told(self):
        self.count(standing.RUNNING, *({"Owner": "alice", "ProjectName": str(number)} for number in range(1000)))
        self.count(standing.HELD, *({"Owner": "bob", "ProjectName": str(number)} for number in range(1000)))
        self.assertEqual(standing.MOST_PAIRS, self.standing.text().partition("\n")[0].count(";") + 1)

    def test_whatever_people_call_their_projects_the_ad_stays_one(self):
        for name in ('a"b', "x;y|z", "line\nWowHeld = 5", "\\", "$(x)", "\u202egnp", "ü" * 1000, 7, None, {"a": 1}):
            self.count(standing.RUNNING, {"Owner": "alice", "ProjectName": name}, {"Owner": name})
            self.standing.wait([waiting(ProjectName=name, LastRejMatchReason=name, LastRejMatchTime=BEGIN), waiting(2, RequestCpus=name)])
            self.assertRegex(self.standing.text(), r'\AWowJobs = "[ -!#-\[\]-~]*"\nWowOldest = "[ -!#-\[\]-~]*"\n\Z')


if __name__ == "__main__":
    unittest.main()
