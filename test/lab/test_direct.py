import os
import tempfile
import unittest

import lab_path  # noqa: F401
import direct
import packets
import sites

PORTS = {sites.ALPHA.address: 20021, sites.BETA.address: 20022}


class DirectTests(unittest.TestCase):
    def capture(self, records):
        with tempfile.NamedTemporaryFile(delete=False) as file:
            file.write(packets.pcap(records))
        self.addCleanup(os.unlink, file.name)
        return file.name

    def heard(self, machine, peer, moment):
        return moment, packets.udp(peer.public, PORTS[peer.address], machine.address, PORTS[machine.address])

    def test_both_must_have_heard_the_other_and_the_later_counts(self):
        alpha = self.capture([(1.0, packets.udp(sites.MANAGER.public, 4433, sites.ALPHA.address, PORTS[sites.ALPHA.address])), self.heard(sites.ALPHA, sites.BETA, 3.0)])
        beta = self.capture([self.heard(sites.BETA, sites.ALPHA, 2.0), self.heard(sites.BETA, sites.ALPHA, 9.0)])
        self.assertEqual(3.0, direct.both_ways((alpha, sites.ALPHA), (beta, sites.BETA), PORTS))

    def test_one_way_or_relayed_is_not_direct(self):
        alpha = self.capture([(1.0, packets.udp(sites.MANAGER.public, 4433, sites.ALPHA.address, PORTS[sites.ALPHA.address]))])
        beta = self.capture([self.heard(sites.BETA, sites.ALPHA, 2.0)])
        self.assertIsNone(direct.both_ways((alpha, sites.ALPHA), (beta, sites.BETA), PORTS))


if __name__ == "__main__":
    unittest.main()
