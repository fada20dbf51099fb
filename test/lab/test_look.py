import os
import tempfile
import unittest

import lab_path  # noqa: F401
import sites
from lab import Lab
from shell import LabError, start
from vm import Vm


class Look(unittest.TestCase):
    """What the lab makes of a machine whose QEMU has ended."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.vm = Vm(sites.BETA, "no image", "no disk", folder.name, ())
        self.lab = Lab(folder.name, None, lambda text: None)
        self.lab.vms = {"beta": self.vm}
        self.vm._process = start("true", log=os.path.join(folder.name, "beta-qemu.log"))
        self.vm._process.wait()
        self.vm.powered = 1.0

    def test_one_that_ended_by_itself_is_a_failure(self):
        with self.assertRaises(LabError):
            self.lab.look()

    def test_one_that_may_end_is_none(self):
        self.vm.let_end()
        self.lab.look()
        self.assertFalse(self.vm.running)

    def test_one_whose_kernel_gave_up_is_not_waited_for(self):
        self.vm.let_end()
        self.lab.timeline.power("beta", 1.0)
        with open(self.vm.console.path, "w", encoding="ascii") as file:
            file.write("[    0.068000] Kernel panic - not syncing: no timer\n")
        with self.assertRaisesRegex(LabError, "beta's kernel gave up: no timer"):
            self.lab.wait("ring", "beta")


if __name__ == "__main__":
    unittest.main()
