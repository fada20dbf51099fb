import os
import tempfile
import unittest

import lab_path  # noqa: F401
import packets
from frames import parse
from sealed import TapRule
from verdict import judge
from wire import WireRule

CA, OWN, OTHER = "10.128.0.1", "10.128.3.4", "10.128.9.9"


class TapRuleTests(unittest.TestCase):
    def setUp(self):
        self.rule = TapRule(CA, {OWN: 100.0}, slack=2.0)

    def kind(self, frame, time=50.0):
        return self.rule(parse(frame), time)

    def test_what_a_sealed_tap_carries_is_named(self):
        self.assertEqual("ARP", self.kind(packets.ethernet(0x0806, bytes(28))))
        self.assertEqual("DHCP", self.kind(packets.udp("0.0.0.0", 68, "255.255.255.255", 67)))
        self.assertEqual("IKE", self.kind(packets.udp(OWN, 500, OTHER, 500)))
        self.assertEqual("ESP", self.kind(packets.ipv4(50, OWN, OTHER, bytes(20)), time=1e9))

    def test_icmp_is_allowed_from_ipopd_itself_alone(self):
        self.assertEqual("ICMP error", self.kind(packets.ipv4(1, "10.128.255.254", OWN, bytes(36))))
        self.assertIsNone(self.kind(packets.ipv4(1, OTHER, OWN, bytes(36))))
        self.assertIsNone(self.kind(packets.ipv4(1, OWN, "10.128.255.254", bytes(36))))

    def test_the_ca_is_open_until_the_certificate_is_there(self):
        asks, proves = packets.tcp(OWN, 40000, CA, 8443), packets.tcp(CA, 40000, OWN, 8444)
        for frame, answer, kind in ((asks, packets.tcp(CA, 8443, OWN, 40000), "enrolment"),
                                    (proves, packets.tcp(OWN, 8444, CA, 40000), "possession")):
            for packet in (frame, answer):
                self.assertEqual(kind, self.kind(packet, 101.9))
                self.assertIsNone(self.kind(packet, 102.1))

    def test_a_connection_of_that_time_may_say_goodbye_for_a_minute(self):
        asks, late, reset = (packets.tcp(*ends, data) for ends, data in (
            ((OWN, 40000, CA, 8443), b"data"), ((OWN, 40000, CA, 8443), b""), ((CA, 8443, OWN, 40000), b"")))
        self.assertIsNone(self.kind(late, 103.0), "nothing of it was seen before")
        self.assertEqual("enrolment", self.kind(asks, 99.0))
        for packet in (late, reset):
            self.assertEqual("enrolment", self.kind(packet, 161.9))
            self.assertIsNone(self.kind(packet, 162.1))
        self.assertIsNone(self.kind(asks, 103.0), "it carries data")
        self.assertIsNone(self.kind(packets.tcp(OWN, 40001, CA, 8443, b""), 103.0), "another connection")

    def test_the_exemption_is_for_those_ports_and_those_two_machines_only(self):
        for frame in (packets.tcp(OWN, 40000, CA, 8444), packets.tcp(CA, 40000, OWN, 8443), packets.tcp(OWN, 8443, CA, 40000),
                      packets.tcp(OWN, 40000, OTHER, 8443), packets.tcp(OTHER, 40000, CA, 8443), packets.tcp(OWN, 40000, CA, 9618)):
            self.assertIsNone(self.kind(frame), parse(frame))

    def test_plain_traffic_is_forbidden(self):
        for frame in (packets.udp(OWN, 5353, "224.0.0.251", 5353), packets.udp(OWN, 4500, OTHER, 4500), packets.udp(OWN, 500, OTHER, 501),
                      packets.udp(OWN, 68, OTHER, 53), packets.ipv4(1, OWN, OTHER, bytes(8)), packets.ethernet(0x86DD, bytes(40)),
                      packets.ethernet(0x88CC, b""), packets.udp(OWN, 68, OTHER, 67, fragment=9), b"short"):
            self.assertIsNone(self.kind(frame), parse(frame))


