"""What strangers write, and what is made of it: texts from a seed, by the thousand, and the largest and deepest that are let in. Time is the processor's."""
import json
import random
import time
import unittest

import samples  # noqa: F401  makes the node's modules importable

from wow.condor import ads
from wow.jobs import runs
from wow.lib import names
from wow.why import clauses, words

SEED = 20261125
ROUNDS = 2000
SOON = 3.0
"""Seconds of processor; what grows with the square of the text takes minutes."""
SOUP = ("&&", "||", "?", "=?=", "=!=", "(", ")", "[", "]", "{", "}", '"', "'", "\\", " ", "a", "TARGET.", "==", "\n", "\x1b", "ü", "!", "0")
ATOMS = {"yes": True, "no": False, '("a&&b(" == x)': True, "'c||d'": False, "f(1, 2)": True, "(x =?= 5)": False, "y =!= 6": True}


def expression(rng, depth=0):
    """An expression of conditions that are true or false, with more parentheses and blanks than it needs, and whether it holds."""
    kind = rng.choice(("atom", "and", "and", "or", "not", "bare")) if depth < 5 else "atom"
    if kind == "atom":
        text, value = rng.choice(list(ATOMS.items()))
    elif kind in ("and", "or"):
        parts = [expression(rng, depth + 1) for _ in range(rng.randint(2, 4))]
        text, value = (" && " if kind == "and" else "||").join(f"({part})" for part, _ in parts), (all if kind == "and" else any)(value for _, value in parts)
    else:
        inner, value = expression(rng, depth + 1)
        text, value = (f"!({inner})", not value) if kind == "not" else (f"( {inner} )", value)
    return text, value


def value_of(text):
    """Whether an expression made of ATOMS holds."""
    for atom, value in ATOMS.items():
        text = text.replace(atom, f" {value} ").replace(clauses.bare(atom), f" {value} ")
    return eval(text.replace("&&", " and ").replace("||", " or ").replace("!", " not ").strip())  # pylint: disable=eval-used


def value(rng, depth=0):
    """Anything that JSON can say."""
    kind = rng.randrange(8 if depth < 3 else 6)
    if kind < 3:
        return "".join(rng.choice(("a", "B", "9", " ", "@", ".", ";", "|", ":", ",", "{", "}", '"', "\\", "\n", "\u2028", "\x00", "é")) for _ in range(rng.randrange(12)))
    if kind < 6:
        return rng.choice((None, True, False, -1, 0, 7, 1 << 70, 1.5, 1e308))
    return [value(rng, depth + 1) for _ in range(rng.randrange(4))] if kind == 6 else {str(value(rng, 3)): value(rng, depth + 1) for _ in range(rng.randrange(4))}


def printed(found):
    """A list of ads as HTCondor's tools print it."""
    return "[\n" + "\n,\n".join(json.dumps(ad, indent=2, ensure_ascii=False) for ad in found) + "\n]\n"


class Timed(unittest.TestCase):
    def soon(self, work):
        """What the work gives, which may take SOON."""
        began = time.process_time()
        found = work()
        self.assertLess(time.process_time() - began, SOON)
        return found


class Clauses(Timed):
    def test_the_conditions_together_say_what_the_expression_says(self):
        rng = random.Random(SEED)
        for _ in range(ROUNDS):
            text, holds = expression(rng)
            found = clauses.split(text)
            self.assertEqual(holds, all(map(value_of, found)), text)
            for one in found:
                self.assertEqual([one], clauses.split(one), text)

    def test_whatever_somebody_writes_comes_apart_into_parts_of_it(self):
        rng = random.Random(SEED)
        for _ in range(ROUNDS):
            text = "".join(rng.choice(SOUP) for _ in range(rng.randrange(40)))
            at = 0
            for one in clauses.split(text):
                self.assertGreaterEqual(found := text.find(one, at), at, repr(text))
                at = found + len(one)

    def test_the_longest_and_the_deepest_come_apart_soon(self):
        many = 200_000
        for text in ("(" * many + "a" + ")" * many, "(" * many, ")" * many, "a" + ")" * many, '"' * many, "'\\" * many, "(a && " * many + "b" + ")" * many, "[{(" * many,
                     "? " * many, "((a)" * many):
            with self.subTest(text=text[:12]):
                self.assertTrue(all(one in text for one in self.soon(lambda: clauses.split(text))))

    def test_of_more_conditions_than_are_told_apart_none_is_lost(self):
        text = " && ".join(f"a{number}" for number in range(100_000))
        found = self.soon(lambda: clauses.split(text))
        self.assertEqual((clauses.MOST, "a0", text), (len(found), found[0], " && ".join(found)))


