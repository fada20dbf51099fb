"""wow why and wow jobs: what they say, from facts of a real pool of HTCondor 23.9.6 (queue_facts.json) and what else may be."""
import copy
import json
import pathlib
import re
import unittest
from unittest import mock

import ads
import samples  # noqa: F401  makes the node's modules importable

from wow import dispatch
from wow.condor import held
from wow.lib import system, table
from wow.lib.errors import WowError
from wow.verbs import jobs as jobs_verb
from wow.verbs import why as why_verb
from wow.why import clauses, decide, explain, gather, matching, words
from wow.why.explain import Explained

KEPT = json.loads((pathlib.Path(__file__).resolve().parent / "queue_facts.json").read_text(encoding="utf-8"))
POOL = KEPT["pool"]
JOBS = {one["job"]["number"]: one for one in KEPT["jobs"]}
ONE, BUSY, SECOND, RUNS, HELD_INPUT, HELD_SUBMITTED = "3.0", "15.0", "15.1", "11.0", "12.0", "13.0"


def answer(number, pool=None, machines=None, ahead=None, **changes):
    """The answer for a job of the real pool with something else."""
    kept = copy.deepcopy(JOBS[number])
    match = kept["match"]
    if machines is not None and match:
        for at, change in enumerate(machines):
            match["machines"][at].update(change)
    return decide.decide({**kept["job"], **changes}, {**POOL, **(pool or {})}, match, kept["ahead"] if ahead is None else ahead)


def said(number):
    """(code, sentence) of a job as it was in the real pool."""
    found = answer(number)
    return found.code, found.sentence()


class StrangerTests(unittest.TestCase):
    """What other people's machines say."""

    def test_what_a_terminal_obeys_is_not_shown(self):
        self.assertEqual(table.printable("\x1b]52;c;x\x07 a\u2028b\nc"), "?]52;c;x? a b c")

    def test_a_program_that_says_too_much_is_ended_soon(self):
        code, said = system.run(["yes", "x" * 1000], timeout=60.0, most=1 << 20)
        self.assertEqual(code, system.TIMED_OUT)
        self.assertLess(len(said), 2 << 20)


class RealPool(unittest.TestCase):
    """Two machines, alpha and beta, of 23.4 GB and two processors each; alice's job has all of beta."""

    def test_what_no_machine_has_enough_of_is_said_with_the_largest_there_is_and_which_line_to_change(self):
        self.assertEqual(said(ONE), ("too-much", "No machine has 64 GB of memory; the largest has 23.4 GB, on alpha. Lower request_memory."))
        self.assertEqual(said("4.0"), ("too-much", "No machine has 999 processors; the largest has 2, on alpha. Lower request_cpus."))
        self.assertEqual(said("6.0"), ("too-much", "No machine has 1 GPU; none has any. Lower request_gpus."))

    def test_the_largest_is_the_one_that_has_most(self):
        found = answer(ONE, machines=[{}, {"offers": {"Memory": 30000, "Disk": 1, "Cpus": 1, "GPUs": 0}}])
        self.assertIn("the largest has 29.3 GB, on beta", found.text)

    def test_requirements_that_nobody_meets_are_named_with_what_there_is(self):
        self.assertEqual(said("7.0"), ("no-such-machine", "Its requirements name the machine gone.pool.internal, which is not in the pool now. "
                                       "Look who is there with: condor_status -compact."))
        self.assertEqual(said("8.0"), ("requirement", 'No machine meets `TARGET.OpSys == "WINDOWS"` of its requirements; what there is: LINUX. Change the requirements.'))

    def test_conditions_that_meet_nowhere_are_named_together_with_how_many_machines_meet_each(self):
        code, text = said("9.0")
        self.assertEqual(code, "nowhere-together")
        self.assertIn('at once: `TARGET.Machine == "beta.pool.internal"` (1 of 2); `regexp("^alpha",TARGET.Machine)` (1 of 2).', text)

    def test_a_busy_machine_is_told_with_whose_jobs_and_whose_turn_it_is(self):
        code, text = said(BUSY)
        self.assertEqual((code, text), ("busy", "One machine (beta) would do, and it is busy with jobs of alice@alpha (1). Its turn is next."))
        self.assertIn("Its turn is next, after 1 other job of the same person.", said(SECOND)[1])
        users = [{"name": "carol@beta.pool.internal", "priority": 600.0, "waiting": 1, "running": 0}, {"name": "bob@alpha.pool.internal", "priority": 900.0, "waiting": 2, "running": 0},
                 {"name": "dan@beta.pool.internal", "priority": 950.0, "waiting": 1, "running": 0}]
        self.assertIn("First comes carol@beta, who used the pool less lately, then this one.", answer(BUSY, {"users": users}).text)

    def test_a_job_that_runs_says_where_and_one_that_is_held_what_to_do(self):
        self.assertIn("It has run on beta for", said(RUNS)[1])
        code, text = said(HELD_INPUT)
        self.assertEqual(code, "held")
        self.assertIn("reading from file /nonexistent/data: (errno 2) No such file or directory (since", text)
        self.assertIn("Look whether the files of transfer_input_files are there and yours to read, then condor_release 12.0.", text)
        self.assertIn("Let it go on when you want: condor_release 13.0.", said(HELD_SUBMITTED)[1])


