"""Whether a wire on which a nonce was used twice would be told from one on which none was."""

import pathlib
import struct
import sys
import unittest

import lab_path  # noqa: F401  makes the lab's modules importable
from pcap import Record

TEST = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TEST / folder) for folder in ("vm", "netns")]

import snapshot  # noqa: E402

SOURCE, PEER = "192.168.23.100", bytes((198, 51, 100, 10))


def frame(index, counter, salt=b"\x01\x02\x03\x04\x05\x06", body=b"x" * 40, kind=0x11, source=SOURCE, port=4433):
    """An Ethernet frame with a data frame of the overlay."""
    head = bytes([kind]) + salt[:3] + struct.pack("!I", index) + salt[3:] + counter.to_bytes(5, "big")
    payload = head + body
    ip = struct.pack("!BBHHHBBH", 0x45, 0, 28 + len(payload), 0, 0, 64, 17, 0) + bytes(map(int, source.split("."))) + PEER
    return b"\x02" * 12 + b"\x08\x00" + ip + struct.pack("!HHHH", 4433, port, 8 + len(payload), 0) + payload


class Nonces(unittest.TestCase):
    def judge(self, *frames):
        """What snapshot.nonces says."""
        return snapshot.nonces([Record(number, 0.0, one, len(one)) for number, one in enumerate(frames, 1)], SOURCE)

    def test_counters_that_grow_and_salts_that_differ_are_right(self):
        self.assertEqual(self.judge(frame(7, 0), frame(7, 1), frame(8, 0)), (3, 2, [], 0))
        self.assertEqual(self.judge(frame(7, 5), frame(7, 5, salt=b"abcdef", body=b"y" * 40)), (2, 1, [], 1))

    def test_another_message_with_the_same_nonce_and_key_is_found(self):
        frames, _, repeated, _ = self.judge(frame(7, 5), frame(7, 6), frame(7, 5, body=b"y" * 40))
        self.assertEqual((frames, repeated), (3, [frame(7, 5)[42:58]]))

    def test_the_same_datagram_seen_twice_and_the_same_nonce_with_another_key_are_no_harm(self):
        self.assertEqual(self.judge(frame(7, 5), frame(7, 5), frame(9, 5))[2], [])
        self.assertEqual(self.judge(frame(7, 5), frame(7, 5, body=b"y" * 40, port=9))[2], [])

    def test_what_is_no_data_frame_of_the_machine_is_left_out(self):
        self.assertEqual(self.judge(frame(7, 5, kind=0x10), frame(7, 5, source="192.168.23.1"), frame(7, 5)[:50], b"")[0], 0)


class Keyed(unittest.TestCase):
    def test_an_sa_that_is_only_waited_for_is_none(self):
        listed = ("src 10.128.1.1 dst 10.128.0.1\n\tproto esp spi 0xce96cfce reqid 77 mode transport\n\treplay-window 0 \n"
                  "\taead rfc4106(gcm(aes)) 0x00 128\nsrc 10.128.1.1 dst 10.128.0.1\n\tproto esp spi 0xc78ef316 reqid 77 mode transport\n"
                  "\tsel src 10.128.1.1/32 dst 10.128.0.1/32 proto icmp type 8 code 0 dev wow0 \n")
        self.assertEqual(snapshot.keyed(listed), {"0xce96cfce"})


if __name__ == "__main__":
    unittest.main()
