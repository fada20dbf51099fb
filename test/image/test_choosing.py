"""Which choices of a stack's modules have a part of the glue; and that what several gates ask for is worked out once."""

import itertools
import sys
import unittest
from unittest import mock

from test_module import ROOT
from test_publish import Stacks

sys.path.append(str(ROOT / "appliance/layers"))

import choosing  # noqa: E402
import gates  # noqa: E402
import moved  # noqa: E402
from listing import LayerError  # noqa: E402

NAMES = [f"m{number}" for number in range(12)]


class Choices(unittest.TestCase):
    def test_each_choice_of_five_modules_is_there_in_the_stacks_order(self):
        for count in range(1, 6):
            names = NAMES[:count][::-1]
            every = [list(one) for size in range(1, count) for one in itertools.combinations(names, size)]
            found = choosing.choices(names, [])
            self.assertEqual((sorted(found), len(found)), (sorted(every), choosing.count(names)))

    def test_of_more_those_that_are_asked_for_come_first_then_small_and_large_ones(self):
        asked = [["m9", "m1", "m5"], ["m4", "m3", "m2", "m1"]]
        found = choosing.choices(NAMES, asked)
        self.assertEqual((found[:2], len(found)), ([["m1", "m5", "m9"], ["m1", "m2", "m3", "m4"]], choosing.MOST))
        self.assertEqual([len(one) for one in found[2:26]], [1] * 12 + [11] * 12)
        self.assertEqual(len({tuple(one) for one in found}), choosing.MOST)

    def test_all_that_are_asked_for_are_there_though_they_are_many(self):
        asked = [list(one) for one in itertools.combinations(NAMES, 2)]
        self.assertEqual(choosing.choices(NAMES, asked), asked)

    def test_all_modules_or_one_choice_twice_are_no_further_choice(self):
        self.assertEqual(choosing.choices(["a", "b"], [["b", "a"], ["b"], ["b", "b"], []]), [["b"], ["a"]])

    def test_a_name_that_no_module_has_is_refused(self):
        with self.assertRaisesRegex(LayerError, "there is no module c; name some of a, b"):
            choosing.choices(["a", "b"], [["a", "c"]])


class Once(Stacks):
    def test_what_the_base_has_moved_is_worked_out_once_for_all_gates(self):
        layers = [("base", "base", self.base / "base.squashfs"), ("node", "node", self.node)]
        for name in ("maths", "physics"):
            self.published({f"opt/{name}": ""}, name=name)
            layers.append(("module", name, self.file(name)))
        known = gates.read(layers)
        with mock.patch.object(moved, "of", wraps=moved.of) as worked:
            self.assertEqual([*gates.apart(known), *gates.doubles(known), *gates.joined(known), *gates.beside(known), *gates.unglued(known)], [])
            self.assertEqual(worked.call_count, 1)
            # A choice of them is another stack.
            self.assertEqual(gates.joined(choosing.of(known, ["maths"])), [])
            self.assertEqual(worked.call_count, 2)


if __name__ == "__main__":
    unittest.main()
