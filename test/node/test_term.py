"""Until when the pool's stack is the newest: what is a term, and what a machine does that is kept from news."""
import os
import random
import unittest

from test_stack import EMPTY, OWN, WHOLE, Prepared, body, line, notice
from wow.doctor import diagnose, finding
from wow.lib import agreed
from wow.lib.errors import WowError
from wow.stack import kept, term, text, told

SIGNED = 1795707748
DAY = 86400


def of(stack, until):
    return f"wow-term 1\nstack {stack}\nuntil {until}\n".encode()


class Machine(Prepared):
    """One whose clock says when the stack was signed."""

    def setUp(self):
        super().setUp()
        self.second = float(SIGNED)

    def renew(self, stack=SIGNED, until=None, number=1, kind=4):
        self.write("notice-4", notice(number, of(stack, self.second + agreed.TERM_LIFE if until is None else until).replace(b".0", b""), kind))

    def news(self):
        """(exit code, what is told)."""
        return self.look(), self.said()["code"]


class Text(Machine):
    def read(self, data, kind=4):
        self.write("notice-4", notice(7, data, kind))
        found = term.read()
        return found and (found.stack, found.until)

    def test_a_term_is_read_as_it_was_written(self):
        for stack, until in ((1, 1), (SIGNED, SIGNED + 5), (2**64 - 1, 9999999999)):
            self.assertEqual(self.read(of(stack, until)), (stack, until))

    def test_anything_else_is_none(self):
        whole = of(12, 34)
        for data in (whole[:-1], whole + b"\n", whole + b" ", b" " + whole, whole.replace(b"\n", b"\r\n"), whole.replace(b"12", b"012"), whole.replace(b"12", b"0"),
                     whole.replace(b"12", b"+12"), whole.replace(b"12", b"1_2"), whole.replace(b"12", b""), whole.replace(b"12", b"12 "), whole.replace(b" 12", b"  12"),
                     whole.replace(b"12", b"18446744073709551616"), whole.replace(b"34", b"10000000000"), whole.replace(b"34", b"\xb2"), whole.replace(b"34", b"-1"),
                     whole.replace(b"stack", b"Stack"), whole.replace(b"term 1", b"term 2"), b"wow-term 1\nuntil 34\nstack 12\n", b"wow-term 1\n", b"x",
                     b"\n" * 65536, EMPTY):
            with self.subTest(data[:80]):
                self.assertIsNone(self.read(data))
        self.assertIsNone(self.read(whole, kind=3))
        self.write("notice-4", b"")
        self.assertIsNone(term.read())
        os.unlink(f"{self.root}/notice-4")
        self.assertIsNone(term.read())
        os.symlink("/proc/self/mem", f"{self.root}/notice-4")  # reading that fails as a bad block does
        self.assertIsNone(term.read())

    def test_whatever_is_changed_in_a_text_is_found_or_another_term(self):
        chance = random.Random(78)
        for _ in range(3000):
            data = bytearray(of(SIGNED, SIGNED + 9))
            data[chance.randrange(len(data))] = chance.randrange(256)
            found = self.read(bytes(data))
            self.assertTrue(found is None or of(*found) == bytes(data), data)


