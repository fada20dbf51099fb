import json
import pathlib
import sys
import unittest
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import picture  # noqa: E402
import reach  # noqa: E402
import summary  # noqa: E402
from sites import SITES, pair_class  # noqa: E402


def pair(one, two, kind="plain", path="direct", first=0.1, direct=0.2, forgot=None, straight=None):
    return {
        "a": one, "b": two, "class": kind, "connected": path != "none", "path": path, "up_s": 0.5, "first_s": first, "direct_s": direct, "silence_s": 0.1,
        "forgot_s": forgot, "straight_s": straight, "why": [], "contradiction": None}


PAIRS = [
    pair("p", "q", forgot=0.4, straight=12.0), pair("p", "r", path="relay", first=1.5, direct=None, forgot=2.5),
    pair("q", "r", "hard", "relay", 0.3, None), pair("p", "t", "tcp", "none", None, None)]
APART = [pair("p", "s", "apart", "relay", 0.2, None)]


class Summary(unittest.TestCase):
    def rows(self, pairs):
        return {row.name.strip(): row for row in summary.figures(pairs)}

    def test_shares_and_times(self):
        rows = self.rows(PAIRS)
        self.assertEqual(rows["pairs connected"].reached, "75.0 % (3/4)")
        self.assertIs(rows["pairs connected"].met, False)
        self.assertIs(rows["of those with UDP on both sides"].met, True)
        self.assertEqual(rows["direct, of pairs that punching at once can win"].reached, "50.0 % (1/2)")
        self.assertEqual(rows["direct, of pairs with one hard side"].reached, "0.0 % (0/1)")
        self.assertEqual(rows["first packet, median"].reached, "0.30 s")
        self.assertEqual(rows["first packet, 99th percentile of the connected"].reached, "1.50 s")
        self.assertEqual(rows["NAT forgot: silence, longest"].reached, "2.50 s")
        self.assertEqual(rows["NAT forgot: straight paths straight again, last"].reached, "12.00 s")
        self.assertIs(rows["NAT forgot: straight paths straight again, last"].met, False)

    def test_the_longest_silence_without_UDP_counts_by_itself(self):
        name = "NAT forgot: silence without UDP on a side, longest"
        streams = [pair("p", "t", "tcp", forgot=0.4), pair("q", "t", "tcp", forgot=1.9)]
        row = self.rows([*PAIRS, *streams])[name]
        self.assertEqual((row.reached, row.met), ("1.90 s", True))
        self.assertIs(self.rows([*streams, pair("r", "t", "tcp", forgot=2.0)])[name].met, False)
        self.assertIs(self.rows(PAIRS)[name].met, False)

    def test_who_has_no_version_of_IP_in_common_counts_apart(self):
        rows = self.rows(APART)
        self.assertIs(rows["of those without a version of IP in common"].met, True)
        self.assertEqual(rows["of those with UDP on both sides"].reached, "no such pair")

    def test_what_was_not_measured_is_not_reached(self):
        rows = self.rows([])
        self.assertIs(rows["first packet, median"].met, False)
        self.assertEqual(rows["pairs connected"].reached, "no such pair")

    def test_what_broke_and_was_never_whole_again_is_the_longest(self):
        breaks = [{"event": "NAT moved", "a": "p", "b": "q", "s": seconds} for seconds in (0.3, 0.4, None)]
        rows = {row.name: row for row in summary.broken(breaks)}
        self.assertIs(rows["NAT moved: silence, median of 3"].met, True)
        self.assertIs(rows["NAT moved: silence, longest"].met, False)
        self.assertIs(rows["relay killed: silence, longest"].met, False)

    def test_percentiles(self):
        self.assertIsNone(summary.percentile([], 0.5))
        self.assertEqual(summary.percentile([3, 1, 2], 0.5), 2)
        self.assertEqual(summary.percentile(range(1, 101), 0.99), 99)

    def test_what_is_not_reached_stays_in_both_tables(self):
        rows = summary.figures(PAIRS)
        self.assertEqual(len(summary.table(rows)), len(rows) + 1)
        self.assertTrue(any("NOT REACHED" in line for line in summary.table(rows)))
        self.assertIn("| pairs connected | 100 % | **not reached**: 75.0 % (3/4) |", summary.markdown(rows))