class Decisions(unittest.TestCase):
    """What the real pool was not."""

    def test_who_does_not_answer_is_said_before_anything_is_claimed_of_machines(self):
        waits = JOBS[ONE]["job"]
        self.assertEqual(decide.decide(waits, None, None).code, "manager-silent")
        self.assertEqual(decide.decide(waits, POOL, {"conditions": [], "machines": [], "values": {}}).code, "no-machine")
        self.assertEqual(answer(BUSY, {"negotiator_s": None}).code, "negotiator-silent")
        found = answer(BUSY, {"negotiator_s": 7200.0})
        self.assertEqual(found.code, "negotiator-silent")
        self.assertIn("was not heard for 2 h", found.text)
        self.assertEqual(answer(BUSY, {"knows_queue": False}).code, "queue-unknown")

    def test_what_is_missing_is_said_even_where_the_negotiator_is_silent(self):
        self.assertEqual(answer(ONE, {"negotiator_s": None}).code, "too-much")

    def test_free_machines_mean_seconds_or_a_reason(self):
        free = [{}, {"free": True}]
        self.assertEqual(answer(BUSY, machines=free, since=5.0).code, "starting")
        found = answer(BUSY, machines=free, since=120.0, rejected="submitter limit exceeded")
        self.assertEqual(found.code, "passed-over")
        self.assertIn("One machine (beta) would do and is free, but the negotiator passed it over: submitter limit exceeded.", found.text)
        self.assertEqual(answer(BUSY, machines=free, since=120.0, rejected="").code, "not-looked-at")

    def test_what_condor_submit_added_is_explained_by_the_line_that_it_comes_from(self):
        for text, line in (('stringListIMember("https",TARGET.HasFileTransferPluginMethods)', "list it in transfer_input_files"),
                           ("TARGET.HasContainer", "Leave container_image"), ('TARGET.Arch == "AARCH64"', 'requirements = TARGET.Arch == "X86_64"'),
                           ("TARGET.HasDockerURL", "Leave container_image"), ("TARGET.HasDocker", "(docker_image)")):
            kept = copy.deepcopy(JOBS[BUSY]["match"])
            kept["conditions"].append({"text": text, "of": "job", "resource": "", "wanted": None})
            found = words.unmet({**kept, "machines": [{**one, "met": [*one["met"], False]} for one in kept["machines"]]})
            self.assertIn(line, found.todo, text)
            self.assertNotIn(text, found.sentence())

    def test_machines_that_refuse_by_their_own_rules_or_are_drained(self):
        kept = copy.deepcopy(JOBS[BUSY]["match"])
        start = next(at for at, one in enumerate(kept["conditions"]) if one["of"] == "machine")
        found = answer(BUSY, machines=[{"met": [at != start for at in range(len(kept["conditions"]))]}] * 2)
        self.assertEqual((found.code, found.text), ("refused", "2 machines have what it wants, but by their own rules they take no such job now (`(NumDynamicSlots ?: 0) < 128`)."))
        found = answer(BUSY, machines=[{"met": [one and at != start for at, one in enumerate(machine["met"])]} for machine in kept["machines"]])
        self.assertIn("One machine has what it wants, but by its own rules it takes no such job", found.text)
        kept["conditions"][start]["text"] = "START"
        met = [at != start for at in range(len(kept["conditions"]))]
        self.assertIn("(START is false)", words.unmet({**kept, "machines": [{**machine, "met": met} for machine in kept["machines"]]}).text)
        self.assertEqual(answer(BUSY, machines=[{}, {"draining": True}]).code, "draining")

    def test_of_machines_that_are_drained_paused_and_busy_each_is_told_as_what_it_is(self):
        able = copy.deepcopy(JOBS[BUSY]["match"]["machines"][1])
        draining, paused, busy = ({**able, "host": name, "draining": name == "d", "paused": name == "p"} for name in "dpb")
        kept = {**JOBS[BUSY]["match"], "machines": [draining, paused]}
        found = decide.decide(JOBS[BUSY]["job"], POOL, kept)
        self.assertEqual((found.code, found.text), ("draining", "One machine (d) would do, but it takes no new jobs for now (draining); 1 more is paused by its owner."))
        found = decide.decide(JOBS[BUSY]["job"], POOL, {**kept, "machines": [draining, paused, busy]})
        self.assertEqual(found.code, "busy")
        self.assertIn("One machine (b) would do, and it is busy", found.text)
        self.assertIn("; 1 more is paused by its owner; 1 more takes no new jobs for now (draining). ", found.text)

    def test_of_many_machines_and_users_a_few_are_named(self):
        kept = copy.deepcopy(JOBS[BUSY]["match"])
        beta = kept["machines"][1]
        kept["machines"] = [{**beta, "host": f"h{number}", "users": [f"u{number}@h.pool.internal", "u0@h.pool.internal"]} for number in range(6)]
        text = decide.decide(JOBS[BUSY]["job"], POOL, kept).text
        self.assertIn("6 machines would do, and all are busy with jobs of u0@h (7), u1@h (1), u2@h (1) and 3 others.", text)

    def test_each_state_and_universe_has_an_answer(self):
        for status, code in ((2, "running"), (3, "removed"), (4, "ended"), (5, "held"), (6, "transferring"), (7, "suspended"), (9, "unknown")):
            self.assertEqual(answer(RUNS, status=status).code, code)
        self.assertIn("It ended 5 s ago with exit code 7 on beta.", answer(RUNS, status=4, since=5.0, exit="with exit code 7").text)
        self.assertIn("via condor_rm", answer(RUNS, status=3, reason="via condor_rm (by user alice)").text)
        self.assertEqual(answer(ONE, universe=11).code, "other-universe")

    def test_a_hold_for_too_little_disk_or_memory_says_how_to_give_more(self):
        for subcode, word in ((104, "RequestDisk KILOBYTES"), (102, "RequestMemory MEGABYTES")):
            for code in (21, 26, 34):
                self.assertIn(f"condor_qedit 5.0 {word}", held.todo(code, subcode, "5.0"))
        self.assertIn("condor_release 5.0", held.todo(9999, 0, "5.0"))
        for code in held.REMEDIES:
            self.assertFalse(held.todo(code, 0, "5.0").endswith("."), code)

    def test_a_hold_for_a_file_that_was_not_there_at_an_eviction_names_that_line(self):
        found = decide.placed({**JOBS[HELD_INPUT]["job"], "code": 12, "subcode": 2})
        self.assertIn("transfer_output_files, all of them before it was sent away (when_to_transfer_output = ON_EXIT_OR_EVICT)", found.todo)

    def test_amounts_are_what_people_write(self):
        self.assertEqual([words.amount("Memory", value) for value in (512, 1024, 3700, 65536)], ["512 MB", "1 GB", "3.6 GB", "64 GB"])
        self.assertEqual([words.amount("Disk", value) for value in (45, 2048, 966367641600)], ["45 kB", "2 MB", "900 TB"])


