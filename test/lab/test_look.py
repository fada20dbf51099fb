import os
import subprocess
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
        self.image = os.path.join(folder.name, "image.qcow2")
        self.vm = Vm(sites.BETA, self.image, "no disk", folder.name, ())
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

    def test_what_a_machine_of_that_name_said_in_an_earlier_lab_is_not_the_new_one_s(self):
        self.vm.let_end()
        with open(self.vm.console.path, "w", encoding="ascii") as file:
            file.write("WOW: ready t=1.00\n")
        subprocess.run(["qemu-img", "create", "-q", "-f", "qcow2", self.image, "1M"], check=True)
        self.vm.make_disk()
        self.lab.look()
        self.assertEqual([], self.vm.console.steps)


if __name__ == "__main__":
    unittest.main()
