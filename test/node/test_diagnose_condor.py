"""The doctor's word on HTCondor, from ads of a real pool and what else they may say."""
import tempfile
import unittest
from unittest import mock

import ads
import samples  # noqa: F401  makes the node's modules importable

from wow.config import facts as pool_facts
from wow.doctor import diagnose_condor, finding, gather_condor
from wow.lib import system
from wow.why import classads

SLOTS = {"state": "Unclaimed", "start": True, "rule": "(NumDynamicSlots ?: 0) < 128", "jobs": 1, "started": 7, "changed_s": 300.0, "up_s": 7200.0}
WELL = {"name": "beta.pool.internal", "is_manager": False, "is_listed": True, "managers": 1, "answers": True, "slots": SLOTS, "queue": True, "negotiator": None, "clock_s": -1.0, "held": [],
        "disk": {"path": "/var/lib/wow/execute", "free": 5_000_000_000, "size": 7_000_000_000, "is_bounded": True},
        "paused": None, "pause_trouble": None, "limits_trouble": None, "refused_trouble": None}
STATUS = {"address": "10.128.0.2", "certified": True, "open": False, "managers": []}


def found(**changes):
    """The findings of a machine that is well but for these."""
    return diagnose_condor.findings({**WELL, **changes})


class Decisions(unittest.TestCase):
    def only_wrong(self, code, *parts, **changes):
        """The one thing that is wrong has this code, says these words and what to do."""
        wrong = [one for one in found(**changes) if one.state == finding.WRONG]
        self.assertEqual([one.code for one in wrong], [code])
        self.assertTrue(wrong[0].todo)
        for part in parts:
            self.assertIn(part, f"{wrong[0].what} {wrong[0].todo}")

    def test_a_machine_that_is_well_says_that_it_takes_jobs_and_when_one_last_came_or_went(self):
        self.assertEqual([(one.code, one.state) for one in found()], [("pool-member", finding.OK), ("clock-agrees", finding.OK), ("disk", finding.OK)])
        self.assertIn("7 since HTCondor began; 1 job runs now, and one came or went 5 min ago", found()[0].what)
        self.assertIn("none has come in the 2 h since", found(slots={**SLOTS, "started": 0})[0].what)
        self.assertEqual(found(slots={**SLOTS, "started": 0})[0].code, "never-matched")
        self.assertEqual(diagnose_condor.findings(None), [])

    def test_what_keeps_jobs_away_has_a_code_and_says_what_to_do(self):
        self.only_wrong("slots-not-listed", "does not list slots of beta.pool.internal", "condor/*Log", slots=None)
        self.only_wrong("queue-not-listed", "jobs that are submitted here wait", queue=False)
        self.only_wrong("start-false", "by its own rule START: False", "condor_config_val -verbose START", slots={**SLOTS, "start": False, "rule": "False"})
        self.only_wrong("draining", "drained", "condor_drain -cancel", slots={**SLOTS, "state": "Drained"})
        for what, say in (("pause", "wow resume"), ("limits", "wow limit clear"), ("refused", "wow accept PROJECT")):
            self.only_wrong(f"{what}-unreadable", "/x cannot be read, so.", say, **{f"{what}_trouble": "/x cannot be read, so"})
        self.only_wrong("manager-silent", "does not answer", "wow ping manager", answers=False, slots=None, queue=False, clock_s=None)
        self.only_wrong("jobs-held", "2 jobs are held: 3.0, 4.1.", "wow why 3.0", held=["3.0", "4.1"])
        self.only_wrong("jobs-held", "9 jobs are held: 0.0, 1.0, 2.0, 3.0, 4.0 and more", held=[f"{number}.0" for number in range(9)])
        self.only_wrong("disk-low", "50.0 MB of 7.0 GB are free", disk={**WELL["disk"], "free": 50_000_000})
        self.only_wrong("disk-low", "a full disk stops the queue", "Remove files of /home", disk={**WELL["disk"], "free": 50_000_000, "is_bounded": None})
        self.only_wrong("disk-unbounded", "one job may write all of it", "journalctl -b -u wow-join", disk={**WELL["disk"], "is_bounded": False})

    def test_a_clock_is_compared_with_the_manager_s_both_ways(self):
        self.only_wrong("clock-differs", "90 s behind the manager's", clock_s=-90.0)
        self.only_wrong("clock-differs", "90 s ahead of the manager's", clock_s=90.0)
        self.assertNotIn("clock-differs", [one.code for one in found(clock_s=None)])

    def test_a_rule_that_hangs_on_the_job_is_no_refusal(self):
        self.assertEqual(found(slots={**SLOTS, "start": None})[0].state, finding.OK)

    def test_a_manager_has_a_negotiator_and_no_slots(self):
        self.only_wrong("negotiator-missing", "The negotiator is not there", is_manager=True, slots=None, queue=False, held=None)
        well = found(is_manager=True, slots=None, queue=False, held=None, negotiator="beta.pool.internal")
        self.assertEqual([one.code for one in well], ["pool-manager", "disk"])

    def test_of_several_managers_one_gives_out_machines_and_who_is_on_no_list_does_not(self):
        beside = found(is_manager=True, managers=2, slots=None, queue=False, held=None, negotiator="other.pool.internal")
        self.assertEqual([one.code for one in beside], ["pool-manager-beside", "disk"])
        self.assertIn("one of 2 managers and lists all machines; now other.pool.internal gives them out", beside[0].what)
        self.only_wrong("manager-not-listed", "not on the pool's list", "revoke its certificate", is_manager=True, is_listed=False, managers=2, slots=None, queue=False,
                        held=None, negotiator="other.pool.internal")

    def test_a_queue_that_does_not_say_is_not_known(self):
        self.assertIn(("queue-silent", finding.UNKNOWN), [(one.code, one.state) for one in found(held=None)])

    def test_every_finding_has_a_code_for_programs(self):
        self.assertEqual(found()[0].facts()["code"], "pool-member")
        self.assertEqual(finding.wrong("pool.conf", "It is bad.", "Mend it.").facts()["code"], "pool-conf")


