"""One virtual machine: an overlay over the image, its WOWCFG disk, its console, its power switch."""

import os
import time

import steal
from accel import emulator
from cleanup import RUNTIME, end
from console import Console
from network import inside
from qmp import Qmp
from shell import LabError, run, start

MEMORY = 768
"""MiB of a guest."""


class Vm:
    """A Machine with disks. processors is the number of virtual CPUs; boot adds QEMU options (a kernel of one's own)."""

    def __init__(self, machine, image, config, folder, accelerator, processors=1, boot=()):
        self.machine = machine
        self.disk = os.path.join(folder, machine.name + ".qcow2")
        self.console = Console(os.path.join(folder, machine.name + "-serial.log"))
        self.powered = None
        self._qmp = os.path.join(RUNTIME, machine.name + ".qmp")
        self._image = image
        self._config = config
        self._log = os.path.join(folder, machine.name + "-qemu.log")
        self._accelerator = accelerator
        self._processors = processors
        self._boot = boot
        self._process = None

    def make_disk(self):
        """A new machine: an empty layer over the image, where whatever it writes goes, and a console on which nothing was said yet."""
        self._clear_console()
        run("qemu-img", "create", "-q", "-f", "qcow2", "-F", "qcow2", "-b", os.path.abspath(self._image), self.disk)

    def power_on(self, *more):
        """Starts QEMU in the machine's namespace, with options more; the serial log is begun anew."""
        os.makedirs(RUNTIME, exist_ok=True)
        self._clear_console()
        begin = time.time()
        self._process = start(*inside(self.machine.namespace, *self._command(), *more), log=self._log)
        steal.CLOCK.watch(self._process.pid)
        # Last: somebody else may look at it meanwhile, and it is not to be found powered without a process.
        self.powered = begin

    def _clear_console(self):
        if os.path.exists(self.console.path):
            os.remove(self.console.path)
        self.console = Console(self.console.path)

    def board(self):
        """The QEMU program, and its options that say which computer this is."""
        return emulator(), "-machine", "q35", *self._accelerator

    def _command(self):
        return (
            *self.board(), "-name", "wowlab-" + self.machine.name, "-nodefaults", "-display", "none", "-smp", self._processors, "-m", MEMORY, "-rtc", "base=utc",
            "-drive", f"if=none,id=system,file={self.disk},format=qcow2,cache=unsafe", "-device", "virtio-blk-pci,drive=system",
            "-drive", f"if=none,id=config,file={self._config},format=raw,readonly=on", "-device", "virtio-blk-pci,drive=config",
            "-netdev", f"tap,id=wire,ifname={self.machine.tap},script=no,downscript=no",
            "-device", f"virtio-net-pci,netdev=wire,mac={self.machine.mac},romfile=", "-device", "virtio-rng-pci",
            "-chardev", f"file,id=console,path={self.console.path}", "-serial", "chardev:console",
            "-qmp", f"unix:{self._qmp},server=on,wait=off", *self._boot)

    def let_end(self):
        """From now on it may end by itself, until it is switched on again."""
        self.powered = None

    @property
    def running(self):
        """Whether QEMU runs."""
        return self._process is not None and self._process.poll() is None

    def check(self):
        """Raises LabError if QEMU has ended by itself."""
        if not self.running:
            with open(self._log, encoding="utf-8", errors="replace") as log:
                said = log.read().strip()[-1000:]
            raise LabError(f"QEMU ended: {said or 'without a word'}", self.machine.name, "power")

    def qmp(self, timeout=10):
        """A connection to the machine's QEMU, which may take so many seconds for an answer."""
        return Qmp(self._qmp, timeout)

    def reset(self):
        """The reset button."""
        with self.qmp() as qmp:
            qmp.ask("system_reset")

    def pull_plug(self):
        """Ends QEMU at once, as a power cut does."""
        if self.running:
            end([self._process.pid])
        self._process = None