class WireRuleTests(unittest.TestCase):
    rule = WireRule("192.168.21.100", "192.168.21.1", {"192.168.21.100": 20021, "192.168.22.100": 20022, "198.51.100.10": 4433}, "198.51.100.10")

    def kind(self, frame):
        return self.rule(parse(frame), 1.0)

    def test_what_the_fence_lets_through_is_named(self):
        here, gateway = "192.168.21.100", "192.168.21.1"
        for frame, kind in (
                (packets.ethernet(0x0806, bytes(28)), "ARP"), (packets.udp("0.0.0.0", 68, "255.255.255.255", 67), "DHCP"),
                (packets.udp(here, 20021, "198.51.100.10", 4433), "overlay"), (packets.udp("198.51.100.22", 1024, here, 20021), "overlay"),
                (packets.tcp(here, 40000, "198.51.100.10", 443), "overlay by TCP"), (packets.tcp("198.51.100.10", 4433, here, 40000), "overlay by TCP"),
                (packets.tcp(here, 443, "192.168.22.100", 443), "overlay by TCP"), (packets.tcp("198.51.100.22", 20022, here, 20021), "overlay by TCP"),
                (packets.tcp(here, 40000, "198.51.100.22", 20022), "overlay by TCP"), (packets.tcp("198.51.100.22", 20022, here, 40000), "overlay by TCP"),
                (packets.udp(here, 40000, gateway, 53), "DNS"), (packets.udp(gateway, 53, here, 40000), "DNS"),
                (packets.udp(here, 40000, gateway, 5351), "port mapping"), (packets.udp(gateway, 5351, here, 40000), "port mapping"),
                (packets.udp(here, 40000, "239.255.255.250", 1900), "port mapping"), (packets.udp(gateway, 1900, here, 40000), "port mapping"),
                (packets.tcp(gateway, 40000, here, 22), "ssh"), (packets.tcp(here, 22, gateway, 40000), "ssh"),
                (packets.tcp(here, 40000, gateway, 53), "DNS"), (packets.ipv4(1, gateway, here, bytes(8)), "ICMP inwards"),
                (packets.ipv4(2, here, "224.0.0.22", bytes(8)), "IGMP"), (packets.udp(here, 20021, "239.255.87.79", 4433), "overlay"),
                (packets.udp("192.168.21.7", 40000, "239.255.87.79", 4433), "overlay by multicast"), (packets.ipv6(58, b"\x85\0"), "neighbour discovery"), (packets.ipv6(17, b"\x02\x22\x02\x23"), "DHCPv6"),
                (packets.ipv6(17, b"\x4e\x35\x11\x51", target="ff15::8057:4f57"), "overlay by multicast"), (packets.ipv6(58, b"\x82\0"), "neighbour discovery")):
            self.assertEqual(kind, self.kind(frame), parse(frame))

    def test_a_frame_may_come_from_any_port_to_where_the_overlay_listens(self):
        here, there, frame = "192.168.21.100", "198.51.100.10", b"\x11" + bytes(41)
        for right in (packets.udp(here, 40000, there, 4433, frame), packets.udp(there, 4433, here, 40000, frame), packets.udp(there, 4433, here, 40000, b"\x10" + bytes(91))):
            self.assertEqual("overlay by a guessed port", self.kind(right))
        for wrong in (packets.udp(here, 40000, there, 4434, frame), packets.udp(here, 40000, there, 4433, b"\x45" + frame[1:]), packets.udp(here, 40000, there, 4433, b""),
                      packets.udp("192.168.21.7", 40000, there, 4433, frame), packets.udp(there, 4433, "192.168.21.7", 40000, frame)):
            self.assertIsNone(self.kind(wrong))

    def test_a_knock_may_come_from_any_port_if_it_is_one(self):
        here, knock = "192.168.21.100", b"\x12\x01\x00\x01" + bytes(42)
        self.assertEqual("knock of the overlay", self.kind(packets.udp(here, 40000, "198.51.100.10", 4433, knock)))
        self.assertEqual("knock of the overlay", self.kind(packets.udp("198.51.100.22", 50000, here, 40001, b"\x12\x01\x00\x02" + knock[4:])))
        for data in (knock[:-1], knock + b"\0", b"\x10" + knock[1:], b"\x12\x01\x00\x03" + knock[4:], b"\x12\x02" + knock[2:]):
            self.assertIsNone(self.kind(packets.udp(here, 40000, "198.51.100.10", 4433, data)), data)
        self.assertIsNone(self.kind(packets.udp("192.168.21.7", 40000, "198.51.100.10", 4433, knock)))

    def test_a_leak_is_forbidden(self):
        here, gateway = "192.168.21.100", "192.168.21.1"
        for frame in (
                packets.tcp(here, 40000, "198.51.100.1", 443), packets.tcp(here, 443, "198.51.100.10", 40000),
                packets.tcp(here, 443, "198.51.100.22", 40000), packets.tcp("198.51.100.22", 40000, here, 443),
                packets.tcp("192.168.21.7", 443, "198.51.100.22", 443),
                packets.udp(here, 123, "198.51.100.1", 123), packets.udp(here, 40000, "198.51.100.1", 53), packets.tcp(here, 40000, gateway, 22),
                packets.udp(here, 40000, "198.51.100.1", 5351), packets.udp(here, 5351, gateway, 40000), packets.udp(here, 40000, "239.255.255.250", 5353),
                packets.tcp(here, 40000, gateway, 5351),
                packets.tcp("198.51.100.9", 40000, here, 22), packets.udp(here, 40000, "198.51.100.10", 4433), packets.tcp(here, 40000, "198.51.100.1", 53), packets.ipv6(58, b"\x80\0"), packets.ipv6(17, bytes(8)),
                packets.ipv4(1, here, gateway, bytes(8)), packets.ipv4(2, here, "224.0.0.251", bytes(8)), packets.ipv4(2, "192.168.21.7", "224.0.0.22", bytes(8)),
                packets.udp(here, 40000, "239.255.87.79", 4433), packets.udp(here, 20022, "198.51.100.10", 4433), packets.udp(here, 4433, "198.51.100.10", 4433), packets.ipv4(50, here, gateway, bytes(8)),
                packets.ethernet(0x86DD, bytes(40)), packets.ipv6(17, b"\x11\x51\x11\x51", target="ff05::1"),
                packets.ipv6(17, b"\x11\x51\x11\x51", "2001:db8::1", "ff15::8057:4f57"), packets.ipv6(17, b"\x11\x52\x11\x51", target="ff15::8057:4f57")):
            self.assertIsNone(self.kind(frame), parse(frame))


class VerdictTests(unittest.TestCase):
    def test_kinds_are_counted_and_a_forbidden_packet_is_named(self):
        frames = [(1.0, packets.udp(OWN, 500, OTHER, 500)), (2.0, packets.ipv4(50, OWN, OTHER, bytes(9))),
                  (3.0, packets.tcp(OWN, 40000, OTHER, 9618)), (4.0, packets.ipv4(50, OWN, OTHER, bytes(9)))]
        with tempfile.NamedTemporaryFile(delete=False) as file:
            file.write(packets.pcap(frames))
        self.addCleanup(os.unlink, file.name)
        verdict = judge(file.name, TapRule(CA, {}))
        self.assertEqual({"IKE": 1, "ESP": 2, "FORBIDDEN": 1}, dict(verdict.kinds))
        self.assertEqual(2.0, verdict.first["ESP"])
        self.assertEqual(["packet 3 at 3.000: TCP 10.128.3.4:40000 > 10.128.9.9:9618, 58 bytes"], verdict.violations)


if __name__ == "__main__":
    unittest.main()
