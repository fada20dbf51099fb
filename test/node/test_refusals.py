"""Refused claims are counted from the schedd's log, whatever becomes of the file."""
import os
import tempfile
import unittest

from wow.jobs.refusals import MOST, Refusals

REFUSED = "11/25/26 15:37:10 Request was NOT accepted for claim slot1@beta.p.internal <10.128.0.3:9618?addrs=10.128.0.3-9618&sock=startd_1_2> for alice 1.0\n"
OTHER = "11/25/26 15:37:10 Number of Active Workers 0\n"


class RefusalTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.log = f"{folder.name}/SchedLog"

    def write(self, text):
        with open(self.log, "a", encoding="ascii") as file:
            file.write(text)

    def rotate(self):
        os.replace(self.log, self.log + ".old")

    def test_each_line_counts_once_and_those_of_before_do_not(self):
        self.write(REFUSED + OTHER)
        found = Refusals(self.log)
        self.assertEqual(0, found.look())
        self.write(OTHER + REFUSED + "11/25/26 15:37:11 (pid:7) (D_ALWAYS) " + REFUSED.partition(" Req")[1].strip() + REFUSED.partition(" Req")[2])
        self.assertEqual([2, 2], [found.look(), found.look()])
        self.write(REFUSED)
        self.assertEqual(3, found.look())

    def test_a_line_that_is_half_written_counts_when_it_is_whole(self):
        self.write(OTHER)
        found = Refusals(self.log)
        self.write(REFUSED[:40])
        self.assertEqual(0, found.look())
        self.write(REFUSED[40:])
        self.assertEqual(1, found.look())

    def test_a_log_that_is_put_away_is_read_to_its_end_first(self):
        found = Refusals(self.log)
        self.assertEqual(0, found.look(), "there is none yet")
        self.write(REFUSED)
        self.assertEqual(1, found.look())
        self.write(REFUSED)
        self.rotate()
        self.write(REFUSED + REFUSED)
        self.assertEqual(4, found.look())
        # Twice between two looks: what is gone is gone, and nothing counts twice.
        for _ in range(2):
            self.rotate()
            self.write(REFUSED)
        self.assertEqual(5, found.look())

    def test_a_log_that_was_emptied_or_is_gone_ends_nothing(self):
        self.write(OTHER * 9)
        found = Refusals(self.log)
        with open(self.log, "w", encoding="ascii") as file:
            file.write(REFUSED)
        self.assertEqual(1, found.look())
        os.unlink(self.log)
        self.assertEqual(1, found.look())

    def test_what_others_write_into_the_log_is_no_refusal(self):
        self.write(OTHER)
        found = Refusals(self.log)
        self.write(f"11/25/26 15:37:10 Job 1.0 said: {REFUSED}Request was NOT accepted for claim\n")
        self.assertEqual(0, found.look())

    def test_what_is_long_is_read_part_by_part(self):
        self.write(OTHER)
        found = Refusals(self.log)
        self.write(OTHER * (MOST // len(OTHER)) + REFUSED)
        self.assertEqual(1, [found.look() for _ in range(3)][-1])


if __name__ == "__main__":
    unittest.main()