class Gathering(unittest.TestCase):
    def setUp(self):
        module = ads.classad2()
        module.start()
        self.addCleanup(module.stop)

    def ask(self, status, services, replies):
        """The facts that come of these replies of HTCondor's tools, by the tool's name."""
        pool = pool_facts.Facts({("node", "role"): "worker", ("pool", "managers"): ""})
        with mock.patch.object(system, "run", lambda arguments, **_: replies[arguments[0]]), mock.patch.object(pool_facts, "read", return_value=pool):
            return gather_condor.condor(status, services)

    def test_the_manager_s_ads_of_this_machine_are_read(self):
        replies = {"condor_config_val": (0, "beta.pool.internal"), "condor_status": (0, f"{ads.SLOT}\n{ads.QUEUE}"), "condor_q": (0, "3.0 alice\n4.0 bob")}
        facts = self.ask(STATUS, {"condor.service": "active"}, replies)
        self.assertEqual((facts["answers"], facts["queue"], facts["clock_s"], facts["held"]), (True, True, 0, ["3.0", "4.0"]))
        self.assertEqual((facts["slots"]["state"], facts["slots"]["started"], facts["slots"]["jobs"]), ("Unclaimed", 1, 0))

    def test_a_negotiator_may_be_another_machine_s_and_its_clock_is_not_this_one_s(self):
        other = ads.printed('MyType = "Negotiator"\nMachine = "manager.pool.internal"\nLastHeardFrom = 1795560000\nMyCurrentTime = 1795560000')
        former = other.replace("manager", "second").replace("1795560000", "1795550000")
        late = ads.QUEUE.replace("MyCurrentTime = 1795563998", "MyCurrentTime = 1795563990")
        for there, negotiator in ((f"{late}\n{former}\n{other}", "manager.pool.internal"), (late, None)):
            replies = {"condor_config_val": (0, "beta.pool.internal"), "condor_status": (0, there), "condor_q": (0, "")}
            facts = self.ask(STATUS, {"condor.service": "active"}, replies)
            self.assertEqual((facts["negotiator"], facts["clock_s"]), (negotiator, -8))

    def test_tools_that_fail_are_facts_too(self):
        replies = {"condor_config_val": (0, "beta.pool.internal"), "condor_status": (1, "Error: communication error"), "condor_q": (system.TIMED_OUT, "")}
        facts = self.ask(STATUS, {"condor.service": None}, replies)
        self.assertEqual((facts["answers"], facts["slots"], facts["held"]), (False, None, None))

    def test_nothing_is_asked_where_htcondor_does_not_run_or_may_not_yet(self):
        for status, services in ((None, {"condor.service": "active"}), ({**STATUS, "address": None}, {"condor.service": "active"}),
                                 ({**STATUS, "certified": False}, {"condor.service": "active"}), (STATUS, {"condor.service": "failed"}), (STATUS, {})):
            self.assertIsNone(self.ask(status, services, {}))

    def test_when_a_job_last_came_or_went_and_for_how_long_htcondor_runs(self):
        slots = gather_condor.slots(classads.parse(ads.SLOT), 1795563982 + 600)
        self.assertEqual((slots["changed_s"], slots["up_s"]), (600, 615))
        self.assertIsNone(gather_condor.slots(classads.parse(ads.QUEUE), 0))

    def test_an_ad_that_still_tells_of_a_pause_is_no_rule_of_the_machine_s_own(self):
        for told, start in (("", False), ('WowPauseReason = "by alice"\n', None)):
            ad = ads.printed(f'MyType = "Machine"\nMachine = "beta.pool.internal"\n{told}Start = false')
            self.assertIs(gather_condor.slots(classads.parse(ad), 0)["start"], start)

    def test_the_least_difference_of_clocks_is_the_nearest(self):
        late = ads.QUEUE.replace("MyCurrentTime = 1795563998", "MyCurrentTime = 1795563990")
        self.assertEqual(gather_condor.clock(classads.parse(f"{ads.SLOT}\n{late}")), -1)

    def test_the_room_is_that_of_the_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertGreater(gather_condor.disk(True, folder)["size"], 0)
            self.assertIs(gather_condor.disk(True, "/proc")["is_bounded"], False)
            self.assertIsNone(gather_condor.disk(False, folder)["is_bounded"])
            self.assertIsNone(gather_condor.disk(True, f"{folder}/none"))


if __name__ == "__main__":
    unittest.main()
