"""wow ping, trace and metrics: what they make of ipopd's answers."""
import unittest
from unittest import mock

import samples

from wow import dispatch
from wow.lib import control
from wow.verbs import metrics, peers, ping, status, trace

ANSWER = samples.PING
SILENCE = {**ANSWER, "rtt_ms": None, "path": None, "endpoint": None}
WAY = {**samples.TRACE, "paths": [samples.DIRECT, samples.DEAD], "ring": None}


def ask(*answers):
    """ipopd that answers in turn."""
    return mock.patch.object(control, "ask", side_effect=list(answers))


class Ping(unittest.TestCase):
    def test_figures_over_answers_and_silence(self):
        said = []
        with ask(ANSWER, SILENCE, {**ANSWER, "rtt_ms": 7.5, "path": "relay", "relay": "ef" * 20, "wait_ms": 40.0}):
            result = ping.ping("beta", 3, 0.0, 1.0, "/s", said.append)
        self.assertEqual((3, 2, 7.5, 10.0, 12.5), tuple(result[key] for key in ("sent", "received", "min_ms", "avg_ms", "max_ms")))
        self.assertAlmostEqual(1 / 3, result["loss"])
        self.assertEqual({"direct": 1, "relay": 1}, result["paths"])
        self.assertEqual("beta 10.128.3.20: 12.50 ms, direct from 192.0.2.1:4433", said[0])
        self.assertEqual("beta 10.128.3.20: no answer", said[1])
        self.assertEqual("beta 10.128.3.20: 7.50 ms, over the relay efefefef, 40 ms before it to make a session", said[2])
        self.assertEqual("3 sent, 2 answered, 33% lost", ping.summary(result)[0])

    def test_exit_code_says_whether_anything_answered(self):
        with mock.patch("builtins.print"):
            with ask(SILENCE, SILENCE):
                self.assertEqual(1, dispatch.main(["ping", "beta", "-c", "2", "-i", "0.01"]))
            with ask(SILENCE, ANSWER):
                self.assertEqual(0, dispatch.main(["ping", "beta", "--count=2", "--interval=0.01", "--json"]))

    def test_wrong_usage(self):
        with mock.patch("sys.stderr"):
            for wrong in ([], ["a", "b"], ["a", "-c", "0"], ["a", "-c", "x"], ["a", "-i", "0"], ["a", "-W", "nan"], ["a", "--timeout", "61"]):
                self.assertEqual(2, dispatch.main(["ping", *wrong]), wrong)


class Trace(unittest.TestCase):
    def run_with(self, way, pinged=ANSWER, *options):
        """(exit code, what was printed)."""
        with ask(pinged, way), mock.patch("builtins.print") as said:
            code = dispatch.main(["trace", "beta", *options])
        return code, said.call_args[0][0]

    def test_a_direct_way_with_all_its_paths(self):
        code, text = self.run_with(WAY)
        self.assertEqual(0, code)
        for part in ("packets go direct to 192.0.2.1:4433; a ping came back after 12.50 ms", "in use", "does not answer, last heard 2 min ago", "0 %"):
            self.assertIn(part, text)
        self.assertNotIn("not direct", text)

    def test_a_relay_says_which_and_why(self):
        code, text = self.run_with({**WAY, "path": "relay", "paths": [samples.RELAYED], "why_not_direct": "Nothing came back."})
        self.assertEqual(0, code)
        for part in ("over the relay boss 10.128.0.1", "not direct: Nothing came back.", "25 %"):
            self.assertIn(part, text)

    def test_the_ring_shows_its_hops(self):
        code, text = self.run_with({**WAY, "path": "ring", "paths": [], "why_not_direct": "New.", "ring": samples.HOPS}, ANSWER, "--ring")
        lines = text.splitlines()
        self.assertEqual(0, code)
        self.assertIn("packets go over the ring", text)
        self.assertIn("cdcdcdcd, direct", lines[-2])
        self.assertIn("this is the node", lines[-1])

    def test_silence_is_1_and_says_where_the_way_ends(self):
        ended = {"arrived": False, "hops": [{**samples.HOPS["hops"][0], "next": None, "next_path": None, "next_rtt_ms": None, "end": "nobody-nearer"}]}
        code, text = self.run_with({**WAY, "session": False, "path": "ring", "paths": [], "ring": ended}, SILENCE)
        self.assertEqual(1, code)
        self.assertIn("the way ends here", text)
        code, text = self.run_with({**WAY, "path": "ring", "paths": [], "ring": {"arrived": False, "hops": []}}, SILENCE)
        self.assertEqual(1, code)
        self.assertIn("no hop answers", text)


class Others(unittest.TestCase):
    def test_metrics_as_json(self):
        text = '# HELP a b\n# TYPE a gauge\na 1.5\nb{x="1,\\"2\\\\\\n",y=""} 2e-05\n'
        self.assertEqual([{"name": "a", "labels": {}, "value": 1.5}, {"name": "b", "labels": {"x": '1,"2\\\n', "y": ""}, "value": 2e-05}], metrics.samples(text))

    def test_status_and_peers_tell_path_round_trip_loss_and_why(self):
        one = {"node": "cd" * 20, "address": "10.128.3.20", "host": "beta", "path": "relay", "endpoint": None, "relay": "ef" * 20, "rtt_ms": 5.0, "loss": 0.5,
               "why_not_direct": "Because.", "certified": True, "sent_bytes": 1, "received_bytes": 1, "age_s": 1}
        other = {**one, "address": "10.128.3.4", "path": "direct", "endpoint": "192.0.2.1:1", "loss": 0.0, "rtt_ms": 3.0, "why_not_direct": None}
        self.assertEqual("1 direct, 1 relay; median round trip 5.0 ms; 25 % of the last pings lost", status.links([one, other]))
        self.assertEqual("none yet", status.links([]))
        self.assertIn("efefefef", peers.lines([one, other])[2])
        self.assertIn("50 %", peers.lines([one, other])[2])
        self.assertEqual(["10.128.3.20: Because."], peers.reasons([one, other]))


if __name__ == "__main__":
    unittest.main()