class Reach(unittest.TestCase):
    """Which pairs have to be direct."""

    def test_the_list_names_sites_and_each_pair_once(self):
        names = {site.name for site in SITES}
        listed = [frozenset((one, two)) for entry in json.loads(reach.LIST.read_text(encoding="utf-8")) for one in entry["sites"] for two in entry["with"]]
        self.assertEqual([pair for pair in listed if not pair <= names or len(pair) != 2], [])
        self.assertEqual(len(listed), len(set(listed)))
        self.assertTrue(all(reach.reasons().values()))

    def test_whom_punching_or_one_search_wins_has_no_excuse_and_who_has_no_version_of_IP_in_common_has_one(self):
        for number, one in enumerate(SITES):
            for two in SITES[number + 1:]:
                is_listed, kind = frozenset((one.name, two.name)) in reach.reasons(), pair_class(one, two)
                self.assertFalse(is_listed and kind in ("plain", "hard"), (one.name, two.name))
                self.assertTrue(is_listed or kind != "apart", (one.name, two.name))

    def test_ports_that_count_on_both_sides_and_TCP_443_to_whom_keeps_or_maps_it_have_to_be_direct(self):
        for one, two in [("sequential", "sequential-b")] + [("tcp-443", name) for name in ("full", "address", "port", "double", "upnp", "pcp", "public", "no-udp")]:
            self.assertEqual(reach.crooked([pair(one, two, "tcp", "relay")]), [f"{one} - {two} can be direct, and is relay"])
            self.assertEqual(reach.crooked([pair(one, two, "tcp")]), [])

    def test_an_exception_is_none_of_the_run_and_none_of_its_shares(self):
        pairs = [pair("random", "tcp-443", "tcp", "relay"), pair("random", "sequential", "both", "relay"), pair("six", "port", "apart", "relay")]
        self.assertEqual(reach.crooked(pairs), [])
        rows = {row.name: row for row in summary.figures(pairs)}
        self.assertEqual(rows["direct, of pairs without UDP on a side that can be"].reached, "no such pair")
        self.assertEqual(rows["direct, of all pairs"].reached, "0.0 % (0/3)")

    def test_who_was_straight_at_another_time_of_the_run_is_a_matter_of_the_figure(self):
        late = pair("public", "no-udp", "tcp", "relay", forgot=0.4, straight=5.0)
        self.assertEqual(reach.crooked([late]), [])
        self.assertIs({row.name: row for row in summary.figures([late])}["direct, of pairs without UDP on a side that can be"].met, False)

    def test_why_is_told(self):
        odd = {**pair("port", "no-udp", "tcp", "ring"), "why": ["port: because."]}
        self.assertEqual(reach.crooked([odd]), ["port - no-udp can be direct, and is ring; port: because."])


class Picture(unittest.TestCase):
    def setUp(self):
        self.text = picture.svg([("p", "public & so"), ("q", "q"), ("r", "r"), ("t", "t")], PAIRS, "All <pairs>")
        self.root = xml.etree.ElementTree.fromstring(self.text)

    def test_each_pair_has_two_cells_in_its_colour(self):
        fills = [element.get("fill") for element in self.root.iter("{http://www.w3.org/2000/svg}rect") if element.get("height") == "24"]
        self.assertEqual(len(fills), 2 * len(PAIRS))
        self.assertEqual(fills.count(picture.COLOURS["none"]), 2)

    def test_the_legend_names_each_colour_and_text_is_escaped(self):
        words = "".join(self.root.itertext())
        for told in picture.LEGEND.values():
            self.assertIn(told, words)
        self.assertIn("public & so", words)
        self.assertIn("All <pairs>", words)

    def test_labels(self):
        self.assertEqual([picture.label(each) for each in PAIRS], ["0.20", "1.50", "0.30", "-"])


if __name__ == "__main__":
    unittest.main()
