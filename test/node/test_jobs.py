"""Jobs whose machine is gone: who is absent, who was started anew, and which shadows are ended."""
import json
import types
import unittest
from unittest import mock

from wow.jobs import keeper, queue, runs, shadows
from wow.jobs.patience import Advertised, Job, Watch
from wow.lib import overlay, system
from wow.lib.errors import WowError
from wow.lib.overlay import Boot
import samples

DEFAULT = 15 * 60.0
BETA, GAMMA = "10.128.0.2", "10.128.0.3"

RUNNING = {"ClusterId": 12, "ProcId": 3, "JobStatus": 2, "RemoteHost": "slot1_1@beta.p.internal",
           "PublicClaimId": "<10.128.0.2:9618?addrs=10.128.0.2-9618&alias=beta.p.internal&noUDP&sock=startd_1_a>#1795550599#2#..."}
"""What condor_q tells of a job that runs."""


def startd(host, birth, heard):
    """What the collector tells of a startd."""
    return {"Machine": host, "DaemonStartTime": birth, "LastHeardFrom": heard}


def job(number="1.0", host="beta", address=BETA, birth="100", patience=DEFAULT, runs=True):
    """A job on beta."""
    return Job(number, host, address, claim(number, address, birth), birth, patience, runs)


def claim(number, address=BETA, birth="100"):
    """The claim by which a job runs: no two at once have the same."""
    return f"<{address}:9618>#{birth}#{number}#..."


def at(number, address=BETA, of=None):
    """The shadow of a job. of: the claim that it is known to have."""
    return shadows.Shadow(number, address, 60.0, claim=of)


def look(watch, now, boots, reaches_others=True, age=60.0, met=3600.0):
    """Looks once. boots: {address: boot id or None}; age: seconds that a job has run on each; met: seconds since this node heard of its boot first."""
    answers = {address: Boot(boot, met) if boot else None for address, boot in boots.items()}
    watch.look(now, dict.fromkeys(boots, age), answers, reaches_others)


def after(watch, seconds, answers, reaches_others=True, start=0.0, step=5.0):
    """Looks every five seconds, for so long; returns the time."""
    now = start
    while now < start + seconds:
        now += step
        look(watch, now, answers, reaches_others)
    return now


def settled():
    """A watch that knows beta and has no doubt of it."""
    watch = Watch()
    look(watch, 0.0, {BETA: "a"}, met=1800.0)
    watch.lost(0.0, [], {BETA: Advertised("100", "1")})
    watch.lost(0.0, [], {BETA: Advertised("100", "2")})
    return watch


