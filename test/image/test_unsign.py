"""Kernel modules without their signatures."""

import struct
import unittest

from test_module import ROOT, tool

unsign = tool(ROOT / "appliance/base/unsign")


class Signatures(unittest.TestCase):
    def test_a_signature_is_cut_off(self):
        tail = struct.pack(">BBBBB3xI", 0, 0, 2, 3, 4, 50) + b"~Module signature appended~\n"
        self.assertEqual(unsign.unsigned(b"module" + bytes(3 + 4 + 50) + tail), b"module")

    def test_a_module_without_one_stays_as_it_is(self):
        self.assertEqual(unsign.unsigned(b"module"), b"module")


if __name__ == "__main__":
    unittest.main()
