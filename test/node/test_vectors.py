"""The rules of ca-service/PoolRules that pool.conf's reader has, too: both are tested by the same file."""
import json
import pathlib
import re
import unittest

from wow.config import kinds, names, ticket
from wow.lib import ipv4
from wow.lib.errors import WowError
from wow.stack import text as stacks
import samples

VECTORS = json.loads((pathlib.Path(__file__).resolve().parents[1] / "PoolRules.Tests/vectors.json").read_text(encoding="utf-8"))
FAULTS = {"NoRange": "is not FIRST-LAST", "Backwards": "ends before it begins", "Outside": "is not inside the subnet", "NothingLeft": "leaves no address"}


def fault(**values):
    """What the reader has against the sample with these values; None if nothing. A value with blanks at its ends can't be written."""
    try:
        samples.pool(**values)
    except WowError as error:
        return error.what
    return None


def is_stack(text):
    """Whether it is the text of a stack; a letter in angle brackets stands for a digest of 64 of it."""
    data = re.sub("<(.)>", lambda letter: letter[1] * 64, text).encode()
    try:
        stacks.read(data, 1)
    except stacks.NoStack:
        return False
    parts = [stacks.read(data, 1, name) for name in stacks.parts(data)[0]]
    assert any(part.system for part in parts) == ("\nkernel " in text) and sum(len(part.deltas) for part in parts) == text.count("\ndelta "), text
    assert len(parts) == 1 + text.count("\narchitecture "), text
    return True


class Vectors(unittest.TestCase):
    def judge(self, rule, is_legal):
        for expected in ("legal", "illegal"):
            self.assertTrue(VECTORS[rule][expected])
            for text in VECTORS[rule][expected]:
                self.assertEqual(is_legal(text), expected == "legal", f"{rule}: {text!r}")

    def test_labels(self):
        self.judge("labels", kinds.is_label)

    def test_tickets(self):
        self.judge("tickets", ticket.is_ticket)

    def test_stacks(self):
        self.judge("stacks", is_stack)

    def test_automatic_names(self):
        for address, name in VECTORS["automatic_names"].items():
            self.assertEqual(names.default_host(address), name)

    def test_subnets(self):
        self.judge("subnets", lambda text: text == text.strip() != "" and fault(pool__subnet=text) is None)
        for text, use in VECTORS["subnets"]["kept"].items():
            self.assertIn(f"is kept for {use}", fault(pool__subnet=text))

    def test_overlaps(self):
        for one, other, expected in VECTORS["overlaps"]:
            self.assertEqual(ipv4.overlap(ipv4.parse_prefix(one), ipv4.parse_prefix(other)), expected, (one, other))

    def test_reserved_ranges(self):
        for one in VECTORS["reserved"]:
            found = fault(pool__subnet=one["subnet"], pool__reserved=one["text"])
            if one["fault"] is None:
                self.assertIsNone(found, one)
            else:
                self.assertIn(FAULTS[one["fault"]], found, one)
                if one.get("part"):
                    self.assertIn(f'"{one["part"]}"', found)


if __name__ == "__main__":
    unittest.main()
