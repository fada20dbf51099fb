"""wow-jobs' rounds for jobs whose machine is gone: when they are taken back, and how long it is looked whether they are on hold."""
import json
import unittest
from unittest import mock

from test_jobs import BETA, DEFAULT, GAMMA, at, claim, job, look, settled

from wow.jobs import keeper, queue
from wow.jobs.patience import Advertised
from wow.lib import overlay
from wow.lib.errors import WowError
from wow.lib.overlay import Boot

HOME = "10.128.0.1"


class KeeperTests(unittest.TestCase):
    """A round: the shadows, the overlay, the queue and the list of revoked certificates are the test's."""

    def setUp(self):
        self.machines, self.boots, self.reaches, self.revoked = {BETA: 60.0}, {BETA: Boot("a", 3600.0)}, True, (0.0, set())
        self.taken, self.advertised, self.looked, self.released = [], 0, 0, 0
        self.parted, self.ads = set(), {}
        self.ending, self.shadows = set(), {}
        self.clock, self.takes, self.is_held = 0.0, 0.0, False
        self.outlived, self.ends, self.fails, self.lost, self.asked = [], False, False, [], []
        self.named, self.liars, self.whose = [], [], []

    def keeper(self):
        """One that has found nothing on hold at its start."""
        one = keeper.Keeper(DEFAULT, lambda: self.clock)
        with mock.patch.object(queue, "release", lambda: True):
            one._look_again(0.0)
        return one

    def end(self, outlived, running):
        """Notes which shadows may be ended."""
        self.outlived.append((set(outlived), set(running)))
        return self.ends

    def round(self, one, now):
        """One round, in which shadows that are ended are gone at once."""
        self.clock = now

        def placed(default):
            self.looked += 1
            return [*(job(address=address) for address in self.machines), *self.liars]

        def take_back(lost, every, running):
            self.taken += [(taken.number, why) for taken, why in lost]
            self.machines = {}
            self.clock += self.takes
            if self.fails:
                raise WowError("cannot be started", "", "condor_q")
            return self.ending

        def advertise():
            self.advertised += 1

        def found(jobs):
            self.named.append({one.address for one in jobs})
            self.whose += [one.host for one in jobs]
            return self.ads

        def release():
            self.released += 1
            return not self.is_held

        def find(unknown):
            self.asked.append(now)
            return not self.fails

        seen = mock.Mock(lost=self.lost, running=self.shadows, parted=self.parted)
        type(seen).machines = mock.PropertyMock(side_effect=lambda: self.machines)
        one._shadows = seen
        with mock.patch.multiple(queue, placed=placed, take_back=take_back, advertise=advertise, advertised=found, release=release, end=self.end, find=find), \
                mock.patch.multiple(overlay, boots=lambda addresses: {address: self.boots[address] for address in addresses}, reaches_anybody=lambda: self.reaches,
                                    is_here=lambda address: address == HOME, here=lambda: Boot("", float("inf"), "beta")), \
                mock.patch("wow.lib.barred.read", lambda: self.revoked), mock.patch("time.sleep", lambda seconds: None):
            one.round(now)

    def test_a_job_on_a_machine_that_was_put_out_of_the_pool_is_taken_back_in_the_next_round(self):
        one = self.keeper()
        self.round(one, 0.0)
        self.assertEqual((self.looked, self.taken), (0, []), "all is well, so the queue is not asked")
        self.revoked = (2.0, {BETA})
        self.round(one, 5.0)
        self.assertEqual([number for number, _ in self.taken], ["1.0"])
        before = self.released
        for now in (10.0, 60.0, 65.0, 70.0):
            self.round(one, now)
        self.assertEqual(self.released - before, 2, "for a minute it is looked whether the job is on hold again")

    def test_while_the_manager_is_off_jobs_go_on_whatever_boot_ids_their_machines_prove(self):
        one, self.ads = self.keeper(), None
        for now in range(0, 4 * 3600, 30):
            self.boots = {BETA: Boot(str(now // 1700), now % 1700)}
            self.round(one, float(now))
        self.assertEqual((self.taken, self.named[:1]), ([], [{BETA}]))
        self.ads, begin = {}, now
        while not self.taken:
            now += 30
            self.boots = {BETA: Boot("b", 1700.0 + now - begin)}
            self.round(one, float(now))
        self.assertEqual(now - begin, 30 + DEFAULT)

    def test_the_collector_is_asked_for_the_machines_alone_that_may_have_been_started_anew(self):
        one, self.machines = self.keeper(), {BETA: 60.0, GAMMA: 60.0}
        self.boots = dict.fromkeys(self.machines, Boot("a", 1800.0))
        self.round(one, 0.0)
        self.boots[GAMMA] = Boot("b", 1.0)
        self.round(one, 5.0)
        self.assertEqual(self.named, [{GAMMA}])

    def test_the_collector_is_not_asked_for_who_gave_a_claim_with_the_address_of_another_be_it_this_machine_s_own(self):
        self.liars = [job("2.0", "gamma", BETA), job("3.0", "gamma", HOME)]
        self.machines, self.parted = {BETA: 60.0, HOME: 60.0}, {BETA, HOME}
        self.boots = {BETA: Boot("a", 1800.0, "beta")}
        self.round(self.keeper(), 0.0)
        self.assertEqual(["beta", "beta"], self.whose)

    def test_a_job_that_its_machine_has_no_more_is_taken_back_within_two_of_its_ads_and_the_queue_is_asked_twice_a_minute_after_a_while(self):
        one, self.parted = self.keeper(), {BETA}
        kept = job().claim
        for now in range(0, 600, 5):
            self.ads = {BETA: Advertised("100", str(now // 30), {kept})}
            self.round(one, float(now))
        self.assertEqual((self.taken, self.looked), ([], 24 + 16))
        with mock.patch.object(keeper.files, "find", lambda name: "UPDATE_INTERVAL = 120\n"):
            for now in range(600, 1000, 5):
                self.ads = {BETA: Advertised("100", str(now // 30), set())}
                self.round(one, float(now))
                if self.taken:
                    break
        self.assertEqual(([number for number, _ in self.taken], 150 <= now - 600 <= 190), (["1.0"], True))

    def test_a_job_is_released_when_its_own_shadow_is_gone_whatever_else_runs_there(self):
        one, self.revoked = self.keeper(), (2.0, {BETA})
        self.ending, self.shadows = {7}, {7: at("1.0"), 8: at("2.0")}
        self.round(one, 5.0)
        self.assertEqual(([number for number, _ in self.taken], self.released), (["1.0"], 0), "its shadow runs still")
        self.shadows = {8: at("2.0")}
        self.round(one, 10.0)
        self.assertGreaterEqual(self.released, 1)

    def test_what_fails_after_a_job_was_put_on_hold_leaves_it_there_for_minutes_at_most(self):
        one, self.revoked, self.fails = self.keeper(), (2.0, {BETA}), True
        with self.assertRaises(WowError):
            self.round(one, 5.0)
        self.assertEqual(([number for number, _ in self.taken], self.released), (["1.0"], 0))
        for now in range(10, 200, 5):
            self.round(one, float(now))
        self.assertEqual(self.released, 1)

    def test_a_queue_that_does_not_tell_of_a_shadow_is_asked_again_twice_a_minute(self):
        one, self.fails, self.lost = self.keeper(), True, [at("9.0", "")]
        for now in range(0, 60, 5):
            self.round(one, float(now))
        self.fails = False
        self.round(one, 60.0)
        self.round(one, 65.0)
        self.assertEqual(self.asked, [0.0, 30.0, 60.0, 65.0])
        self.lost[0].claim = ""
        self.round(one, 70.0)
        self.assertEqual(self.asked[4:], [], "what is told is not asked again")

    def test_a_shadow_that_does_not_end_keeps_no_job_on_hold_for_longer_than_a_minute(self):
        one, self.revoked = self.keeper(), (2.0, {BETA})
        self.ending, self.shadows = {7}, {7: at("1.0")}
        for now in range(5, 65, 5):
            self.round(one, float(now))
        self.assertEqual(self.released, 0)
        self.round(one, 65.0)
        self.assertEqual(self.released, 1)

    def test_a_tool_that_takes_long_takes_nothing_of_the_minute(self):
        one, self.revoked, self.takes = self.keeper(), (2.0, {BETA}), 80.0
        self.round(one, 5.0)
        before = self.released
        for now in (90.0, 140.0):
            self.round(one, now)
        self.assertEqual(self.released - before, 2)

    def test_what_is_still_on_hold_is_released_every_few_minutes_until_nothing_is(self):
        one, self.revoked, self.is_held = self.keeper(), (2.0, {BETA}), True
        self.round(one, 5.0)
        self.round(one, 60.0)
        before = self.released
        for now in range(65, 965, 5):
            self.round(one, float(now))
        self.assertEqual(self.released - before, 5)
        self.is_held = False
        for now in range(965, 2965, 5):
            self.round(one, float(now))
        self.assertEqual(self.released - before, 6)

    def test_while_a_shadow_goes_on_that_was_waited_for_it_is_looked_every_few_minutes(self):
        one, self.revoked = self.keeper(), (2.0, {BETA})
        self.ending, self.shadows = {7}, {7: at("1.0")}
        for now in range(5, 130, 5):
            self.round(one, float(now))
        before = self.released
        for now in range(130, 1030, 5):
            self.round(one, float(now))
        self.assertEqual(self.released - before, 5)
        self.assertEqual(self.outlived[-1], ({7}, {7}), "it is ended once no job runs there")
        self.ends = True
        self.round(one, 1210.0)
        self.shadows, self.ends, before = {}, False, self.released
        for now in range(1215, 2030, 5):
            self.round(one, float(now))
        self.assertEqual(self.released - before, 12, "for a minute after that in each round, then once more")
        self.assertEqual(self.outlived[-1], ({7}, {7}))

    def test_what_a_former_run_left_on_hold_is_released_once_the_queue_answers(self):
        one, self.is_held = keeper.Keeper(DEFAULT, lambda: self.clock), True
        for now in (0.0, 5.0, 180.0):
            self.round(one, now)
        self.is_held = False
        for now in (360.0, 540.0, 720.0):
            self.round(one, now)
        self.assertEqual(self.released, 3)

    def test_a_job_that_began_after_an_address_changed_hands_is_left_there(self):
        self.revoked = (3600.0, {BETA})
        self.round(self.keeper(), 0.0)
        self.assertEqual((self.looked, self.taken), (0, []))

    def test_a_job_on_this_machine_itself_is_never_waited_for(self):
        one, self.machines = self.keeper(), {HOME: 60.0}
        for now in range(0, int(3 * DEFAULT), 5):
            self.round(one, float(now))
        self.assertEqual((self.looked, self.taken), (0, []))

    def test_a_job_on_this_machine_whose_htcondor_was_started_anew_is_taken_back(self):
        one, self.machines = self.keeper(), {HOME: 60.0}
        self.round(one, 0.0)
        self.parted, self.ads = {HOME}, {HOME: Advertised("200", "3")}
        self.round(one, 5.0)
        self.assertEqual([number for number, _ in self.taken], ["1.0"])

    def test_a_machine_that_is_back_from_where_it_reached_nobody_tells_of_itself_once(self):
        one = self.keeper()
        for now, (self.reaches, told) in enumerate([(True, 0), (False, 0), (False, 0), (True, 1), (True, 1)]):
            self.boots = {BETA: Boot("a", 3600.0) if self.reaches else None}
            self.round(one, 5.0 * now)
            self.assertEqual(self.advertised, told)


class Forgotten(unittest.TestCase):
    """Jobs that a machine that is well has no more."""

    def parted(self, ad, until=600, interval=60.0):
        """(job's number, why, when) of what is taken back of two jobs on beta, whose shadows are without a connection from second 10 on. ad: {second: what the
        collector has of beta then}."""
        watch, found = settled(), []
        for now in range(0, until, 5):
            watch.look(now, {BETA: 60.0 + now}, {BETA: Boot("a", 3600.0)}, True, {BETA} if now > 10 else ())
            if watch.doubted:
                found += [(one.number, why, now) for one, why in watch.lost(now, [job("1.0"), job("2.0")], {BETA: ad(now)} if ad(now) else None, (), interval)]
        return found

    def test_a_job_that_its_well_machine_has_no_more_is_taken_back_once_no_ad_of_it_can_be_late(self):
        found = self.parted(lambda now: Advertised("100", str(now // 30), {claim("2.0")}), until=80)
        self.assertEqual(found, [("1.0", "beta ended the job before its files were home, so it runs again", 75)])
        self.assertEqual(self.parted(lambda now: Advertised("100", str(now // 300), {claim("2.0")}), until=300), [], "beta was not heard anew")

    def test_a_job_whose_claim_comes_late_or_may_be_one_that_is_not_named_stays(self):
        for claims in (lambda now: {claim("1.0"), claim("2.0")} if now >= 70 else set(), lambda _: None, lambda now: set() if now % 60 else {claim("1.0"), claim("2.0")}):
            self.assertEqual(self.parted(lambda now, of=claims: Advertised("100", str(now // 30), of(now))), [])
        self.assertEqual(self.parted(lambda _: None), [], "the collector does not answer")

    def test_while_a_shadow_is_without_its_connection_the_collector_is_asked_in_each_round_for_two_minutes_alone(self):
        watch, urgent = settled(), []
        for now in range(0, 3590, 5):
            watch.look(now, {BETA: 60.0}, {BETA: Boot("a", 3600.0)}, True, {BETA})
            urgent += [now] if watch.is_urgent(now) else []
            watch.lost(now, [job()], {BETA: Advertised("100", str(now // 30), {claim("1.0")})})
        self.assertEqual((urgent[0], urgent[-1]), (0, 115))
        look(watch, 3600.0, {BETA: "a"})
        watch.lost(3600.0, [job()], {BETA: Advertised("100", "later", {claim("1.0")})})
        look(watch, 3605.0, {BETA: "b"})
        self.assertTrue(watch.is_urgent(3605.0))


class Outlived(unittest.TestCase):
    """Shadows that outlived the jobs that were taken back."""

    def ended(self, code, *jobs, of=None):
        """Which of the shadows 7 (beta) and 8 (gamma) are ended while these jobs run. of: the claim that 7 is known to have."""
        ads = [{"ClusterId": 1, "ProcId": number, "PublicClaimId": one.claim, "RemoteHost": "slot1@x", "JobStatus": 2 if one.runs else 3} for number, one in enumerate(jobs)]
        with mock.patch.object(queue.system, "run", return_value=(code, json.dumps(ads))), mock.patch("os.kill") as kill:
            told = queue.end({7, 8, 9}, {7: at("1.0", of=of), 8: at("2.0", GAMMA)})
        found = [call.args[0] for call in kill.call_args_list]
        self.assertEqual(bool(found), told)
        return found

    def test_one_is_ended_when_no_job_runs_on_its_machine_and_none_where_the_queue_does_not_answer(self):
        beta, gamma = job("5.0"), job("6.0", address=GAMMA)
        self.assertEqual([self.ended(0), self.ended(0, beta), self.ended(0, beta, gamma), self.ended(1)], [[7, 8], [8], [], []])

    def test_one_whose_claim_is_known_is_ended_when_no_job_runs_by_that_whatever_else_runs_there(self):
        beta, other = job("5.0"), job("6.0")
        self.assertEqual([self.ended(0, beta, of=beta.claim), self.ended(0, other, of=beta.claim), self.ended(0, other)], [[8], [7, 8], [8]])

    def test_one_of_a_job_that_was_removed_is_ended(self):
        gone = job("5.0", runs=False)
        self.assertEqual([self.ended(0, gone), self.ended(0, gone, of=gone.claim)], [[7, 8], [7, 8]])
