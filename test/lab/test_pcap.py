import os
import tempfile
import unittest

import lab_path  # noqa: F401
import packets
from pcap import PcapError, read


class PcapTests(unittest.TestCase):
    def read(self, data):
        with tempfile.NamedTemporaryFile(delete=False) as file:
            file.write(data)
        self.addCleanup(os.unlink, file.name)
        return list(read(file.name))

    def test_times_and_bytes_come_back_in_every_byte_order_and_unit(self):
        for order in "<>":
            for nano in (False, True):
                found = self.read(packets.pcap([(12.25, b"one"), (13.5, b"two")], order, nano))
                self.assertEqual([(1, 12.25, b"one", 3), (2, 13.5, b"two", 3)],
                                 [(r.number, r.time, r.frame, r.length) for r in found])

    def test_a_last_record_that_is_cut_short_is_left_out(self):
        data = packets.pcap([(1, b"whole"), (2, b"halved")])
        self.assertEqual([b"whole"], [record.frame for record in self.read(data[:-3])])
        self.assertEqual([b"whole"], [record.frame for record in self.read(data[:-10])])

    def test_what_is_no_capture_is_refused_with_its_name(self):
        for data, words in ((b"", "0 bytes"), (bytes(24), "no pcap file"), (packets.pcap([], link=113), "linktype 113")):
            with self.assertRaisesRegex(PcapError, words):
                self.read(data)

    def test_a_record_longer_than_any_frame_is_refused(self):
        data = packets.pcap([(1, b"x")])
        damaged = data[:32] + b"\xff\xff\xff\x7f" + data[36:]
        with self.assertRaisesRegex(PcapError, "record 1 claims"):
            self.read(damaged)


if __name__ == "__main__":
    unittest.main()
