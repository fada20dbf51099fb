import json
import pathlib
import sys
import tempfile
import types
import unittest
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import esp  # noqa: E402
import kept  # noqa: E402
import measure  # noqa: E402
import nebula  # noqa: E402
import rows  # noqa: E402
import sealing  # noqa: E402
import table  # noqa: E402


def figures(mbits, rss=10.0):
    return {**dict.fromkeys(rows.WORDS, 1), "tcp_mbits": mbits, "rss_mb": rss}


def one_round(native, wow, rtt):
    return {
        "native": figures(native, 0), rows.FLOOR: {"rtt_ms": 0.1}, "wireguard-go": figures(100), "nebula": figures(50), "wow": {**figures(wow), "rtt_ms": rtt}}


ROUNDS = [one_round(1000, 150, 0.2), one_round(2000, 300, 0.3), one_round(1000, 200, 0.15)]


class Esp(unittest.TestCase):
    def test_the_figures_of_the_test_are_found(self):
        found = esp.read(" esp_pipeline_ratio=1.30 esp_pipeline_kpps=1500\n esp_loopback_ratio=1.10 esp_loopback_kpps=900\n")
        self.assertEqual({"esp_pipeline": {"ratio": 1.3, "kpps": 1500}, "esp_loopback": {"ratio": 1.1, "kpps": 900}}, found)
        self.assertTrue(esp.lines(found)[0].startswith("ESP of 1,400 B, ipopd's own work: 1.30 of"))

    def test_a_test_that_said_nothing_is_told(self):
        with self.assertRaises(RuntimeError):
            esp.read("esp_pipeline_ratio=1.30 esp_pipeline_kpps=1500")


class Nebula(unittest.TestCase):
    def test_each_side_looks_for_the_other(self):
        said = nebula.configuration("/here", "a", "b")
        self.assertIn('static_host_map: {"10.9.2.2": ["192.0.2.2:4242"]}', said)
        self.assertIn("pki: {ca: /here/ca.crt, cert: /here/a.crt, key: /here/a.key}", said)


class Floor(unittest.TestCase):
    def test_it_is_asked_for_round_trips_alone(self):
        asked = {"round_trip": 0.1, "round_trip_beside": 0.2, "round_trip_taken": 0.3}
        with mock.patch("rows.run"), mock.patch.multiple("measure", **{name: mock.Mock(return_value=value) for name, value in asked.items()}):
            found = rows.all_of(mock.MagicMock(), types.SimpleNamespace(name=rows.FLOOR), "10.9.1.2", 1)
        self.assertEqual(found, {"rtt_ms": 0.1, "rtt_tcp_ms": 0.2, "rtt_taken_ms": 0.3})


class Sealing(unittest.TestCase):
    def test_the_processor_is_named_with_what_decides(self):
        one = "processor\t: 0\nmodel name\t: A Processor\nflags\t\t: fpu aes avx avx2 vaes\npower management:\n\n"
        self.assertEqual(sealing.processor_in(one + one), {"model": "A Processor", "instructions": ["aes", "avx2", "vaes"]})
        self.assertEqual(sealing.processor_in("processor\t: 0\nFeatures\t: fp aes\n"), {"model": "unknown", "instructions": []})

    def test_the_loaded_library_is_named(self):
        other = "7f00-7f01 r--p 00000000 08:01 11                         /usr/lib/x86_64-linux-gnu/libc.so.6\n7f02-7f03 rw-p 00000000 00:00 0\n"
        loaded = "7f10-7f11 r-xp 00000000 08:01 12                         /cache/libipsec-mb2/usr/lib/libIPSec_MB.so.2.0.0\n"
        self.assertEqual(sealing.sealer_in(other + loaded), "libIPSec_MB.so.2.0.0")
        self.assertEqual(sealing.sealer_in(other), "OpenSSL")

    def test_ipopd_looks_where_the_library_is(self):
        self.assertEqual(sealing.environment("/cache/lib/libIPSec_MB.so.2"), {"LD_LIBRARY_PATH": "/cache/lib"})


