"""What a manager makes of the collector's ads: whose work counts, and which figures are told."""
import json
import pathlib
import re
import unittest

from wow.condor import ads, drop_in
from wow.history import figures
from wow.history.ledger import Ledger, PATIENCE
from wow.jobs import runs
from wow.lib import names

import samples

HOSTILE = ["<script>alert(1)</script>", 'a"} 1\nwow_pool_slots{state="x', "a\nb", "\\", '"', "[ x = 1; ]", 'strcat("a","b")', "\x00\x1b[31m", "ünï", "a" * 100_000, "",
           "(others)", "$(reboot)", "a|b;c", "../..", {"x": 1}, ["y"], True, None, 1.5, -1, 10 ** 30]
ALICE = "alice@alpha.p.internal"


def slot(machine="beta", person=ALICE, cores=1, **more):
    """A slot's ad that works for somebody."""
    busy = {"State": "Claimed", "Activity": "Busy", "RemoteOwner": person} if person else {"State": "Unclaimed", "Activity": "Idle"}
    return {"MyType": "Machine", "Name": f"slot1@{machine}.p.internal", "Machine": f"{machine}.p.internal", "Cpus": cores, "WowOwner": "Ada", **busy, **more}


def queue(text, machine="alpha", **more):
    """A queue's ad that tells of its runs."""
    return {"MyType": "Scheduler", "Machine": f"{machine}.p.internal", "WowRuns": text, **more}


def taken(*found):
    """A sample of these ads, as condor_status prints them."""
    return ads.read("[\n" + "\n,\n".join(json.dumps(ad, indent=2) for ad in found) + "\n]\n")


