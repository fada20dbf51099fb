import pathlib
import struct
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from records import Records  # noqa: E402


def record(length):
    return b"\x17\x03\x03" + struct.pack("!H", length) + bytes(length)


def segment(sequence, payload, flags=0):
    return struct.pack("!HHIIBBHHH", 4433, 4433, sequence % (1 << 32), 0, 0x50, flags, 0, 0, 0) + payload


class Streams(unittest.TestCase):
    def setUp(self):
        self.records = Records()

    def take(self, sequence, payload, stream="one"):
        return self.records.take(stream, segment(sequence, payload))

    def test_a_record_in_a_segment_of_its_own(self):
        self.assertEqual(self.take(0, record(300)), [300])
        self.assertEqual(self.take(305, record(41)), [41])

    def test_several_records_in_one_segment(self):
        self.assertEqual(self.take(7, record(300) + record(120) + record(300)), [300, 120, 300])

    def test_a_record_that_is_cut_anywhere_ends_where_its_last_byte_comes(self):
        both = record(300) + record(80)
        for cut in range(4, len(both)):
            records = Records()
            found = records.take("one", segment(9, both[:cut])), records.take("one", segment(9 + cut, both[cut:]))
            self.assertEqual(found[0] + found[1], [300, 80], cut)
            self.assertEqual(len(found[0]), cut >= 305, cut)

    def test_what_comes_again_counts_once_also_with_something_new_behind_it(self):
        self.assertEqual(self.take(0, record(300)), [300])
        self.assertEqual(self.take(0, record(300)), [])
        self.assertEqual(self.take(0, record(300) + record(90)), [90])

    def test_sequence_numbers_go_round(self):
        last = (1 << 32) - 100
        self.assertEqual(self.take(last, record(300)), [300])
        self.assertEqual(self.take(last + 305, record(60)), [60])

    def test_after_a_gap_it_counts_from_the_next_segment_that_begins_with_a_record(self):
        self.assertEqual(self.take(0, record(300)[:200]), [])
        self.assertEqual(self.take(900, bytes(100)), [])
        self.assertEqual(self.take(1000, record(50)), [50])

    def test_streams_do_not_mix_and_what_is_empty_or_short_says_nothing(self):
        self.assertEqual(self.take(0, record(300)[:200]), [])
        self.assertEqual(self.take(0, record(77), "two"), [77])
        self.assertEqual(self.take(200, b""), [])
        self.assertEqual(self.records.take("one", b"\x00" * 10), [])
        self.assertEqual(self.take(200, record(300)[200:]), [300])

    def test_a_connection_on_the_ports_of_a_former_one_is_new_wherever_its_numbers_lie(self):
        self.assertEqual(self.take(2_000_000_000, record(300)), [300])
        self.assertEqual(self.records.take("one", segment(999, b"", flags=0x02)), [])
        self.assertEqual(self.take(1000, record(301)), [301])


if __name__ == "__main__":
    unittest.main()
