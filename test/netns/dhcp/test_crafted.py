"""Unit tests of the frames that no sound program sends."""

import random
import struct
import unittest

import crafted

MAC = bytes.fromhex("020000000077")


class Frames(unittest.TestCase):
    """What the kernel lets us send, and nothing else is wrong with it."""

    def test_each_has_an_Ethernet_header_and_a_name_of_its_own(self):
        """A packet socket takes no less."""
        found = crafted.frames(MAC, "10.128.0.7")
        self.assertEqual(len({what for what, _, _ in found}), len(found))
        self.assertTrue(all(len(frame) >= 14 and frame[6:12] == MAC for _, _, frame in found))

    def test_a_header_has_the_right_sum_also_where_it_has_options(self):
        """RFC 1071: the sum over a right header is all ones."""
        for options in (b"", b"\x01\x01\x01\x00"):
            packet = crafted.ipv4("10.0.0.1", "10.0.0.2", 17, b"xyz", options=options)
            self.assertEqual(sum(struct.unpack(f">{(20 + len(options)) // 2}H", packet[:20 + len(options)])) % 0xffff, 0)
            self.assertEqual(struct.unpack(">H", packet[2:4])[0], len(packet))

    def test_mutants_are_the_same_for_a_seed_fit_the_tap_and_differ_from_each_other(self):
        """A failure can be repeated."""
        sound = [frame for _, _, frame in crafted.frames(MAC, "10.128.0.7")]
        once, again = (list(crafted.mutants(random.Random(1), sound, 500)) for _ in range(2))
        self.assertEqual(once, again)
        self.assertTrue(all(14 <= len(frame) <= 1294 for frame in once))
        self.assertGreater(len(set(once)), 400)


if __name__ == "__main__":
    unittest.main()
