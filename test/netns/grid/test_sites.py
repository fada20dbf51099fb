import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parents[1] / "vm")]

import forgetting  # noqa: E402
import natprobe  # noqa: E402
import proof  # noqa: E402
import rules  # noqa: E402
from pings import checksum, echo  # noqa: E402
from sites import FEW, GATES, SITES, gates_of, pair_class, seen_as  # noqa: E402
from records import Records  # noqa: E402
from wire import parse  # noqa: E402

BY_NAME = {site.name: site for site in SITES}


def of(*names):
    return [BY_NAME[name] for name in names]


class Sites(unittest.TestCase):
    def test_names_are_unique_and_every_gate_is_there_before_what_stands_behind_it(self):
        self.assertEqual(len(BY_NAME), len(SITES))
        self.assertLessEqual(set(FEW), set(BY_NAME))
        known = [None]
        for gate in GATES:
            self.assertIn(gate.outer, known)
            known.append(gate.name)

    def test_classes_follow_from_mapping_and_filtering(self):
        for names, expected in {
                ("public", "random"): "plain", ("address", "sequential"): "plain", ("full", "random"): "plain", ("port", "double"): "plain",
                ("port", "random"): "hard", ("firewall", "sequential"): "hard", ("random", "sequential"): "both", ("sequential", "sequential-b"): "both",
                ("no-udp", "public"): "tcp",
                ("random", "tcp-443"): "tcp", ("pcp", "upnp"): "plain", ("pcp", "random"): "plain", ("upnp", "no-udp"): "tcp",
                ("six", "public"): "plain", ("six", "full"): "apart", ("six", "no-udp"): "apart"}.items():
            self.assertEqual(pair_class(*of(*names)), expected, names)
            self.assertEqual(pair_class(*reversed(of(*names))), expected, names)

    def test_how_a_site_looks(self):
        self.assertEqual([gate.name for gate in gates_of(BY_NAME["double"])], ["double", "double-isp"])
        for names, expected in {
                ("public", "port"): {"192.0.2.20"}, ("firewall", "port"): {"192.0.2.21"}, ("double", "port"): {"100.64.7.2", "192.0.2.27"},
                ("public", "six"): {"2001:db8:57::20"}, ("six", "public"): {"2001:db8:57:40::2"}, ("six", "port"): set(),
                ("lan-a", "lan-b"): {"192.0.2.29", "10.29.0.2"}, ("lan-a", "port"): {"192.0.2.29"},
                ("overlap-a", "overlap-b"): {"192.0.2.32"}}.items():
            self.assertEqual(seen_as(*of(*names)), expected, names)

    def test_every_pair_once_in_rounds_without_common_sites(self):
        for count in (2, 5, 18):
            seen = set()
            for pairs in forgetting.rounds(range(count)):
                members = [member for pair in pairs for member in pair]
                self.assertEqual(len(members), len(set(members)))
                seen |= {frozenset(pair) for pair in pairs}
            self.assertEqual(len(seen), count * (count - 1) // 2)


class Rules(unittest.TestCase):
    def text(self, name):
        return rules.text(next(gate for gate in GATES if gate.name == name))

    def test_each_kind_has_what_makes_it(self):
        self.assertNotIn("table ip nat", self.text("firewall"))
        self.assertIn("@spoken dnat", self.text("address"))
        self.assertIn("random,fully-random", self.text("random"))
        self.assertIn("numgen inc mod 2000 map { 0 : 30000,", self.text("sequential"))
        self.assertIn('iifname "lan" tcp dport 443 accept', self.text("tcp-443"))
        self.assertIn("ip daddr 192.0.2.28", self.text("hairpin"))
        self.assertNotIn("dnat", self.text("port"))

    def test_IPv6_is_fenced_and_not_translated(self):
        self.assertIn("table ip6 fence", self.text("six"))
        self.assertNotIn("nat", self.text("six"))

    def test_only_the_moving_kind_gives_another_port_each_time(self):
        moving = next(gate for gate in GATES if gate.kind == "moving")
        self.assertNotEqual(rules.forget(moving, 1), rules.forget(moving, 2))
        self.assertNotIn("add element", rules.forget(GATES[1], 1))


class Probe(unittest.TestCase):
    def test_mapping(self):
        self.assertEqual(natprobe.mapping_of("a:1", "a:1", "a:1"), "independent")
        self.assertEqual(natprobe.mapping_of("a:1", "a:1", "a:2"), "address")
        self.assertEqual(natprobe.mapping_of("a:1", "a:2", "a:3"), "address-and-port")
        self.assertEqual(natprobe.mapping_of("a:1", None, "a:3"), "address-and-port")

    def test_ports(self):
        self.assertEqual(natprobe.ports_of(4433, [4433, 4433, 4433]), "kept")
        self.assertEqual(natprobe.ports_of(4433, [9, 9]), "moved")
        self.assertEqual(natprobe.ports_of(4433, [30000, 30001, 30003]), "sequential")
        self.assertEqual(natprobe.ports_of(4433, [40000, 30001, 30003]), "random")

    def test_a_claim_that_the_probe_does_not_confirm_is_told(self):
        self.assertEqual(proof.differences({"udp": True, "hops": 2}, {"udp": True, "hops": 2, "more": 1}), [])
        self.assertEqual(proof.differences({"udp": True, "hops": 2}, {"udp": True}), ["hops is None, not 2"])
        self.assertEqual(proof.differences({"maps": ["upnp"]}, {"maps": []}), ["maps is [], not ['upnp']"])


class Packets(unittest.TestCase):
    FRAME = bytes(12) + b"\x08\x00" + bytes.fromhex("45000000000000004011000001020304c0000218") + bytes.fromhex("115111510134") + bytes(300)

    def setUp(self):
        self.records = Records()

    def parse(self, is_out, frame):
        return parse(1.0, is_out, frame, self.records, "port")

    def test_udp_is_read(self):
        self.assertEqual(self.parse(True, self.FRAME), [(1.0, True, "192.0.2.24", 300)])
        self.assertEqual(self.parse(False, self.FRAME)[0].far, "1.2.3.4")

    def test_udp_on_IPv6_is_read(self):
        addresses = bytes.fromhex("20010db8005700000000000000000020") + bytes.fromhex("20010db8005700400000000000000002")
        frame = bytes(12) + b"\x86\xdd" + bytes.fromhex("6000000001341140") + addresses + bytes.fromhex("115111510134") + bytes(302)
        self.assertEqual(self.parse(True, frame), [(1.0, True, "2001:db8:57:40::2", 300)])
        self.assertEqual(self.parse(False, frame)[0].far, "2001:db8:57::20")
        self.assertEqual(self.parse(True, frame[:40]), [])

    def test_anything_else_is_not(self):
        self.assertEqual(self.parse(True, self.FRAME[:20]), [])
        self.assertEqual(self.parse(True, self.FRAME[:12] + b"\x08\x06" + self.FRAME[14:]), [])
        self.assertEqual(self.parse(True, self.FRAME[:23] + b"\x01" + self.FRAME[24:]), [])

    def test_a_tcp_segment_has_the_frames_of_its_records(self):
        record = b"\x17\x03\x03" + (300 + 19).to_bytes(2, "big") + bytes(319)
        small = b"\x17\x03\x03" + (60 + 19).to_bytes(2, "big") + bytes(79)
        payload = record + small + record
        total = (20 + 32 + len(payload)).to_bytes(2, "big")
        head = bytes(12) + b"\x08\x00" + b"\x45\x00" + total + bytes.fromhex("000000004006000001020304c0000218")
        frame = head + bytes(12) + b"\x80" + bytes(19) + payload + b"padding"
        self.assertEqual(self.parse(True, frame), 2 * [(1.0, True, "192.0.2.24", 300)])

    def test_an_echo_request_has_a_right_checksum(self):
        for payload in (b"", b"abc", bytes(200)):
            self.assertEqual(checksum(echo(7, 9, payload)), 0)


if __name__ == "__main__":
    unittest.main()