class PatienceTests(unittest.TestCase):
    """Watch."""

    def test_a_machine_that_was_started_anew_before_it_was_first_asked_is_doubted(self):
        for silent in (0, 2):
            watch = settled()
            for number in range(silent):
                look(watch, 5.0 * number + 5, {BETA: "a", GAMMA: None})
                self.assertEqual(watch.doubted, set())
            look(watch, 15.0, {BETA: "a", GAMMA: "b"}, age=14.0, met=1.5)
            self.assertEqual(watch.doubted, {GAMMA})
            lost = watch.lost(15.0, [job(host="gamma", address=GAMMA, birth="100")], {GAMMA: Advertised("200", "3")})
            self.assertEqual(["1.0"], [one.number for one, _ in lost])

    def test_a_machine_that_gets_its_first_job_gives_no_reason_to_doubt(self):
        watch = settled()
        look(watch, 5.0, {BETA: "a", GAMMA: "b"}, age=3.0, met=3.2)
        self.assertTrue(watch.is_calm)

    def test_a_machine_that_was_only_not_reached_at_first_is_not_doubted(self):
        watch = settled()
        look(watch, 5.0, {BETA: "a", GAMMA: None})
        look(watch, 10.0, {BETA: "a", GAMMA: "b"})
        self.assertTrue(watch.is_calm)

    def test_a_job_is_taken_back_when_its_machine_was_not_reached_for_as_long_as_it_waits(self):
        watch = settled()
        now = after(watch, DEFAULT - 5, {BETA: None})
        self.assertEqual(watch.lost(now, [job()], {}), [])
        look(watch, now + 5, {BETA: None})
        [(taken, why)] = watch.lost(now + 5, [job()], {})
        self.assertEqual((taken.number, why), ("1.0", "beta was not reached for 15 minutes, so the job runs again elsewhere"))

    def test_each_job_waits_as_long_as_it_says(self):
        watch = settled()
        now = after(watch, 120, {BETA: None})
        jobs = [job("1.0"), job("2.0", patience=60), job("3.0", patience=0)]
        self.assertEqual([taken.number for taken, _ in watch.lost(now, jobs, {})], ["2.0", "3.0"])
        self.assertEqual(job(patience=0).patience, 30)

    def test_an_answer_ends_the_absence(self):
        watch = settled()
        now = after(watch, DEFAULT - 60, {BETA: None})
        look(watch, now + 5, {BETA: "a"})
        now = after(watch, DEFAULT - 60, {BETA: None}, start=now + 5)
        self.assertEqual(watch.lost(now, [job()], {}), [])

    def test_a_machine_that_reaches_nobody_blames_no_other(self):
        watch = settled()
        now = after(watch, 3 * DEFAULT, {BETA: None}, reaches_others=False)
        self.assertEqual(watch.lost(now, [job()], {}), [])
        self.assertTrue(watch.is_calm)

    def test_time_that_the_machine_slept_through_is_no_absence(self):
        watch = settled()
        now = after(watch, 10, {BETA: None})
        look(watch, now + 8 * 3600, {BETA: None})
        self.assertEqual(watch.lost(now + 8 * 3600, [job()], {}), [])

    def test_a_machine_that_was_started_anew_has_lost_its_jobs_once_its_startd_says_so(self):
        watch = settled()
        look(watch, 5.0, {BETA: "b"})
        self.assertEqual(watch.doubted, {BETA})
        self.assertEqual(watch.lost(5.0, [job()], {BETA: Advertised("100", "2")}), [])
        [(_, why)] = watch.lost(10.0, [job()], {BETA: Advertised("200", "3")})
        self.assertEqual(why, "HTCondor on beta was started anew and has the job no more, so it runs again")
        self.assertEqual(watch.lost(15.0, [job("2.0", birth="200")], {BETA: Advertised("200", "4")}), [])
        self.assertEqual(watch.doubted, set())

    def test_a_machine_whose_htcondor_alone_was_started_anew_has_lost_its_jobs(self):
        watch = settled()
        watch.look(5.0, {BETA: 60.0}, {BETA: Boot("a", 3600.0)}, True, {BETA})
        self.assertEqual(watch.doubted, {BETA})
        [(taken, _)] = watch.lost(10.0, [job()], {BETA: Advertised("200", "3")})
        self.assertEqual(taken.number, "1.0")

    def test_a_shadow_whose_connection_broke_though_its_startd_is_the_same_keeps_its_job(self):
        watch = settled()
        for heard in ("3", "4"):
            watch.look(5.0, {BETA: 60.0}, {BETA: Boot("a", 3600.0)}, True, {BETA})
            self.assertEqual(watch.lost(5.0, [job()], {BETA: Advertised("100", heard)}), [])
        look(watch, 10.0, {BETA: "a"})
        self.assertTrue(watch.is_calm)

    def test_a_connection_that_broke_with_the_way_there_is_no_reason_to_doubt(self):
        watch = settled()
        watch.look(5.0, {BETA: 60.0}, {BETA: None}, True, {BETA})
        self.assertEqual(watch.doubted, set())

    def test_where_the_overlay_alone_was_started_anew_the_job_goes_on(self):
        watch = settled()
        look(watch, 5.0, {BETA: "b"})
        for heard in ("2", "2", "3"):
            self.assertEqual(watch.lost(10.0, [job()], {BETA: Advertised("100", heard)}), [])
        self.assertTrue(watch.is_calm)

    def taken(self, watch, told, one, interval=60.0, until=6000):
        """(why, when) of what is taken back first of this job, whose machine is met under another boot id in second 0. told: {second: what the collector tells}."""
        for now in range(0, until, 5):
            look(watch, now, {BETA: "b"}, met=now)
            if lost := watch.lost(now, [one], told(now) if watch.doubted else None, interval=interval):
                return lost[0][1], now
        return None

    def test_a_machine_that_is_back_without_its_htcondor_is_waited_for_while_the_collector_does_not_answer_and_then_for_as_long_as_the_job_waits(self):
        why = "beta was started anew, and its HTCondor did not come back within 15 minutes, so the job runs again elsewhere"
        self.assertEqual(self.taken(settled(), lambda _: {}, job()), (why, DEFAULT))
        self.assertIsNone(self.taken(settled(), lambda _: None, job(), until=4 * 3600))
        self.assertEqual(self.taken(settled(), lambda now: {} if now < 840 or now >= 3600 else None, job()), (why, 3600 + DEFAULT), "the manager was started anew, too")
        self.assertEqual(self.taken(settled(), lambda _: {BETA: Advertised("100", "3")}, job()), (why, DEFAULT), "what the collector has is old")

    def test_a_job_that_waits_for_less_than_its_well_machine_takes_to_tell_of_itself_stays_there(self):
        hasty = job(patience=60)
        for first in range(0, 300, 50):
            for every, is_known in ((300, True), (300, False), (330, True), (330, False)):
                def told(now, late=first, every=every, is_known=is_known):
                    return {BETA: Advertised("100", str((now - late) // every))} if is_known or now >= late else {}

                self.assertIsNone(self.taken(settled(), told, hasty, 330.0), (first, every, is_known))
        why, when = self.taken(settled(), lambda _: {}, hasty, 330.0)
        self.assertEqual((why.partition("within ")[2].partition(",")[0], when), ("5.5 minutes", 330))

    def test_an_id_of_an_hour_that_changes_between_two_answers_tells_of_no_start(self):
        for age, silent, later, doubts in ((3600, (), 5, (False, False)), (4500, (), 9, (False, False)), (3000, (), 5, (True, True)), (3600, (5,), 10, (True, True)),
                                           (3600, (), 25, (True, False))):
            watch = Watch()
            for second, boot, met in ((0, "a", age), *((second, None, 0) for second in silent), (later, "b", 0.5)):
                look(watch, 10000.0 + second, {BETA: boot}, met=met)
            self.assertEqual((bool(watch.doubted), watch.is_urgent(10000.0 + later)), doubts, (age, silent, later))

    def test_a_queue_with_jobs_on_a_hundred_machines_asks_nobody_while_all_is_well(self):
        watch, asked, addresses = Watch(), 0, [f"10.128.1.{number}" for number in range(100)]
        # What each agrees on anew with this machine every hour began at another second.
        for now in range(10000, 10000 + 2 * 3600, 6):
            proved = {address: divmod(now + 37.3 * number, 3600.4) for number, address in enumerate(addresses)}
            boots = {address: Boot(str(times), met) for address, (times, met) in proved.items()}
            watch.look(now, dict.fromkeys(addresses, 20000.0 if now > 10000 else 0.0), boots, True)
            asked += not watch.is_calm
        self.assertEqual(asked, 0)

    def test_a_machine_that_stays_away_is_given_up_in_time_by_a_queue_whose_looks_take_long(self):
        watch = settled()
        now = after(watch, DEFAULT, {BETA: None}, step=40.0)
        self.assertEqual(watch.lost(now, [job()], {}), [])
        look(watch, now + 40, {BETA: None})
        self.assertEqual(len(watch.lost(now + 40, [job()], {})), 1)

    def test_of_machines_that_are_there_at_the_start_those_are_doubted_that_were_met_after_their_job_began(self):
        for met, doubted in ((59.0, True), (61.0, False)):
            watch = Watch()
            look(watch, 0.0, {BETA: "a"}, age=60.0, met=met)
            self.assertEqual(bool(watch.doubted), doubted)

    def test_the_jobs_of_a_machine_that_was_put_out_of_the_pool_are_taken_back_at_once(self):
        watch = settled()
        jobs = [job("1.0"), job("2.0", "gamma", GAMMA)]
        [(taken, why)] = watch.lost(1.0, jobs, {}, {BETA})
        self.assertEqual((taken.number, why), ("1.0", "beta was put out of the pool, so the job runs again elsewhere"))

    def test_a_machine_that_gave_a_claim_with_another_s_address_says_nothing_of_that_one_s_jobs(self):
        watch, mine, liar = settled(), job("1.0", "beta.p.internal"), job("2.0", "gamma.p.internal", BETA, birth="99")
        self.assertTrue(watch.is_there(liar), "nothing tells the name of who has the address")
        watch.look(5.0, {BETA: 60.0}, {BETA: Boot("b", 1.0, "beta")}, True)
        self.assertEqual([True, False, True], [watch.is_there(one) for one in (mine, liar, job("3.0", "gamma.p.internal", GAMMA))])
        self.assertEqual([], watch.lost(5.0, [mine, liar], {BETA: Advertised("100", "3")}))
        [(taken, _)] = watch.lost(10.0, [mine, liar], {BETA: Advertised("200", "4")})
        self.assertEqual("1.0", taken.number)

    def test_machines_without_jobs_of_ours_are_forgotten(self):
        watch = settled()
        after(watch, 300, {BETA: None})
        look(watch, 400.0, {})
        look(watch, 405.0, {BETA: None})
        self.assertTrue(watch.is_calm)


class Setting(unittest.TestCase):
    """[jobs] patience of pool.conf."""

    def patience(self, **changes):
        """For how many seconds the program has jobs wait that say nothing of it."""
        said = []
        gone = types.SimpleNamespace(look=lambda: None, lost=[], machines={}, parted=set(), running={})
        doubts = types.SimpleNamespace(look=lambda *_: None, is_calm=False, doubted={BETA}, is_urgent=lambda _: True, lost=lambda *_: [])
        with mock.patch.object(keeper.facts, "read", lambda: samples.pool(**changes)), mock.patch.object(keeper, "Shadows", lambda: gone), \
                mock.patch.object(keeper, "Watch", lambda: doubts), mock.patch.object(queue, "release"), mock.patch.object(queue, "placed", lambda default: said.append(default) or []), \
                mock.patch.object(overlay, "boots", lambda _: {}), mock.patch.object(overlay, "reaches_anybody", lambda: True), \
                mock.patch.object(runs.Runs, "round"), mock.patch.object(keeper.pausing.Pausing, "round"), mock.patch.object(keeper.limiting.Limiting, "round"), \
                mock.patch.object(keeper.page.Keeper, "round"), mock.patch.object(keeper.refused.Refusing, "round"), \
                mock.patch.object(keeper.lapsed.Lapsed, "round") as looked, \
                mock.patch.object(keeper.counter.Counter, "round"), mock.patch.object(keeper.signal, "signal"), \
                mock.patch.object(keeper.signal, "pthread_sigmask"), mock.patch.object(keeper, "rest", side_effect=InterruptedError), self.assertRaises(InterruptedError):
            keeper.main()
        looked.assert_called_once()
        return said

    def test_jobs_wait_for_as_long_as_pool_conf_says(self):
        self.assertEqual(self.patience(), [900.0])
        self.assertEqual(self.patience(jobs__patience="2.5"), [150.0])


class QueueTests(unittest.TestCase):
    """What HTCondor's tools print, and whom to end."""

    def test_a_running_job_is_read_of_its_ad(self):
        read = queue.parse(RUNNING, 900)
        self.assertEqual((read.number, read.host, read.address, read.birth, read.patience), ("12.3", "beta.p.internal", BETA, "1795550599", 900))
        for said, seconds in ((2.5, 150), (3, 180), ("/Expr(1 + 1)/", 900), (True, 900), ([5], 900)):
            self.assertEqual(queue.parse({**RUNNING, "WowPatience": said}, 900).patience, seconds, said)

    def test_a_job_that_somebody_stopped_while_its_shadow_waits_is_on_its_machine_and_does_not_run_there(self):
        for state, runs in ((1, False), (2, True), (3, False), (5, False), (6, True), (7, True)):
            self.assertEqual(queue.parse({**RUNNING, "JobStatus": state}, 900).runs, runs, state)
        with mock.patch("wow.lib.system.run", return_value=(0, "[]")) as run:
            queue.placed(900)
        said = run.call_args.args[0]
        self.assertEqual(said[said.index("-constraint") + 1], "(JobStatus == 2 || JobStatus == 6 || JobStatus == 7 || CurrentHosts > 0 && JobStatus != 4)"
                         " && !(JobStatus == 5 && HoldReasonSubCode =?= 5757)")

    def test_what_a_person_writes_into_a_job_is_that_jobs_alone(self):
        forged = "5\n1 0 <10.128.0.3:9618>#100#1#... slot1@gamma 0.5"
        said = json.dumps([{**RUNNING, "WowPatience": forged}, {**RUNNING, "ClusterId": 1, "ProcId": 0}], indent=2)
        with mock.patch("wow.lib.system.run", lambda command, timeout: (0, said)):
            self.assertEqual([("12.3", 900), ("1.0", 900)], [(one.number, one.patience) for one in queue.placed(900)])

    def test_a_job_is_held_only_while_it_runs_by_the_claim_that_was_seen(self):
        self.assertEqual(queue.same_run(job("12.3")), '(ClusterId == 12 && ProcId == 3 && PublicClaimId == "<10.128.0.2:9618>#100#12.3#...")')

    def test_what_has_no_claim_is_none(self):
        for change in ({"PublicClaimId": None}, {"PublicClaimId": "<10.128.0.2:9618>"}, {"PublicClaimId": "x#1#2"}, {"PublicClaimId": '<x"y>#1#2'}, {"RemoteHost": 5},
                       {"ClusterId": "12"}, {"ProcId": None}):
            self.assertIsNone(queue.parse({**RUNNING, **change}, DEFAULT), change)
        self.assertIsNone(queue.parse({}, DEFAULT))

    def test_the_ad_that_was_heard_last_speaks_for_a_machine(self):
        found = [startd("beta", 200, 1010), startd("beta", 100, 1000), {}, startd("gamma", 7, None)]
        self.assertEqual({host: (ad.birth, ad.heard) for host, ad in queue.newest(found).items()}, {"beta": ("200", "1010")})
        self.assertEqual({BETA: "200"}, self.advertised(found))

    def test_what_a_startd_tells_of_its_claims_is_that_of_all_its_slots(self):
        whole, at_work = startd("beta", 100, 1010), {**startd("beta", 100, 1000), "State": "Claimed", "PublicClaimId": "<a>#1#2#..."}
        other = {**startd("gamma", 100, 1000), "State": "Claimed", "PublicClaimId": "<b>#1#2#..."}
        self.assertEqual(queue.newest([whole, at_work, other])["beta"].claims, {"<a>#1#2#..."})
        self.assertEqual(queue.newest([{**whole, "State": "Unclaimed"}])["beta"].claims, set())
        for state in queue.AT_WORK:
            self.assertIsNone(queue.newest([whole, at_work, {**whole, "State": state}])["beta"].claims)

    def test_a_collector_that_does_not_answer_is_none_that_has_no_ad(self):
        for told, found in (((0, ""), {}), ((1, "Error: communication error"), None), ((system.TIMED_OUT, ""), None)):
            with mock.patch.object(queue.collector, "ask", lambda words, timeout, told=told: told):
                self.assertEqual(queue.advertised([job()]), found)

    def test_a_machine_does_not_say_of_another_that_it_was_started_anew(self):
        self.assertEqual({GAMMA: "7"}, self.advertised([startd("gamma", 7, 1000), startd("beta", "1\ngamma 999 2000", 2000)]))

    def advertised(self, found):
        """{address: birth} of two jobs' machines, where the collector has these ads."""
        with mock.patch("wow.lib.system.run", return_value=(0, json.dumps(found, indent=2))) as run:
            told = queue.advertised([job(), job("2.0", "gamma", GAMMA)])
        asked = run.call_args.args[0]
        self.assertEqual(asked[asked.index("-constraint") + 1], 'Machine == "beta" || Machine == "gamma"')
        return {address: ad.birth for address, ad in told.items()}

    def test_what_is_on_hold_is_released_and_a_queue_that_does_not_answer_does_not_say_that_nothing_is(self):
        for held, is_none, tools in (((0, "12\n"), False, ["condor_q", "condor_release"]), ((0, ""), True, ["condor_q"]),
                                     ((1, "-- Failed to fetch ads"), False, ["condor_q"])):
            with mock.patch("wow.lib.system.run", side_effect=lambda command, timeout, held=held: held if command[0] == "condor_q" else (1, "")) as run:
                self.assertEqual(queue.release(), is_none, held)
            self.assertEqual([call.args[0][0] for call in run.call_args_list], tools)

    def ended(self, found, every, lost=1, queue_says=(), history_says=()):
        """(which shadows are ended, which are waited for) when the first of all jobs that run are taken back; what HTCondor's tools tell of jobs that have ended."""
        def run(command, timeout):
            self.asked.append(command)
            said = {"condor_q": queue_says, "condor_history": history_says}.get(command[0], ())
            return 0, json.dumps([{"ClusterId": int(number.split(".")[0]), "ProcId": int(number.split(".")[1]), "LastPublicClaimId": of} for number, of in said])

        self.asked = []
        with mock.patch("wow.lib.system.run", run), mock.patch("os.kill") as kill:
            waited = queue.take_back([(one, "gone") for one in every[:lost]], every, found)
        return {call.args[0] for call in kill.call_args_list}, waited

    def test_a_shadow_is_ended_for_its_job_alone(self):
        jobs = [job("1.0"), job("2.0"), job("3.0", address=GAMMA)]
        self.assertEqual(self.ended({7: at("1.0"), 8: at("2.0"), 9: at("3.0", GAMMA)}, jobs), ({7}, {7}))
        self.assertEqual([command[0] for command in self.asked], ["condor_hold"], "each was started for a job that runs")

    def test_of_a_job_that_was_removed_or_held_the_shadow_alone_is_ended_for_the_schedd_does_the_rest(self):
        stopped, goes_on = job("1.0", runs=False), job("2.0")
        with mock.patch("builtins.print") as told:
            self.assertEqual(self.ended({7: at("1.0"), 8: at("2.0")}, [stopped, goes_on]), ({7}, {7}))
            self.assertEqual((self.asked, told.call_args.args[0].partition(":")[0]), ([], "1.0"))
            self.assertEqual(self.ended({7: at("1.0"), 8: at("2.0")}, [stopped, goes_on], lost=2), ({7, 8}, {7, 8}))
        [held] = self.asked
        self.assertEqual(held[held.index("-constraint") + 1], queue.same_run(goes_on))

    def test_a_job_that_was_removed_keeps_no_shadow_that_may_be_its_from_its_end(self):
        with mock.patch("builtins.print"):
            self.assertEqual(self.ended({7: at("9.0")}, [job("1.0"), job("2.0", runs=False)]), ({7}, {7}))

    def test_a_shadow_that_was_handed_another_job_is_known_by_the_claim_of_its_first_one(self):
        jobs, found = [job("1.0"), job("2.0")], {7: at("9.0", ""), 8: at("9.1"), 9: at("9.2")}
        found[6] = at("2.0")
        told = {"queue_says": [("9.1", claim("2.0"))], "history_says": [("9.0", claim("1.0")), ("9.2", claim("9.2")), ("9.3", claim("1.0"))]}
        self.assertEqual(self.ended(found, jobs, **told), ({7}, {7}), "8 has the job that stays, and 9 is between two")
        self.assertEqual(found[7].address, BETA, "which nothing else told")
        self.assertEqual([command[:5] for command in self.asked[1:]], [
            ["condor_q", "-allusers", "-limit", "3", "-constraint"],
            ["condor_history", "-limit", "2", "-constraint", "JobStatus == 4 && (ClusterId == 9 && ProcId == 0 || ClusterId == 9 && ProcId == 2)"]])
        self.assertEqual(self.ended(found, jobs), ({7}, {7}))
        self.assertEqual(len(self.asked), 1, "what is known is not asked again")

    def test_a_shadow_of_which_nothing_is_told_is_waited_for_and_ended_when_no_job_stays_there_that_may_be_its(self):
        jobs = [job("1.0"), job("2.0"), job("3.0", address=GAMMA)]
        self.assertEqual(self.ended({7: at("9.0"), 8: at("9.1", GAMMA)}, jobs), (set(), {7}))
        self.assertEqual(self.ended({7: at("9.0"), 8: at("2.0")}, jobs), ({7}, {7}), "the one that stays has a shadow")
        self.assertEqual(self.ended({7: at("9.0"), 8: at("9.1", GAMMA)}, [jobs[0], jobs[2]]), ({7}, {7}))

    def test_a_shadow_whose_job_is_just_about_to_run_is_asked_for_again(self):
        one = shadows.Shadow("1.0", "", queue.YOUNG - 1)
        with mock.patch("wow.lib.system.run", lambda command, timeout: (0, "")):
            for every, known in (([job("2.0")], None), ([job("1.0")], claim("1.0"))):
                queue.learn([one], every)
                self.assertEqual(one.claim, known)

    def test_a_queue_that_does_not_answer_is_asked_again(self):
        one = at("9.0", "")
        for told, is_known in (((1, ""), False), ((0, json.dumps([{"ClusterId": 9, "ProcId": 0, "LastPublicClaimId": claim("1.0")}])), True)):
            with mock.patch("wow.lib.system.run", lambda command, timeout, told=told: told):
                self.assertEqual(queue.find([one]), is_known)
            self.assertEqual((one.claim, one.address), (claim("1.0"), BETA) if is_known else (None, ""))

    def test_a_history_that_does_not_answer_is_asked_again(self):
        one, ended = at("9.0", ""), json.dumps([{"ClusterId": 9, "ProcId": 0, "LastPublicClaimId": claim("1.0")}])
        for code, said, known in ((system.TIMED_OUT, "", None), (0, ended, claim("1.0"))):
            with mock.patch("wow.lib.system.run", lambda command, timeout, told=(code, said): told if command[0] == "condor_history" else (0, "")):
                self.assertEqual(queue.learn([one], [job("2.0")]), code == 0)
            self.assertEqual(one.claim, known)

    def test_what_is_no_job_s_that_runs_is_not_asked_again_where_no_job_runs(self):
        one = at("9.0", "")
        with mock.patch("wow.lib.system.run", lambda command, timeout: (0, "")):
            self.assertTrue(queue.find([one]))
        self.assertEqual(one.claim, "")

    def test_thousands_of_jobs_are_asked_for_and_taken_back_in_lots_that_a_program_takes(self):
        jobs = [job(f"{number}.0") for number in range(100000, 103000)]
        found = {number: at(f"9{number}.0") for number in range(100000, 104000)}
        with mock.patch("builtins.print"):
            self.ended(found, jobs, lost=len(jobs))
        for tool in ("condor_hold", "condor_q", "condor_history"):
            asked = [command[command.index("-constraint") + 1] for command in self.asked if command[0] == tool]
            self.assertGreater(len(asked), 1)
            self.assertLess(max(map(len, asked)), 128 << 10)
            self.assertEqual(sum(one.count("ClusterId ==") for one in asked), len(jobs) if tool == "condor_hold" else len(found))

    def test_a_tool_that_cannot_be_started_keeps_no_shadow_of_a_job_on_hold_from_its_end(self):
        def run(command, timeout):
            if command[0] == "condor_history":
                raise WowError("cannot be started: Cannot allocate memory", "", command[0])
            return 0, ""

        with mock.patch("wow.lib.system.run", run), mock.patch("os.kill") as kill, mock.patch("builtins.print"):
            self.assertEqual(queue.take_back([(job("1.0"), "gone")], [job("1.0")], {7: at("1.0"), 8: at("9.0", GAMMA)}), {7})
        self.assertEqual([call.args[0] for call in kill.call_args_list], [7])