class LedgerTests(unittest.TestCase):
    def setUp(self):
        self.ledger, self.now = Ledger(), 0.0

    def looks(self, *rounds, step=60.0):
        """Sums of (person, project, owner): [core seconds, jobs] of some samples, one a minute."""
        sums = {}
        for found in rounds:
            self.now += step
            for credit in self.ledger.look(self.now, taken(*found)):
                row = sums.setdefault((credit.person, credit.project, credit.owner), [0, 0])
                row[0] += credit.seconds
                row[1] += credit.jobs
        return sums

    def test_what_machine_and_queue_both_say_counts_for_person_project_and_owner(self):
        rounds = [[slot(cores=2), queue(f"1;alice|surge|beta|{120 * number}|1")] for number in range(11)]
        self.assertEqual({("alice@alpha", "surge", "Ada"): [1200, 0]}, self.looks(*rounds))

    def test_a_job_counts_once_and_a_line_that_is_new_counts_whole(self):
        rounds = [[queue("1;")], [slot(), queue("1;")], [slot(), queue("1;alice|-|beta|90|2")], [slot(), queue("1;alice|-|beta|150|3")]]
        self.assertEqual({("alice@alpha", "-", "Ada"): [150, 3]}, self.looks(*rounds))

    def test_what_a_project_of_before_told_too_much_does_not_take_the_next_one_s(self):
        before = [[slot(), queue("1;")], [slot(), queue("1;alice|old|beta|150|1")], [slot(person=None), queue("1;alice|old|beta|150|1")]]
        self.assertEqual({("alice@alpha", "old", "Ada"): [60, 1]}, self.looks(*before))
        after = [[slot(), queue(f"1;alice|old|beta|150|1;alice|surge|beta|{seconds}|1")] for seconds in (60, 120)]
        self.assertEqual({("alice@alpha", "surge", "Ada"): [120, 1]}, self.looks(*after))

    def test_a_machine_that_names_a_person_whose_queue_says_nothing_counts_nothing(self):
        for text in ("1;", None, "1;alice|-|gamma|99999|9"):
            self.setUp()
            self.assertEqual({}, self.looks(*[[slot(cores=64), queue(text)] for _ in range(60)]))
            self.assertGreaterEqual(self.ledger.unconfirmed, 64 * 59 * 60 - 64 * PATIENCE)

    def test_a_machine_that_exaggerates_counts_for_what_the_queue_says(self):
        rounds = [[slot(cores=64), queue(f"1;alice|-|beta|{60 * number}|1")] for number in range(11)]
        self.assertEqual({("alice@alpha", "-", "Ada"): [600, 0]}, self.looks(*rounds))

    def test_a_queue_that_exaggerates_counts_for_what_the_machine_says(self):
        rounds = [[slot(), queue(f"1;alice|-|beta|{10 ** 6 * number}|{10 ** 6 * number}")] for number in range(11)]
        [(seconds, jobs)] = self.looks(*rounds).values()
        self.assertEqual(seconds, 600)
        self.assertLessEqual(jobs, seconds)

    def test_a_queue_speaks_for_its_own_people_alone(self):
        rounds = [[slot(person=ALICE), queue(f"1;alice|-|beta|{60 * number}|1", machine="mallory")] for number in range(11)]
        self.assertEqual({}, self.looks(*rounds))

    def test_what_a_queue_tells_late_counts_all_the_same(self):
        late = [[slot(), queue("1;")] for _ in range(6)] + [[slot(person=None), queue("1;alice|-|beta|300|5")]]
        self.assertEqual({("alice@alpha", "-", "Ada"): [300, 5]}, self.looks(*late))

    def test_what_nobody_confirms_is_forgotten(self):
        self.looks(*[[slot(), queue("1;")] for _ in range(6)], *[[slot(person=None), queue("1;")] for _ in range(20)])
        self.assertEqual({}, self.looks([slot(person=None), queue("1;alice|-|beta|300|5")]))
        self.assertEqual(300, self.ledger.unconfirmed)

    def test_a_queue_that_begins_anew_or_was_away_is_not_counted_again(self):
        first = [[slot(), queue(f"1;alice|-|beta|{60 * number}|1")] for number in range(11)]
        again = [[slot(), queue(f"2;alice|-|beta|{60 * number}|1")] for number in range(5, 8)]
        self.assertEqual(600, self.looks(*first)["alice@alpha", "-", "Ada"][0])
        self.assertEqual(120, self.looks(*again)["alice@alpha", "-", "Ada"][0])
        self.looks(*[[slot()] for _ in range(70)])
        self.assertEqual({}, self.looks([slot(), queue("2;alice|-|beta|99999|9")]))

    def test_a_line_that_a_queue_let_go_begins_at_nothing(self):
        self.looks(*[[slot(), queue(f"1;alice|-|beta|{60 * number}|1")] for number in range(5)])
        self.assertEqual({("alice@alpha", "-", "Ada"): [60, 1]}, self.looks([slot(), queue("1;alice|-|beta|60|1")]))

    def test_time_that_the_manager_slept_through_does_not_count(self):
        self.looks([slot(), queue("1;alice|-|beta|0|0")])
        self.assertEqual(180, self.looks([slot(), queue("1;alice|-|beta|9000|1")], step=9000.0)["alice@alpha", "-", "Ada"][0])

    def test_strangers_do_not_make_it_grow(self):
        for number in range(5):
            crowd = [slot(machine=f"m{at}", person=f"p{at}@q{at + 20_000 * number}.p.internal") for at in range(9000)]
            self.looks([*crowd, *[queue("1;" + ";".join(f"p{at}|x|m|1|1" for at in range(600)), machine=f"q{at}x{number}") for at in range(50)]])
        self.assertLessEqual(len(self.ledger._said), 20_000)
        self.assertLessEqual(sum(map(len, self.ledger._told.values())), 20_000)
        self.assertEqual(sum(map(len, self.ledger._told.values())), self.ledger._lines)

    def test_who_names_others_at_every_look_takes_nobodys_place(self):
        for number in range(14):
            liars = [slot(machine=f"liar{liar}", person=f"p{number}x{at}@q.p.internal") for liar in range(12) for at in range(200)]
            sham = [queue("1;" + ";".join(f"p{number}x{at}|x|m|1|1" for at in range(500)), machine=f"sham{at}") for at in range(12)]
            self.looks([*liars, *sham, queue("1;")])
        self.assertLess(len(self.ledger._said), 20_000)
        self.assertLess(self.ledger._lines, 20_000)
        rounds = [[slot(), queue(f"1;alice|surge|beta|{60 * number}|1")] for number in range(5)]
        self.assertEqual({("alice@alpha", "surge", "Ada"): [240, 1]}, self.looks(*rounds))

    def test_a_queue_that_has_more_lines_than_are_kept_goes_on_with_those_that_it_tells(self):
        found = {}
        for number in range(10):
            where = [f"m{number}x{at}" for at in range(300)]
            text = "1;" + ";".join(f"alice|x|{machine}|60|1" for machine in where)
            found |= self.looks([*[slot(machine=machine) for machine in where], queue("1;")], [*[slot(machine=machine) for machine in where], queue(text)])
            self.assertEqual([60 * 300, 300], found["alice@alpha", "x", "Ada"], number)
            found.clear()


PROMETHEUS = r'^(# (HELP|TYPE) wow_\w+ .+|wow_\w+(\{\w+="[^"\\\n]*"(,\w+="[^"\\\n]*")*\})? [0-9.e+-]+)$'
"""A line of the text format, of labels that need no escape."""