class Smallest(Timed):
    def match(self, met):
        """A match of machines that meet these conditions."""
        return {"conditions": [{"text": str(at), "of": "job", "resource": "", "wanted": None} for at in range(len(met[0]))],
                "machines": [{"met": row} for row in met], "values": {}}

    def test_no_machine_meets_what_is_left_and_nothing_of_it_can_be_left_out(self):
        rng = random.Random(SEED)
        for _ in range(ROUNDS):
            met = [[rng.random() < 0.7 for _ in range(6)] for _ in range(rng.randint(1, 8))]
            for row in met:
                row[rng.randrange(6)] = False
            least = words.smallest(self.match(met))
            self.assertFalse(any(all(row[at] for at in least) for row in met))
            for at in least:
                self.assertTrue(any(all(row[other] for other in least if other != at) for row in met) or len(least) == 1, (met, least))

    def test_it_is_found_soon_among_a_thousand_machines_of_many_rules(self):
        met = [[at != 998 + row % 2 for at in range(1000)] for row in range(1000)]
        self.assertEqual([998, 999], self.soon(lambda: words.smallest(self.match(met))))


class Ads(Timed):
    def test_each_ad_is_read_as_it_was_whatever_stands_in_its_texts(self):
        rng = random.Random(SEED)
        for _ in range(ROUNDS // 4):
            found = [{str(value(rng, 3)): value(rng) for _ in range(rng.randrange(5))} for _ in range(rng.randrange(5))]
            self.assertEqual(found, list(ads.objects(printed(found))))

    def test_any_ad_is_taken_or_left_and_what_is_taken_is_within_bounds(self):
        rng = random.Random(SEED)
        kinds = ("Machine", "Scheduler", "Submitter", "Negotiator")
        for _ in range(ROUNDS // 4):
            found = [{"MyType": rng.choice(kinds), **{name: value(rng) for name in ads.ATTRIBUTES[1:] if rng.random() < 0.8}} for _ in range(8)]
            sample = ads.read(printed(found))
            for slot in sample.slots:
                for name in (slot.machine, slot.state, slot.person, slot.owner, slot.version, slot.path):
                    self.assertEqual(name, names.clean(name))
                self.assertTrue(slot.machine and 0 <= slot.cores <= ads.MOST_CORES)
            self.assertTrue(all("@" in who and max(counts) <= ads.LARGEST for who, counts in sample.people.items()))

    def test_what_spoils_one_ad_takes_no_more_than_the_next_one_with_it(self):
        rng = random.Random(SEED)
        for _ in range(ROUNDS // 4):
            text = printed([{"MyType": "Machine", "Machine": "beta.p", "x": value(rng)} for _ in range(3)])
            at = rng.randrange(len(text))
            sample = ads.read(text[:at] + rng.choice(('"', "{", "}", "\\", "[", "\n{", "")) + text[at + rng.randrange(3):])
            self.assertIn(len(sample.slots), (1, 2, 3), "one ad was hit, and two at most are gone")

    def test_the_longest_and_the_deepest_are_read_soon(self):
        many = 300_000
        for text in ("{" * many, "[" * many, '{"a":' * many, '{"' + "a" * many, '{"a":"' + "\\" * many, '{"a":' + "[" * many, '{"a":' + "9" * 4000 + "}", "\n{" * many,
                     '{"a":1}\n' * many):
            with self.subTest(text=text[:12]):
                self.soon(lambda: ads.read(text))

    def test_what_a_queue_tells_is_what_the_manager_reads(self):
        rng = random.Random(SEED)
        for _ in range(ROUNDS // 10):
            counter = runs.Counter(SEED)
            jobs = [{"ClusterId": number, "ProcId": 0, "Owner": rng.choice(("alice", value(rng))), "ProjectName": value(rng), "RequestCpus": value(rng),
                     "RemoteHost": rng.choice(("slot1@beta.p", value(rng))), "JobCurrentStartDate": SEED} for number in range(5)]
            counter.look(SEED + 30, jobs)
            text = counter.text()
            wanted = {(*line, str(seconds), str(count)) for line, (seconds, count) in counter._lines.items()}
            self.assertEqual(wanted, {tuple(line.split("|")) for line in text.split(";")[1:]})
            for run in ads.runs(text, "alpha")[1]:
                self.assertIn((run.person.rpartition("@")[0], run.project, run.machine, str(run.seconds), str(run.jobs)), wanted)


if __name__ == "__main__":
    unittest.main()