class News(Machine):
    def test_a_stack_is_the_newest_for_two_weeks_and_for_longer_when_the_ca_says_so(self):
        stack = text.Stack(SIGNED)
        self.assertEqual(term.end_of(stack, None), SIGNED + 14 * DAY)
        self.assertEqual(term.end_of(stack, term.Term(SIGNED, SIGNED + 99 * DAY)), SIGNED + 99 * DAY)
        self.assertEqual(term.end_of(stack, term.Term(SIGNED - 1, SIGNED + 99 * DAY)), SIGNED + 14 * DAY, "the term of another stack says nothing of this one")
        self.assertEqual(term.end_of(text.Stack(2**64 - 1), None), agreed.LATEST_RESTART)

    def test_one_whose_time_ran_out_is_not_taken_and_the_machine_says_so_until_the_ca_renews_it(self):
        for is_renewed in (False, True):
            self.second = SIGNED + 30.0 * DAY
            self.publish(SIGNED)
            if is_renewed:
                self.renew(until=SIGNED + 30 * DAY)
            self.assertEqual(self.news(), (1, "stale"))
            self.assertEqual((self.brought, os.path.exists(self.place.next)), ([], False))
            (found,) = diagnose.stack({"stack": self.said()})
            self.assertEqual((found.state, found.code), (finding.WRONG, "modules-stale"))
        self.assertIn(f"Nobody has said since 2026-12-12 that stack {SIGNED} is the pool's newest. It is not taken", found.what)
        self.renew(number=2)
        self.assertEqual((self.news(), self.listed()), ((0, "next"), ["maths", "physics"]))

    def test_what_was_taken_in_time_goes_on_and_the_machine_says_that_nothing_is_heard(self):
        self.publish(SIGNED)
        self.renew()
        self.assertEqual(self.news(), (0, "next"))
        self.second += agreed.TERM_LIFE - 1
        self.assertEqual(self.said()["code"], "next")
        self.second += 1
        self.assertEqual(self.said()["code"], "stale", "without another look: nothing may happen for years")
        self.assertNotIn("starts this machine again at once", told.sentence(self.said()))
        self.started("next", kept.read(self.place.next), f"number={SIGNED}\n")
        self.assertEqual((self.look(), self.listed()), (0, ["maths", "physics"]))
        self.assertIn(f"maths, physics, by the pool's stack {SIGNED}; nobody has said since 2026-11-26", told.sentence(self.said()))
        self.renew(number=2)
        self.assertEqual(self.news(), (0, "taken"))
        self.assertEqual(told.sentence(self.said()), f"maths, physics, by the pool's stack {SIGNED}")

    def test_an_old_stack_never_takes_the_place_of_what_the_machine_has(self):
        self.publish(SIGNED, body(line("maths")))
        self.look()
        self.second += 30 * DAY
        for data in (EMPTY, WHOLE):
            self.publish(SIGNED + 5, data)
            self.assertEqual((self.news(), self.listed()), ((1, "stale"), ["maths"]))

    def test_a_term_of_a_stack_that_did_not_come_shows_that_it_is_kept_back(self):
        self.renew(SIGNED + 9)
        self.assertEqual(self.look(), 1)
        self.assertEqual(told.trouble(self.said())[0], f"the pool published stack {SIGNED + 9}, which has not come to this machine")
        self.publish(SIGNED)
        self.assertEqual((self.news(), self.brought), ((1, "behind"), []))
        self.publish(SIGNED + 9)
        self.assertEqual(self.news(), (0, "next"))

    def test_a_ca_that_lost_count_is_told_with_the_number_that_helps(self):
        self.publish(SIGNED)
        for name, number, term_of, until, after in (
                ("an old backup", 7, SIGNED - 99, SIGNED + 20 + agreed.TERM_LIFE, SIGNED),
                ("a clock that was ahead", SIGNED + 400 * DAY, SIGNED, SIGNED + 414 * DAY, SIGNED + 400 * DAY)):
            with self.subTest(name):
                self.renew(term_of, until, number)
                self.assertEqual(self.news(), (1, "lost-count"))
                (found,) = diagnose.stack({"stack": self.said()})
                self.assertEqual((found.state, found.code), (finding.WRONG, "modules-lost-count"))
                self.assertIn(f"this machine has stack {SIGNED}, and refuses each with a lower one", found.what)
                self.assertIn(f"wow-ca publish FOLDER --after {after}.", found.todo)
        self.publish(SIGNED + 400 * DAY)
        self.renew(SIGNED - 5, SIGNED + agreed.TERM_LIFE, 9)
        self.assertEqual(self.news(), (1, "lost-count"), "the stack itself is of a time to come")
        self.renew(SIGNED + 400 * DAY, number=10)
        self.assertEqual(self.news(), (0, "next"), "a CA that counts on from it is none that lost count")

    def test_just_after_a_publication_the_term_is_of_the_stack_before(self):
        self.publish(SIGNED)
        self.renew(SIGNED - 3 * DAY, SIGNED - 9 + agreed.TERM_LIFE)
        self.assertEqual(self.news(), (0, "next"))

    def test_an_empty_stack_runs_out_too(self):
        self.publish(SIGNED, EMPTY)
        self.renew()
        self.assertEqual((self.news(), told.sentence(self.said())), ((0, "image"), ""))
        self.second += agreed.TERM_LIFE
        self.assertIn("nobody has said since", told.sentence(self.said()))
        self.assertEqual(self.look(), 0, "there is nothing to take")

    def test_a_fetch_that_fails_is_told_before_the_time(self):
        self.publish(SIGNED)
        self.trouble.append(WowError("cut", "It is tried again by itself", code="away"))
        self.assertEqual(self.news(), (1, "away"))
        self.second += 99 * DAY
        self.assertEqual(self.said()["code"], "away")

    def test_the_lists_of_the_system_are_no_stack_of_that_number(self):
        os.makedirs(os.path.dirname(self.place.next))
        for first, is_taken in ((f"# stack {SIGNED}", True), (f"# stack {SIGNED}0", False), (f"# stack {SIGNED - 1}", False), ("", False)):
            self.write("home/stacks/next", f"{first}\n{OWN}")
            self.assertEqual(self.place.has_taken(text.notice(notice(SIGNED, WHOLE))), is_taken)


if __name__ == "__main__":
    unittest.main()
