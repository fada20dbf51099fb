import subprocess
import unittest
from unittest import mock

import lab_path  # noqa: F401
import accel


class TcgTests(unittest.TestCase):
    def test_only_an_old_qemu_is_told_that_there_is_no_cmpxchg16b(self):
        for version, cpu in (("7.2.22 (Debian 1:7.2)", "max,cx16=off"), ("8.2.0", "max,cx16=off"), ("10.0.13 (Debian)", "max"), ("9.0.0", "max"),
                             ("of one's own", "max,cx16=off")):
            said = subprocess.CompletedProcess([], 0, f"QEMU emulator version {version}\n", "")
            with mock.patch.object(accel, "emulator", return_value="qemu"), mock.patch.object(accel, "run", return_value=said):
                self.assertEqual(accel.tcg()[-2:], ("-cpu", cpu), version)


if __name__ == "__main__":
    unittest.main()