class AdTests(unittest.TestCase):
    def test_any_value_in_any_place_is_taken_or_left_and_never_fails(self):
        for attribute in ads.ATTRIBUTES:
            for value in HOSTILE:
                for ad in (slot(), queue("1;alice|-|beta|1|1"), {"MyType": "Submitter", "Name": ALICE, "IdleJobs": 1}, {"MyType": "Negotiator"}):
                    sample = taken({**ad, attribute: value})
                    for line in figures.text(sample, figures.Totals(), 0).splitlines():
                        self.assertRegex(line, PROMETHEUS, f"{attribute}: {value!r}")
                    Ledger().look(1.0, sample)

    def test_jobs_that_wait_for_all_others_are_added_to_a_person_s_and_an_ad_that_came_again_is_not(self):
        def told(name, *jobs):
            return {"MyType": "Submitter", "Name": f"{name}@alpha.p.internal", **dict(zip(("IdleJobs", "RunningJobs", "HeldJobs"), jobs))}
        self.assertEqual({"alice@alpha": (520, 8, 3), "bob@alpha": (1, 2, 3)},
                         taken(told("alice", 400, 9, 9), told("nice-user.alice", 20, 0, 0), told("alice", 500, 8, 3), told("bob", 1, 2, 3)).people)

    def test_people_are_of_a_machine_and_have_names_that_accounts_have(self):
        self.assertEqual("alice@alpha", ads.person(ALICE))
        self.assertEqual("alice@alpha", ads.person(f"nice-user.{ALICE}"))
        for name in ("alice", "@alpha", "alice@", "a b@alpha", 'x"@alpha', "alice@al pha", "a@", 7, None, "a" * 40 + "@alpha"):
            self.assertEqual("", ads.person(name), name)

    def test_an_account_with_dots_and_other_marks_is_no_other_account(self):
        for name in ("a.b", "b.", ".b", "a+b", "a@b", "a.b@c+d", "nice-user", "group_a.alice"):
            [one] = taken(slot(person=f"{name}@alpha.p.internal")).slots
            _, [run] = ads.runs(f"1;{name}|x|beta|60|1", "alpha")
            people = taken({"MyType": "Submitter", "Name": f"{name}@alpha.p.internal", "RunningJobs": 1}).people
            self.assertEqual([f"{name}@alpha"] * 3, [one.person, run.person, *people])
            found = {}
            ledger = Ledger()
            for at in range(4):
                sample = taken(slot(person=f"{name}@alpha.p.internal"), queue(f"1;{name}|x|beta|{60 * at}|1"), queue(f"1;b|x|beta|{60 * at}|1"))
                for credit in ledger.look(60.0 * at, sample):
                    found[credit.person] = found.get(credit.person, 0) + credit.seconds
            self.assertEqual({f"{name}@alpha"}, set(found), "nor does it count for that one")

    def test_a_queue_takes_no_group_before_a_person_s_name_for_that_could_be_another_s_name(self):
        text = drop_in.config(samples.pool(), "10.128.0.2", "alpha")
        rule = next(line for line in text.splitlines() if line.startswith("SUBMIT_REQUIREMENT_OwnShare = "))
        self.assertEqual({"AccountingGroup =?= undefined", "AccountingGroup =?= Owner", f'AccountingGroup =?= strcat("{ads.PATIENT}", Owner)'},
                         set(rule.partition(" = ")[2].split(" || ")))

    def test_runs_that_are_no_runs_are_left_out(self):
        epoch, runs = ads.runs("17;alice|storm surge|beta|60|1;alice|x|beta|-5|1;a|b|c|1;bob|<b>|beta.x.y|7|8;|||;alice|x|beta|99999999999999|1", "alpha")
        self.assertEqual(("17", [("alice@alpha", "storm surge", "beta", 60), ("bob@alpha", "?b?", "beta", 7)]),
                         (epoch, [(run.person, run.project, run.machine, run.seconds) for run in runs]))
        self.assertEqual(ads.MOST_RUNS, len(ads.runs("1;" + "a|b|c|1|1;" * 10_000, "alpha")[1]))

    def test_a_machine_has_so_many_slots_as_it_has_accounts_for_jobs_and_the_one_that_they_are_parts_of(self):
        crowd = [slot(machine="liar") for _ in range(5000)]
        found = [one.machine for one in taken(*crowd, slot()).slots]
        self.assertEqual((129, 1), (found.count("liar"), found.count("beta")))

    def test_the_collector_is_asked_for_no_ad_with_a_value_that_is_out_of_all_bounds(self):
        question = ads.question("manager.p.internal")
        condition = question[question.index("-constraint") + 1]
        for name in ads.ATTRIBUTES:
            self.assertIn(f"size(unparse({name})) <= ", condition)
        longest = ";".join(["1800000000", *["|".join(["p" * 32, "j" * names.LONGEST, "m" * 63, "1" * 12, "1" * 12])] * runs.MOST_LINES])
        self.assertLessEqual(len(longest) + 2, ads.LONGEST_LISTS["WowRuns"], "what an honest queue tells passes")
        self.assertLessEqual(len(runs.text(runs.Counter(1), {code: 99999 for code in range(300)}, 0).split("WowHeld = ")[1]), ads.LONGEST_LISTS["WowHeld"])

    def test_an_ad_that_is_no_json_hides_none_behind_it(self):
        deep = '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}"
        for bad in ('{"a": }', deep):
            self.assertEqual(1, len(ads.read("[\n" + bad + "\n,\n" + json.dumps(slot()) + "\n]\n").slots), bad[:20])

    def test_what_is_cut_off_or_no_json_is_an_end(self):
        whole = json.dumps(slot())
        for text in ("", "[", "[\n]\n", "Error: communication error", whole[:-1], whole[:20] + whole, "{" * 100_000):
            self.assertLessEqual(len(ads.read(text).slots), 1, text[:50])
        self.assertEqual(1, len(ads.read(whole + "\n,\n" + whole[:-1]).slots))

    def test_a_partitionable_slot_of_which_nothing_is_left_is_none(self):
        self.assertEqual(1, len(taken(slot(person=None, cores=0, PartitionableSlot=True), slot(person=None, cores=1, PartitionableSlot=True)).slots))


