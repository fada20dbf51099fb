import subprocess
import unittest
from unittest import mock

import lab_path  # noqa: F401
import accel


class TcgTests(unittest.TestCase):
    def test_only_an_old_qemu_is_told_that_there_is_no_cmpxchg16b(self):
        for version, is_old in (("7.2.22 (Debian 1:7.2)", True), ("8.2.0", True), ("10.0.13 (Debian)", False), ("9.0.0", False), ("of one's own", True)):
            said = subprocess.CompletedProcess([], 0, f"QEMU emulator version {version}\n", "")
            with mock.patch.object(accel, "emulator", return_value="qemu"), mock.patch.object(accel, "run", return_value=said):
                option, cpu = accel.tcg()[-2:]
                self.assertEqual((option, "max" in cpu, "cx16=off" in cpu), ("-cpu", True, is_old), version)


if __name__ == "__main__":
    unittest.main()
