import importlib.machinery
import importlib.util
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
loader = importlib.machinery.SourceFileLoader("bench_run", str(HERE / "run"))
bench = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench_run", loader))
loader.exec_module(bench)


def figures(mbits, rss=10.0):
    return {**dict.fromkeys(bench.WORDS, 1), "tcp_mbits": mbits, "rss_mb": rss}


ROUNDS = [
    {"native": figures(1000, 0), "wireguard-go": figures(100), "wow": figures(150)},
    {"native": figures(2000, 0), "wireguard-go": figures(100), "wow": figures(300)},
    {"native": figures(1000, 0), "wireguard-go": figures(100), "wow": figures(200)}]


class Table(unittest.TestCase):
    def test_a_ratio_is_taken_within_a_round(self):
        self.assertEqual(bench.ratio(ROUNDS, "tcp_mbits", "wireguard-go"), 2.0)
        self.assertEqual(bench.ratio(ROUNDS, "tcp_mbits", "native"), 0.15)

    def test_what_a_peer_has_not_is_no_ratio(self):
        self.assertIsNone(bench.ratio(ROUNDS, "rss_mb", "native"))

    def test_each_figure_has_a_line(self):
        lines = bench.table(ROUNDS)
        self.assertEqual(len(lines), 1 + len(bench.WORDS))
        self.assertTrue(lines[1].startswith("TCP, one flow, Mb/s"))
        self.assertTrue(lines[1].endswith("2.00"))


if __name__ == "__main__":
    unittest.main()