class Clauses(unittest.TestCase):
    def test_real_requirements_are_taken_apart(self):
        text = ('(TARGET.Machine == "a&&b(") && (TARGET.Disk >= RequestDisk) && ((TARGET.FileSystemDomain == MY.FileSystemDomain) || (TARGET.HasFileTransfer))')
        self.assertEqual(clauses.split(text), ['TARGET.Machine == "a&&b("', "TARGET.Disk >= RequestDisk",
                                               "(TARGET.FileSystemDomain == MY.FileSystemDomain) || (TARGET.HasFileTransfer)"])

    def test_what_is_no_conjunction_stays_whole(self):
        for text in ("a || b && c", "a ? b : c && d", "x ?: y && z", "a", "f(a && b)", "{a && b}[0]", '"a && b" == c'):
            self.assertEqual(clauses.split(text), [text])
        for text in ("", "  ", "()"):
            self.assertEqual(clauses.split(text), [])

    def test_comparisons_with_a_question_mark_are_no_choices(self):
        self.assertEqual(clauses.split("(a =?= b && c =!= d) && ((e))"), ["a =?= b", "c =!= d", "e"])
        deep = "(a && " * 500 + "b" + ")" * 500
        self.assertEqual(clauses.DEEPEST + 1, len(clauses.split(deep)))
        self.assertEqual(clauses.split(r'Name == "a\"&&" && b'), [r'Name == "a\"&&"', "b"])

    def test_a_machine_s_rules_are_taken_apart_by_the_names_that_they_use(self):
        with ads.classad2():
            found = matching.rules(gather.classads.parse(ads.SLOT)[0])
        self.assertEqual(found[0], "(NumDynamicSlots ?: 0) < 128")
        self.assertIn("TARGET.RequestMemory <= MY.Memory", found)
        self.assertEqual(len(found), 8)

    def test_however_many_rules_a_machine_has_none_is_left_out(self):
        def atoms(name, count, *more):
            return " && ".join([*(f"{name}{at} > 0" for at in range(count)), *more])

        for lines in ({"Requirements": atoms("a", 250)}, {"Requirements": atoms("a", 60, "Start", "z > 1"), "Start": atoms("b", 60)},
                      {"Requirements": "Start && Other", "Start": atoms("b", 99), "Other": atoms("c", 99)}, {"Requirements": atoms("a", matching.MOST_RULES)}):
            text = "\n".join(f"{name} = {value}" for name, value in lines.items())
            with ads.classad2():
                found = matching.rules(gather.classads.parse(ads.printed('MyType = "Machine"\n' + text))[0])
            self.assertLessEqual(len(found), matching.MOST_RULES)
            whole, tried = " && ".join(lines.values()), " && ".join(found)
            for atom in re.findall(r"[a-z]\d* > \d", whole):
                self.assertTrue(re.search(rf"\b{atom}\b", tried), f"{atom} is left out of {found[-1]}")

    def test_a_liar_s_ads_and_rules_are_counted(self):
        machine = 'MyType = "Machine"\nMachine = "{}.pool.internal"\nRequirements = a > {} && b > {}\n'
        with ads.classad2(), mock.patch.object(matching, "tried", lambda job, ad, every, conditions: [key[1] for key in conditions]), \
                mock.patch.object(matching, "MOST_TOLD", 5):
            [job] = gather.classads.parse(ads.JOB)
            pool = gather.classads.parse("".join(ads.printed(machine.format("liar", at, at)) for at in range(200)) + ads.printed(machine.format("beta", 0, 1)))
            found = matching.match(job, pool)
        self.assertEqual(len(found["machines"]), matching.MOST_SLOTS + 1)
        self.assertEqual(found["machines"][:3], [["a > 0", "b > 0"], ["a > 1", "b > 1"], ["Requirements"]])
        self.assertEqual(found["machines"][-1], ["a > 0", "b > 1"], "both are told of others")
        self.assertEqual(len(found["conditions"]), 5)

    def test_an_ad_that_somebody_spoilt_says_nothing(self):
        class Spoilt:
            def __init__(self, error):
                self.error = error

            def eval(self, *_):
                raise self.error

        for error in (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid"), RuntimeError("failed to evaluate expression"), SystemError("lost")):
            self.assertEqual((gather.classads.value(Spoilt(error), "State"), gather.classads.text(Spoilt(error), "State")), (None, ""))
            with ads.classad2():
                condition = gather.classads.Condition("true")
            condition._tree = Spoilt(error)
            self.assertFalse(condition.holds(None, None))
        with ads.classad2():
            [ad] = gather.classads.parse(ads.printed(f'Name = "{"x" * 9000}"\nMemory = 1e19\nDisk = 5'))
            self.assertEqual((len(gather.classads.text(ad, "Name")), gather.classads.number(ad, "Memory"), gather.classads.number(ad, "Disk")), (500, None, 5))

    def test_a_rule_is_shown_in_few_letters_and_without_what_a_terminal_obeys(self):
        self.assertEqual("`a > 0`", words.quoted("a > 0"))
        self.assertEqual("`?[2J`", words.quoted("\x1b[2J"))
        self.assertLess(len(words.quoted("a && " * 10000)), 300)


class Gathering(unittest.TestCase):
    """From the text of HTCondor's tools."""

    def setUp(self):
        module = ads.classad2()
        module.start()
        self.addCleanup(module.stop)

    def test_the_manager_s_ads_give_whose_turn_it_is_and_who_was_heard(self):
        found = gather.summary(gather.classads.parse(ads.POOL), now=1795564300)
        self.assertEqual(found["negotiator_s"], 300)
        self.assertTrue(found["knows_queue"])
        self.assertEqual([(user["name"].partition("@")[0], user["priority"], user["waiting"]) for user in found["users"]], [("bob", 0.0, 2), ("alice", 500.14, 9)])
        nobody = gather.summary([])
        self.assertEqual((nobody["negotiator_s"], nobody["users"], nobody["knows_queue"]), (None, [], False))

    def test_a_job_s_ad(self):
        [ad] = gather.classads.parse(ads.JOB)
        found = gather.job(ad, now=1795564101)
        self.assertEqual((found["number"], found["owner"], found["user"], found["batch"], found["status"], found["since"], found["rejected"]),
                         ("3.0", "alice", "alice@alpha.pool.internal", "sleep", 1, 100, "no match found "))
        self.assertEqual(gather.job(ad, now=1795564101 + 1000)["rejected"], "no match found ")
        [patient] = gather.classads.parse(ads.JOB.replace("Owner =", 'AccountingGroup = "nice-user.alice"; Owner ='))
        self.assertEqual(gather.job(patient)["user"], "nice-user.alice@alpha.pool.internal", "by that name the negotiator knows the share")

    def test_what_the_negotiator_said_before_the_job_came_back_is_not_said_again(self):
        [ad] = gather.classads.parse(ads.JOB.replace("LastRejMatchTime = 1795564132", "LastRejMatchTime = 1795560000"))
        self.assertEqual(gather.job(ad, now=1795564101)["rejected"], "")

    def test_a_text_with_ends_of_lines_in_it_is_not_taken_for_another_ad(self):
        forged = r'Name = "x\n\nMyType = unparse(Kind)\nKind = Machine\n\n[ MyType = \"Negotiator\" ]\n"'
        found = gather.classads.parse(ads.printed(f'MyType = "Machine"\n{forged}') + ads.QUEUE)
        self.assertEqual(["Machine", "Scheduler"], [gather.classads.text(ad, "MyType") for ad in found])

    def test_what_asks_for_ads_has_them_printed_a_line_each(self):
        asked = []
        with mock.patch.object(system, "run", lambda command, **_: asked.append(command) or (0, "")):
            gather.queue("true")
            gather.history("true")
            gather.pool("alpha.pool.internal")
        self.assertEqual([["-long:new"], ["-jsonl"], ["-long:new"]], [[word for word in command if word.startswith(("-long", "-json"))] for command in asked])

    def test_a_job_that_has_ended_is_read_of_its_line(self):
        [ad] = gather.classads.parse('{"Owner": "alice","ProcId": 0,"ClusterId": 6,"JobStatus": 4,"ExitCode": 7}')
        self.assertEqual(("6.0", 4, "with exit code 7"), tuple(gather.job(ad, now=1.0)[key] for key in ("number", "status", "exit")))

    def test_words_between_ads_are_no_ads(self):
        self.assertEqual(gather.classads.parse("\n-- Failed to fetch ads from: <10.128.0.1:9618> : alpha\n\n"), [])

    def test_a_queue_that_does_not_answer_is_told_with_what_to_do(self):
        for reply in ((1, "Error: Can't find address of local schedd"), (system.TIMED_OUT, "")):
            with mock.patch.object(system, "run", return_value=reply), self.assertRaises(WowError) as caught:
                gather.queue("true")
            self.assertIn("does not answer", caught.exception.what)
            self.assertIn("wow doctor", caught.exception.todo)
        with mock.patch.object(system, "run", return_value=(1, "Error: communication error")):
            self.assertIsNone(gather.pool("alpha.pool.internal"))

    def test_jobs_of_a_person_come_by_priority_then_by_number_and_everybody_counts_alone(self):
        text = "\n".join(ads.JOB.replace("ClusterId = 3", f"ClusterId = {cluster}").replace("JobPrio = 0", f"JobPrio = {priority}").replace("alice", user)
                         for cluster, priority, user in ((3, 0, "alice"), (9, 5, "alice"), (4, 0, "alice"), (5, 0, "bob")))
        self.assertEqual(explain.ahead(gather.classads.parse(text)), {"9.0": 0, "3.0": 1, "4.0": 2, "5.0": 0})


class Verbs(unittest.TestCase):
    def test_what_is_no_job_s_number_is_wrong_usage(self):
        for word in ("", "all", "1.x", "-1", "1.2.3", "٣", "1;2", "9" * 30):
            with self.assertRaises(why_verb.UsageError, msg=word):
                why_verb.constraint(word)
        self.assertEqual([why_verb.constraint(word) for word in ("7", "7.02")], ["ClusterId == 7", "ClusterId == 7 && ProcId == 2"])
        with mock.patch("sys.stderr"):
            self.assertEqual(dispatch.main(["why", "1", "2"]), 2)

    def test_without_a_number_it_is_for_those_of_one_s_own_that_wait_or_are_held(self):
        text = "\n".join(ads.JOB.replace("ClusterId = 3", f"ClusterId = {cluster}") for cluster in (3, 9))
        with ads.classad2(), mock.patch.object(system, "run", return_value=(0, text)) as asked, mock.patch.object(why_verb.pwd, "getpwuid") as me, \
                mock.patch.object(gather, "pool", return_value=None), mock.patch("builtins.print") as told:
            me.return_value.pw_name = "alice"
            self.assertEqual(dispatch.main(["why"]), 0)
            self.assertIn('Owner == "alice" && (JobStatus == 1 || JobStatus == 5 || JobStatus == 7)', asked.call_args_list[0].args[0])
            self.assertRegex(told.call_args.args[0], "^Job 3.0 and 1 more waits: The pool's manager does not answer")
            asked.return_value = (0, "")
            self.assertEqual(dispatch.main(["why"]), 0)
            self.assertEqual(told.call_args.args[0], why_verb.NONE)

    def test_where_there_may_be_more_jobs_than_are_looked_at_it_is_said(self):
        some = self.explained(ONE) * gather.MOST
        self.assertEqual(jobs_verb.totals(some[1:]), f"{gather.MOST - 1} jobs: 0 run, {gather.MOST - 1} wait, 0 held")
        self.assertNotIn("condor_q -totals", "\n".join(jobs_verb.lines(some[1:])))
        every = {gather.IDLE: 9960, gather.RUNNING: 0, gather.HELD: 40, gather.REMOVED: 1, gather.ENDED: 0, gather.SUSPENDED: 0}
        *_, totals, more = jobs_verb.lines(some, counts=every)
        self.assertEqual((totals, more), ("10001 jobs: 0 run, 9960 wait, 40 held, 1 other", why_verb.lines(some, "alice")[-1]))
        self.assertIn("condor_q -totals", more)

    def test_one_held_job_is_seen_among_thousands_that_wait_and_all_are_counted(self):
        lots = {gather.LOTS[0]: [5], gather.LOTS[1]: [], gather.LOTS[2]: [1] * gather.MOST, gather.LOTS[3]: []}
        asked = []

        def run(command, timeout):
            asked.append(command)
            if command[0] != "condor_q":
                return 1, ""
            if "-totals" in command:
                return 0, "\nTotal for query: 10007 jobs; 1 completed, 2 removed, 9964 idle, 3 running, 37 held, 0 suspended \n"
            wanted = command[command.index("-constraint") + 1]
            states = next((found for lot, found in lots.items() if f"(Owner == \"alice\") && ({lot})" == wanted), [1] * gather.MOST)
            return 0, "\n".join(f'{{"ClusterId": 12, "ProcId": {number}, "JobStatus": {state}, "Owner": "alice"}}' for number, state in enumerate(states))

        with ads.classad2(), mock.patch.object(system, "run", run), mock.patch.object(jobs_verb.pwd, "getpwuid") as me, mock.patch("builtins.print") as told, \
                mock.patch.object(gather, "pool", return_value=None):
            me.return_value.pw_name = "alice"
            self.assertEqual(dispatch.main(["jobs"]), 0)
        self.assertRegex(told.call_args.args[0], "(?s)12.0 .* is held .*\n10007 jobs: 3 run, 9964 wait, 37 held, 3 other\n")
        self.assertEqual(sum("-long:new" in command for command in asked), 5)

    def test_a_queue_s_count_that_is_none_is_not_told(self):
        for reply in ((1, ""), (0, "Total for query: some"), (system.TIMED_OUT, "")):
            with mock.patch.object(system, "run", return_value=reply):
                self.assertIsNone(gather.counts("true"))

    def test_a_job_of_thousands_is_told_its_own_turn(self):
        counted = "Total for query: 8990 jobs; 0 completed, 0 removed, 8990 idle, 0 running, 0 held, 0 suspended"
        sooner = "JobPrio > -1 || (JobPrio == -1 && (ClusterId < 12 || (ClusterId == 12 && ProcId < 9000)))"
        for said, wanted in ((counted, "after 8990 other jobs of the same person"), ("", "It is one of many jobs")):
            with ads.classad2(), mock.patch.object(system, "run", return_value=(0, said)) as asked, mock.patch.object(explain.Explainer, "_know"):
                [ad] = gather.classads.parse(ads.printed('ClusterId = 12\nProcId = 9000\nJobPrio = -1\nJobStatus = 1\nUser = "alice@alpha.p"'))
                found = gather.ahead(ad)
            self.assertIn(f'User == "alice@alpha.p" && ({sooner})', asked.call_args.args[0][-1])
            self.assertIn(wanted, decide.turn({"user": "alice"}, {"users": []}, found))
        with ads.classad2():
            some = gather.classads.parse(ads.printed("JobStatus = 1")) * gather.MOST
            self.assertEqual(explain.ahead(some), {})

    def test_a_job_that_is_nowhere_is_an_error_that_says_where_jobs_are_known(self):
        with ads.classad2(), mock.patch.object(system, "run", return_value=(0, "")), mock.patch("sys.stderr") as told:
            self.assertEqual(dispatch.main(["why", "99"]), 1)
        self.assertIn("no job 99", "".join(str(call.args) for call in told.write.call_args_list))

    def explained(self, *numbers):
        """Jobs of the real pool with their answers."""
        return [Explained(JOBS[number]["job"], answer(number), JOBS[number]["match"]) for number in numbers]

    def test_jobs_that_are_alike_share_a_line_and_another_person_s_say_whose_they_are(self):
        lines = why_verb.lines(self.explained(ONE, BUSY, SECOND), "alice")
        self.assertEqual([line.partition(":")[0] for line in lines], ["Job 3.0 waits", "Job 15.0 and 1 more of bob waits"])

    def test_jobs_that_ended_otherwise_or_elsewhere_are_not_told_as_one(self):
        def one(number, host, code):
            job = {**JOBS[RUNS]["job"], "number": number, "status": gather.ENDED, "host": host, "exit": f"with exit code {code}"}
            return Explained(job, decide.decide(job, None, None), None)
        lines = why_verb.lines([one("6.0", "alpha", 0), one("6.1", "alpha", 1), one("6.2", "beta", 1), one("6.3", "alpha", 0)], "alice")
        self.assertEqual(len(lines), 2)
        self.assertRegex(lines[0], "^Job 6.0 and 1 more has ended: It ended .* with exit code 0 on alpha")
        self.assertRegex(lines[1], "^Job 6.1 and 1 more has ended, on 2 machines. Of the first: It ended .* with exit code 1 on alpha")
        self.assertIn("condor_q -totals", why_verb.lines([one("6.0", "alpha", 0)] * gather.MOST, "alice")[-1])

    def test_a_program_in_a_deep_folder_has_its_own_name(self):
        with ads.classad2():
            [ad] = gather.classads.parse(ads.printed(f'Cmd = "/{"deep/" * 200}work.sh"\nJobStatus = 1'))
            self.assertEqual(gather.job(ad, now=1.0)["batch"], "work.sh")

    def test_programs_get_how_many_machines_would_do_and_are_free(self):
        facts = [one.facts() for one in self.explained(ONE, BUSY, RUNS)]
        self.assertEqual([one["machines"] for one in facts], [{"in_pool": 2, "would_do": 0, "free": 0}, {"in_pool": 2, "would_do": 1, "free": 0}, None])
        self.assertEqual([(one["job"], one["code"], one["state"], one["host"]) for one in facts],
                         [("3.0", "too-much", "waits", None), ("15.0", "busy", "waits", None), ("11.0", "running", "runs", "beta")])
        self.assertTrue(json.dumps(facts))

    def test_the_table_has_a_line_for_each_batch_and_state_with_what_wants_a_person_first(self):
        lines = jobs_verb.lines(self.explained(ONE, RUNS, HELD_INPUT, BUSY, SECOND), everybody=True)
        self.assertEqual([line.split()[0] for line in lines[:-1]], ["job", "12.0", "11.0", "3.0", "15.0"])
        for at, part in ((1, "is held"), (1, "..."), (2, "beta"), (3, "no machine has 64 GB of memory"), (4, "15.0 +1"), (4, "One machine (beta) would do, busy")):
            self.assertIn(part, lines[at])
        self.assertEqual(lines[-1], "5 jobs: 1 run, 3 wait, 1 held")
        self.assertEqual(jobs_verb.lines([]), ["no jobs"])

    def test_where_many_run_a_few_machines_are_named(self):
        group = [Explained({**JOBS[RUNS]["job"], "host": host}, answer(RUNS), None) for host in ("a", "b", "b", "c", "d", "e")]
        self.assertEqual(jobs_verb.where(group), "b (2), a, c and 2 more")

    def test_watching_ends_when_no_job_is_left_and_asks_the_manager_once_a_minute(self):
        looks = iter([self.explained(ONE)] * (2 * jobs_verb.LOOKS) + [[]])
        with mock.patch.object(jobs_verb, "look", lambda *_: next(looks)), mock.patch.object(jobs_verb.time, "sleep") as slept, mock.patch("builtins.print") as printed, \
                mock.patch.object(jobs_verb.Explainer, "forget") as forgot:
            self.assertEqual(dispatch.main(["jobs", "--watch"]), 0)
        self.assertEqual((slept.call_count, forgot.call_count, printed.call_args.args[0]), (2 * jobs_verb.LOOKS, 2, "no jobs"))


if __name__ == "__main__":
    unittest.main()