class Kept(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "bench.json"

    def begin(self, commit="c", seconds=2):
        return kept.begin(self.file, {"commit": commit}, {"model": "m"}, seconds)

    def test_rounds_of_the_same_program_are_added_to(self):
        found = self.begin()
        kept.add(found, "rounds", {"wow": 1})
        kept.add(found, "rounds", None)
        found["machine"]["sealer"] = "s"
        self.file.write_text(json.dumps(found))
        self.assertEqual(self.begin(), found)
        self.assertEqual(self.begin()["rounds"], [{"wow": 1}])

    def test_those_of_another_program_or_length_are_not(self):
        self.file.write_text(json.dumps({**self.begin(), "rounds": [{"wow": 1}]}))
        self.assertEqual(self.begin(commit="d")["rounds"], [])
        self.assertEqual(self.begin(seconds=3)["rounds"], [])
        self.assertEqual(kept.begin(None, {"commit": "c"}, {"model": "m"}, 2)["rounds"], [])


class Table(unittest.TestCase):
    def test_a_ratio_is_taken_within_a_round(self):
        self.assertEqual(table.ratio(ROUNDS, "tcp_mbits", "wireguard-go"), 2.0)
        self.assertEqual(table.ratio(ROUNDS, "tcp_mbits", "native"), 0.15)

    def test_what_a_peer_has_not_is_no_ratio(self):
        self.assertIsNone(table.ratio(ROUNDS, "rss_mb", "native"))

    def test_each_figure_has_a_line(self):
        lines = table.table(ROUNDS)
        self.assertEqual(len(lines), 1 + len(rows.WORDS))
        self.assertTrue(lines[1].startswith("TCP, one flow, Mb/s"))
        self.assertEqual(lines[0].split()[-6:], ["to", "native", "to", "wireguard-go", "to", "nebula"])
        self.assertEqual(lines[1].split()[-3:], ["0.15", "2.00", "4.00"])

    def test_a_goal_is_reached_by_the_median_or_by_each_round(self):
        tcp, udp, taken, before, after = table.goals(ROUNDS)
        self.assertEqual(tcp, {"figure": "TCP to wireguard-go, median", "goal": ">= 2.5", "reached": "2", "met": False, "rounds": [1.5, 3.0, 2.0]})
        self.assertEqual((udp["reached"], udp["met"]), ("1", False))
        self.assertEqual((taken["figure"], taken["goal"], taken["met"]), ("round trip with processors half taken, to wireguard-go, at most", "<= 1", True))
        self.assertTrue(before["met"] and after["met"])
        slow = [{**each, "wow": {**each["wow"], "rtt_taken_ms": rtt, "tcp_mbits": 250}} for each, rtt in zip(ROUNDS, (0.5, 1.1, 0.5))]
        tcp, _, taken, *_ = table.goals(slow)
        self.assertTrue(tcp["met"])
        self.assertEqual((taken["reached"], taken["met"]), ("1.1", False))

    def test_a_goal_is_a_line(self):
        self.assertEqual(table.goal_lines(ROUNDS)[0], "TCP to wireguard-go, median 2, to reach >= 2.5: NOT REACHED; rounds [1.5, 3.0, 2.0]")

    def test_a_peer_that_was_not_asked_has_no_goal(self):
        without = [{peer: figures for peer, figures in each.items() if peer != "nebula"} for each in ROUNDS]
        self.assertEqual(len(table.goals(without)), len(table.goals(ROUNDS)) - 1)

    def test_the_round_trips_stand_beside_the_floor(self):
        self.assertEqual(
            table.floor_line(ROUNDS),
            "round trip to the floor (a forwarder that does nothing else, 0.100 ms): native 10.00, wireguard-go 10.00, nebula 10.00, wow 2.00")
        self.assertNotIn(rows.FLOOR, table.table(ROUNDS)[0])

    def test_pings_without_an_answer_count(self):
        self.assertEqual(measure.percentile([1.0] * 99, 100), 1000.0)
        self.assertEqual(measure.percentile([1.0] * 400, 400), 1.0)


if __name__ == "__main__":
    unittest.main()
