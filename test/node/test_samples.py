"""The answers of ipopd that these tests go by are as the contract says: what changes there shows here."""
import pathlib
import sys
import unittest

import samples

CLONE = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(CLONE / "test"))

from contract import control  # noqa: E402


class Samples(unittest.TestCase):
    def test_each_is_as_the_contract_says(self):
        contract = control.read(CLONE)
        for name, sample in (("status", samples.STATUS), ("peer", samples.PEER), ("ping", samples.PING), ("trace", samples.TRACE)):
            self.assertEqual(control.faults(contract, name, sample), [], name)


if __name__ == "__main__":
    unittest.main()
