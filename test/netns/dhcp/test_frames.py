"""Unit tests of the reader of recorded DHCP messages."""

import struct
import unittest

import frames


def frame(kind, client=bytes(4), options=b""):
    """A DHCP message to the server as it stands on the wire."""
    bootp = bytes(12) + client + bytes(220) + b"\x63\x82\x53\x63" + bytes([53, 1, kind]) + options + b"\xff"
    udp = struct.pack(">HHHH", 68, 67, 8 + len(bootp), 0) + bootp
    return bytes(12) + b"\x08\x00" + b"\x45" + bytes(8) + b"\x11" + bytes(2) + bytes(4) + b"\xff\xff\xff\xff" + udp


def record(*found):
    """A pcap file."""
    return bytes(24) + b"".join(struct.pack("<IIII", 0, 0, len(one), len(one)) + one for one in found)


class Frames(unittest.TestCase):
    """What is read, and what is not."""

    def test_kinds_of_requests_are_told_apart(self):
        """RFC 2131, section 4.3.2."""
        address = bytes([10, 128, 0, 9])
        renewal, reboot, selecting = frames.messages(record(
            frame(3, client=address), frame(3, options=b"\x32\x04" + address), frame(3, options=b"\0\x32\x04" + address + b"\x36\x04" + address)))
        self.assertEqual((renewal.is_renewal, renewal.is_reboot, renewal.client), (True, False, "10.128.0.9"))
        self.assertEqual((reboot.is_renewal, reboot.is_reboot, reboot.wanted), (False, True, "10.128.0.9"))
        self.assertEqual((selecting.is_renewal, selecting.is_reboot, selecting.wanted), (False, False, "10.128.0.9"))
        self.assertEqual((renewal.kind, renewal.source, renewal.destination), ("REQUEST", "0.0.0.0", "255.255.255.255"))

    def test_what_is_cut_off_or_not_dhcp_is_left_out(self):
        """A file that is being written, and other frames."""
        whole = record(frame(1), bytes(60), frame(2))
        self.assertEqual([message.kind for message in frames.messages(whole)], ["DISCOVER", "OFFER"])
        self.assertEqual([message.kind for message in frames.messages(whole[:-1])], ["DISCOVER"])
        self.assertEqual(frames.messages(b""), [])


if __name__ == "__main__":
    unittest.main()
