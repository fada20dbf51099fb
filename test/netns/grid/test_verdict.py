import pathlib
import sys
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parents[1])]

import verdict  # noqa: E402
from pressure import Moment  # noqa: E402
from verdict import RELAY, RING, STRAIGHT, Seen  # noqa: E402

SIZE = 307
FAR = {"192.0.2.24"}


def came(at, extra, far="192.0.2.24", is_out=False):
    return Seen(at, is_out, far, SIZE + extra)


class Kind(unittest.TestCase):
    def test_the_size_tells_what_is_around_the_ping(self):
        for extra, expected in ((STRAIGHT, "direct"), (RELAY, "relay"), (RING, "ring"), (RING + 41 + 32, "ring"), (0, None), (STRAIGHT + 1, None), (500, None)):
            self.assertEqual(verdict.kind(came(0, extra), SIZE, FAR), expected)

    def test_a_straight_packet_from_elsewhere_is_not_of_this_pair(self):
        self.assertIsNone(verdict.kind(came(0, STRAIGHT, "192.0.2.99"), SIZE, FAR))

    def test_only_what_comes_in_after_the_moment_counts(self):
        packets = [came(1, STRAIGHT), came(2, STRAIGHT, is_out=True), came(3, RELAY)]
        self.assertEqual(verdict.arrivals(packets, SIZE, FAR), [(1, "direct"), (3, "relay")])
        self.assertEqual(verdict.arrivals(packets, SIZE, FAR, since=2), [(3, "relay")])


class Path(unittest.TestCase):
    def test_the_worse_way_counts(self):
        direct, relay, ring = [(1, "direct")] * 10, [(1, "relay")] * 10, [(1, "ring")] * 10
        self.assertEqual(verdict.path(direct, direct), "direct")
        self.assertEqual(verdict.path(direct, relay), "relay")
        self.assertEqual(verdict.path(ring, relay), "ring")
        self.assertEqual(verdict.path(direct, []), "none")

    def test_one_stray_packet_in_ten_does_not_count(self):
        self.assertEqual(verdict.path([(1, "direct")] * 9 + [(1, "relay")], [(1, "direct")]), "direct")
        self.assertEqual(verdict.path([(1, "direct")] * 8 + [(1, "relay")] * 2, [(1, "direct")]), "relay")

    def test_straight_is_when_both_ends_have_received(self):
        self.assertEqual(verdict.direct_at([(1, "relay"), (2, "direct"), (3, "direct")], [(5, "direct")]), 5)
        self.assertIsNone(verdict.direct_at([(1, "direct")], [(1, "ring")]))


class Words(unittest.TestCase):
    def test_straight_or_not_is_what_must_agree(self):
        self.assertIsNone(verdict.contradiction("direct", ("direct", "direct")))
        self.assertIsNone(verdict.contradiction("relay", ("relay", "direct")))
        self.assertIsNone(verdict.contradiction("ring", ("relay", "ring")))
        self.assertIn("the wire shows relay", verdict.contradiction("relay", ("direct", "direct")))
        self.assertIn("nothing", verdict.contradiction("direct", ("direct", None)))
        self.assertIsNotNone(verdict.contradiction("none", ("direct", "direct")))


def silence(answers, since, until, took=lambda at: 0.0):
    """took(at): what the host had taken until then."""
    return verdict.silence([Moment(at, took(at)) for at in answers], Moment(since, took(since)), Moment(until, took(until)))


class Silence(unittest.TestCase):
    def test_longest_gap_between_answers(self):
        self.assertAlmostEqual(silence([0.9, 1.0, 1.1, 3.1, 3.2], since=1.05, until=3.3), 2.0)

    def test_the_gap_that_began_before_counts_whole(self):
        self.assertAlmostEqual(silence([1.0, 2.0, 2.1], since=1.5, until=2.15), 1.0)

    def test_what_came_before_does_not_count(self):
        self.assertAlmostEqual(silence([0.0, 5.0, 5.1, 5.2], since=5.05, until=5.3), 0.1)

    def test_silence_to_the_end(self):
        self.assertAlmostEqual(silence([1.0], since=1.5, until=9.0), 8.0)
        self.assertAlmostEqual(silence([1.0, 1.6], since=1.5, until=9.0), 7.4)

    def test_a_silence_that_the_host_made_counts_as_little(self):
        self.assertAlmostEqual(silence([1.0, 3.1, 3.2], since=1.05, until=3.3, took=lambda at: min(max(at, 1.0), 3.1)), 0.21)

    def test_of_a_silence_that_the_host_made_longer_the_rest_counts(self):
        self.assertAlmostEqual(silence([1.0, 3.1, 3.2], since=1.05, until=3.3, took=lambda at: 0.5 if at > 2.0 else 0.0), 1.6)

    def test_the_longest_of_all_is_not_that_which_was_long_by_the_day(self):
        self.assertAlmostEqual(silence([1.0, 4.0, 4.1, 5.1], since=1.0, until=5.2, took=lambda at: 2.9 if at > 2.0 else 0.0), 1.0)

    def test_of_no_moments_and_of_one_there_is_no_longest(self):
        self.assertIsNone(verdict.longest([]))
        self.assertIsNone(verdict.longest([Moment(1.0, 0.0)]))


if __name__ == "__main__":
    unittest.main()
