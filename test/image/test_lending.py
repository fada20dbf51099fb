"""A share of the processor as `lending` judges it, of counts that a busy computer gives."""

import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parent))

import lending  # noqa: E402

LOOK = 300
"""Hundredths of a second between two looks."""


class Machine:
    """Answers with what was used by each look, in hundredths of a second."""

    def __init__(self, *used):
        self._used, self.looks = used, 0

    def ask(self, _):
        """The next look; after the last that was named each uses as much as that one."""
        given = self._used[:self.looks + 1]
        total = sum(given) + self._used[-1] * (self.looks + 1 - len(given))
        self.looks += 1
        return f"{total}\n{self.looks * LOOK}"


class Held(unittest.TestCase):
    def test_what_was_used_while_another_program_had_the_processor_is_paid_back_later(self):
        machine = Machine(0, 186, 114, 150)
        self.assertEqual((lending.held(machine, 50), machine.looks), (50, 3))

    def test_a_share_that_is_kept_is_seen_at_the_first_look(self):
        machine = Machine(0, 57)
        self.assertEqual((lending.held(machine, 20), machine.looks), (19, 2))

    def test_one_that_does_not_hold_is_found_though_it_holds_at_times(self):
        self.assertEqual(lending.held(Machine(0, 225), 50), 75)
        self.assertGreater(lending.held(Machine(0, 225, 140, 225), 50), 55)


class Quiet(unittest.TestCase):
    def test_the_most_of_all_moments_counts(self):
        self.assertEqual(lending.quiet(Machine(0, 90, 120, 210, 60)), 70)
        self.assertEqual(lending.quiet(Machine(0, 150)), 50)


if __name__ == "__main__":
    unittest.main()
