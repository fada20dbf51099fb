import unittest

import iperf
from pressure import Moment

SAID = """Connecting to host 10.128.0.3, port 5201
[  5] local 10.128.0.2 port 38086 connected to 10.128.0.3 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-0.10   sec  11.5 MBytes  965000 Kbits/sec    0   1.12 MBytes
[  5]   0.10-0.20   sec   256 KBytes  20000 Kbits/sec    0   1.12 MBytes
[  5]   0.20-0.30   sec  0.00 Bytes  0.00 Kbits/sec    1   1.41 KBytes
[  5]   0.30-1.20   sec  0.00 Bytes  0.00 Kbits/sec    1   1.41 KBytes
[  5]   1.20-1.30   sec   256 KBytes  21000 Kbits/sec    0   1.12 MBytes
[  5]   1.30-1.40   sec  0.00 Bytes  0.00 Kbits/sec    0   1.12 MBytes
[  5]   1.40-1.70   sec   256 KBytes  7000 Kbits/sec    0   1.12 MBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-1.70   sec  2.50 MBytes  20969 Kbits/sec    1             sender
[  5]   0.00-1.70   sec  2.50 MBytes  20606 Kbits/sec                  receiver

iperf Done.
"""


def stream(*taken):
    """The stream above; the host had taken so much when iperf3 told of its parts."""
    moments = iter(taken or (0.0,) * 7)
    return list(iperf.parts(SAID.splitlines(keepends=True), lambda: Moment(0.0, next(moments))))


class IperfTests(unittest.TestCase):
    def test_parts_are_what_stands_between_the_heads_and_the_sums(self):
        self.assertEqual([(0.1, 965000.0), (0.2, 20000.0), (0.3, 0.0), (1.2, 0.0), (1.3, 21000.0), (1.4, 0.0), (1.7, 7000.0)],
                         [(part.end, part.kbits) for part in stream()])

    def test_the_longest_gap_counts_wholly_where_the_host_takes_nothing(self):
        self.assertAlmostEqual(1.0, iperf.gap(stream(), Moment(0.0, 0.0)))

    def test_what_the_host_took_in_a_gap_does_not_count(self):
        self.assertAlmostEqual(0.4, iperf.gap(stream(0.0, 0.0, 0.0, 0.6, 0.6, 0.6, 0.6), Moment(0.0, 0.0)))

    def test_what_it_took_before_or_after_counts_for_nothing(self):
        self.assertAlmostEqual(1.0, iperf.gap(stream(5.0, 5.0, 5.0, 5.0, 9.0, 9.0, 9.0), Moment(0.0, 0.0)))

    def test_a_stream_that_never_begins_is_a_gap_from_its_start_on(self):
        self.assertAlmostEqual(0.3, iperf.gap([iperf.Part(Moment(0.0, 0.0), 0.3, 0.0)], Moment(0.0, 0.0)))

    def test_the_rate_is_of_the_parts_that_end_later(self):
        self.assertAlmostEqual((21000 * 0.1 + 7000 * 0.3) / 0.5 / 1e3, iperf.rate(stream(), 1.25))


if __name__ == "__main__":
    unittest.main()