class FigureTests(unittest.TestCase):
    def page(self, *found, totals=None):
        """{series: value} of the page of these ads; each line must be of the format."""
        values = {}
        for line in figures.text(taken(*found), totals or figures.Totals(), 0).splitlines():
            match = re.fullmatch(r'(wow_pool_[a-z_]+(?:\{(?:[a-z]+="[^"\\\n]*",?)+\})?) ([0-9.e+-]+)', line)
            self.assertTrue(match or re.fullmatch(r"# (HELP wow_pool_[a-z_]+ \S.*|TYPE wow_pool_[a-z_]+ (gauge|counter))", line), line)
            if match:
                self.assertNotIn(match[1], values, "the series stands twice")
                values[match[1]] = float(match[2])
        return values

    def test_slots_machines_jobs_and_held_ones_are_counted(self):
        values = self.page(
            slot(), slot(person=None, cores=3, WowVersion="0.1.0", WowPathToManager="direct"), slot(machine="gamma", person=None, WowVersion="0.1.0", WowPathToManager="relay"),
            queue("1;", WowHeld="1:2,34:1,4711:1"), {"MyType": "Submitter", "Name": ALICE, "IdleJobs": 5, "RunningJobs": 2, "HeldJobs": 4})
        self.assertEqual([1, 2, 4], [values[key] for key in ('wow_pool_slots{state="Claimed"}', 'wow_pool_slots{state="Unclaimed"}', 'wow_pool_cores{state="Unclaimed"}')])
        self.assertEqual([5, 2, 4], [values[f'wow_pool_jobs{{person="alice@alpha",state="{state}"}}'] for state in ("idle", "running", "held")])
        self.assertEqual([2, 1, 1], [values[f'wow_pool_held_jobs{{reason="{reason}"}}'] for reason in ("by a person", "out of resources", "other")])
        self.assertEqual(1, values['wow_pool_machines{version="0.1.0",path="relay"}'])
        self.assertEqual(1, values["wow_pool_queues"])

    def test_each_cycle_counts_once_and_the_newest_says_how_long_it_took(self):
        totals = figures.Totals()

        def negotiator(*ends):
            return {"MyType": "Negotiator", **{f"LastNegotiationCycle{name}{at}": value for at, end in enumerate(ends)
                                               for name, value in (("End", end), ("Duration", end - 100), ("Matches", 2))}}
        for ends in ((103, 102), (104, 103), (104, 103), (107, 106, 105, 104)):
            totals.look(taken(negotiator(*ends)), 0, 0)
        values = self.page(negotiator(107, 106, 105, 104), totals=totals)
        self.assertEqual((8, 7, 107), (values["wow_pool_matches_total"], values["wow_pool_cycle_seconds"], values["wow_pool_cycle_end_seconds"]))

    def test_refused_claims_count_as_they_grow_and_a_queue_that_lies_moves_the_figure_a_little(self):
        def counted(*rounds):
            totals = figures.Totals()
            for found in rounds:
                totals.look(taken(*(queue(f"{epoch};", machine=machine, WowRefused=told) for machine, epoch, told in found)), 0, 0)
            return self.page(totals=totals)["wow_pool_refused_claims_total"]
        self.assertEqual(0, counted([("alpha", 1, 70)]), "what was before this program's start")
        self.assertEqual(3 + 4, counted([("alpha", 1, 70)], [("alpha", 1, 73), ("beta", 1, 9)], [("alpha", 1, 73), ("beta", 1, 13)]))
        self.assertEqual(5, counted([("alpha", 1, 70)], [("alpha", 2, 5)]), "one that began anew")
        for lie in (-5, 10 ** 15, True, "7", None, 1.5e300):
            self.assertEqual(0, counted([("alpha", 1, 70)], [("alpha", 1, lie)]), lie)
        self.assertEqual(figures.MOST_AT_ONCE, counted([("alpha", 1, 0)], [("alpha", 1, 10 ** 9)]))

    def test_whatever_ten_thousand_strangers_are_called_the_series_are_few_and_none_breaks_the_format(self):
        crowd = []
        for number in range(10_000):
            odd = str(HOSTILE[number % len(HOSTILE)])[:200]
            crowd.append(slot(machine=f"m{number}", State=f"{odd}{number}", WowVersion=f"{odd}{number}", WowPathToManager=f"{odd}{number}"))
            crowd.append({"MyType": "Submitter", "Name": f"p{number}{odd}@m{number}.p.internal", "IdleJobs": 1})
            crowd.append(queue("1;", machine=f"m{number}", WowHeld=",".join(f"{number + at}:1" for at in range(100))))
        values = self.page(*crowd)
        self.assertLess(len(values), 400)
        self.assertEqual(10_000, sum(value for key, value in values.items() if key.startswith("wow_pool_machines{")))
        self.assertLess(figures.MOST_PEOPLE, sum(value for key, value in values.items() if key.startswith("wow_pool_jobs{")))

    def test_each_metric_of_the_grafana_board_is_there_and_each_that_is_there_is_on_it(self):
        board = json.loads((pathlib.Path(__file__).resolve().parents[2] / "docs/grafana.json").read_text(encoding="utf-8"))
        told = {re.match("[a-z_]+", series)[0]: set(re.findall('([a-z]+)="', series)) for series in self.page(slot(), queue("1;", WowHeld="1:1"), {
            "MyType": "Submitter", "Name": ALICE, "IdleJobs": 1})}
        shown = [target for panel in board["panels"] for target in panel["targets"]]
        self.assertEqual(told.keys(), {name for target in shown for name in re.findall("wow_[a-z_]+", target["expr"])})
        for target in shown:
            [labels] = {frozenset(told[name]) for name in re.findall("wow_[a-z_]+", target["expr"])}
            used = re.findall(r"{{([a-z]+)}}", target["legendFormat"]) + re.findall(r"by \(([a-z]+)\)", target["expr"]) + re.findall("{([a-z]+)=", target["expr"])
            # Prometheus gives each manager's figures the label instance.
            self.assertLessEqual(set(used), labels | {"instance"}, target["expr"])
            self.assertEqual(len(re.findall("wow_[a-z_]+", target["expr"])), target["expr"].count('instance="$manager"}'), target["expr"])

    def test_the_negotiator_tells_as_many_cycles_as_are_read(self):
        text = drop_in.config(samples.pool(node__role="manager"), "10.128.0.1", "manager")
        self.assertIn(f"NEGOTIATION_CYCLE_STATS_LENGTH = {ads.CYCLES}\n", text)
        self.assertIn("NEGOTIATOR_UPDATE_AFTER_CYCLE = True\n", text)


class NameTests(unittest.TestCase):
    def test_a_clean_name_is_short_and_has_nothing_that_means_anything_elsewhere(self):
        for name in HOSTILE:
            self.assertRegex(names.clean(name), r"\A[A-Za-z0-9 .@_?+-]{0,64}\Z")
            self.assertNotEqual(names.OTHERS, names.clean(name))
        self.assertEqual("Ada of lab 3", names.clean("Ada of lab 3"))

    def test_the_largest_stay_and_the_rest_is_one(self):
        self.assertEqual({"b": 3, "a": 2, names.OTHERS: 3}, names.most({"a": 2, "b": 3, "c": 1, "d": 2}, 2))
        self.assertEqual({"a": 2}, names.most({"a": 2}, 2))


if __name__ == "__main__":
    unittest.main()
