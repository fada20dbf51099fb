import random
import struct
import unittest

import lab_path  # noqa: F401
import packets
from frames import parse


class FrameTests(unittest.TestCase):
    def test_a_datagram_has_addresses_and_ports(self):
        packet = parse(packets.udp("10.0.0.1", 68, "10.0.0.2", 67))
        self.assertEqual(("10.0.0.1", 68, "10.0.0.2", 67, 17),
                         (packet.source, packet.source_port, packet.target, packet.target_port, packet.protocol))
        self.assertEqual("UDP 10.0.0.1:68 > 10.0.0.2:67", str(packet))

    def test_ip_options_do_not_move_the_ports(self):
        self.assertEqual({68, 67}, parse(packets.udp("10.0.0.1", 68, "10.0.0.2", 67, options=bytes(8))).ports())

    def test_a_later_fragment_has_no_ports(self):
        self.assertEqual(set(), parse(packets.udp("10.0.0.1", 68, "10.0.0.2", 67, fragment=100)).ports())

    def test_ipv6_is_followed_through_its_extension_headers(self):
        address = bytes(15) + b"\x01"
        options = bytes([17, 0]) + bytes(6)
        body = struct.pack("!IHBB", 6 << 28, 16, 0, 64) + address + address + options + struct.pack("!HHHH", 1, 2, 8, 0)
        packet = parse(packets.ethernet(0x86DD, body))
        self.assertEqual((17, 1, 2, "::1"), (packet.protocol, packet.source_port, packet.target_port, packet.source))

    def test_arp_and_strangers_are_named(self):
        self.assertEqual("ARP", str(parse(packets.ethernet(0x0806, bytes(28)))))
        self.assertEqual("ethertype 0x88cc", str(parse(packets.ethernet(0x88CC, b""))))
        self.assertEqual("ESP 10.0.0.1 > 10.0.0.2", str(parse(packets.ipv4(50, "10.0.0.1", "10.0.0.2", bytes(20)))))

    def test_cut_and_random_frames_never_raise(self):
        chance = random.Random(3)
        whole = packets.udp("10.0.0.1", 68, "10.0.0.2", 67)
        named = [length for length in range(len(whole) + 1) if parse(whole[:length]).target_port == 67]
        self.assertEqual(list(range(14 + 20 + 4, len(whole) + 1)), named)
        for _ in range(2000):
            frame = chance.randbytes(12) + chance.choice([b"\x08\x00", b"\x86\xdd", b"\x08\x06"]) + chance.randbytes(chance.randrange(80))
            self.assertTrue(str(parse(frame)))


if __name__ == "__main__":
    unittest.main()
