"""One virtual machine under QEMU's software emulation, watched on its serial console."""

import contextlib
import os
import pathlib
import subprocess
import time

from checks import Wrong, expect, run, spent
from places import HOME_AT, WORK  # also makes the lab's modules importable

import steal
from accel import emulator, tcg
from qmp import Qmp
from screen import Screen
from shell import LabError

UEFI = ("-bios", "/usr/share/ovmf/OVMF.fd")
MENU = ("Press enter to boot", "keeping nothing (ephemeral)")
"""Words of GRUB's menu: on the serial console, and on the screen."""
LOOK = 0.5
"""Seconds between two looks at the screen, which are a tenth of a second of processor."""
AHCI = "ide"  # on QEMU's q35 machine
AT_ONCE = "cache=writethrough,file.cache.no-flush=on"
"""Of a drive: each write leaves QEMU at once, so a killed QEMU is a power cut. What the host's kernel was given it keeps, so nobody waits until that is on the host's
own disk: a write then took as long as all that other tests had written to it. It is said of the file, not of the drive: a qcow2 would keep its tables (QEMU drops
BDRV_REQ_FUA where it is not to flush), and what was written last would read as zeros after the cut."""
KEPT_BY_HOST = "cache.no-flush=on"
"""The same of what QEMU keeps nothing of itself, such as a raw file. A flush of the guest's is heard, and noted where there is a log of writes."""
SELFTEST = "type=11,value=io.systemd.credential:wow.selftest=1"
# Ten times what a quiet machine with two cores needs: QEMU's emulation is the first to feel that others work.
UNTIL_HOME = 120
UNTIL_SELFTEST = 600
UNTIL_END = 480
"""For an orderly end, and for a start that the firmware and the 15 s of GRUB's menu come before and that starts the machine again."""


class Measured(subprocess.Popen):
    """A process whose processor time is counted for the check that runs in this thread, when it has ended."""

    def poll(self):
        if self.returncode is None and os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG):
            # It is there until somebody asks how it ended.
            after_name = pathlib.Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
            spent((int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK"))
            return super().wait()
        return self.returncode

    def wait(self, timeout=None):
        """Until it has ended; so many seconds at most in which it had a processor, or no use for one."""
        limit = None if timeout is None else steal.now() + timeout
        while self.poll() is None:
            if limit is not None and steal.now() > limit:
                raise subprocess.TimeoutExpired(self.args, timeout)
            time.sleep(0.05)
        return self.returncode


class Running:
    """QEMU's process and the serial console that it writes."""

    def __init__(self, name):
        self.name = name
        self.process = None
        self.serial = None

    def run(self, serial, *command):
        """Switches on."""
        self.serial = serial
        self.serial.unlink(missing_ok=True)
        self.process = Measured([str(word) for word in command], stdin=subprocess.DEVNULL)
        steal.CLOCK.watch(self.process.pid)
        return self

    def said(self):
        return self.serial.read_text(errors="replace") if self.serial.exists() else ""

    def wait_for(self, word, seconds):
        """Waits until the console says a word; returns the seconds that it took."""
        return self.wait_until(lambda: word in self.said(), f"say {word}", seconds)

    def wait_until(self, happened, what, seconds):
        """Waits for something that the machine does, so many seconds in which it had a processor, or no use for one; returns the seconds that it took, of the day."""
        started, limit = time.monotonic(), steal.now() + seconds
        while not happened():
            if self.process.poll() is not None and not happened():
                raise Wrong(f"{self.name} stopped and did not {what}; its last words:\n{self.last()}")
            if steal.now() > limit:
                raise Wrong(f"{self.name} did not {what} within {seconds} s; its last words:\n{self.last()}")
            time.sleep(0.1)
        return time.monotonic() - started

    def ends(self):
        """Waits until it has ended by itself, as QEMU does where the machine starts again, too (-no-reboot)."""
        return self.wait_until(lambda: self.process.poll() is not None, "end", UNTIL_END)

    def last(self):
        return "\n".join("       | " + line for line in self.said().splitlines()[-12:])

    def answers(self):
        """Whether it runs."""
        return self.process is not None and self.process.poll() is None

    def cut_power(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
        if self.process:
            self.process.wait()


class Machine(Running):
    """A disk over the image, and the process that runs it. Each start has a serial log of its own."""

    def __init__(self, name, image, bus="virtio", form="qcow2"):
        self.disk = WORK / f"{name}.qcow2"
        self.disk.unlink(missing_ok=True)
        super().__init__(name)
        self.bus = bus
        self.starts = 0
        self.menus = 0
        """So many of the next starts show GRUB's menu, for a start before them did not come to its end. Enter is pressed in these: GRUB waits 15 s for a
        key, and keeps the processor busy meanwhile."""
        run("qemu-img", "create", "-q", "-f", "qcow2", "-F", form, "-b", pathlib.Path(image).resolve(), self.disk)

    def start(self, *options):
        """Switches on. Writes reach the file at once, as a disk without a cache would: a killed QEMU is a power cut."""
        self.starts += 1
        serial, socket = WORK / f"{self.name}-{self.starts}.log", WORK / f"{self.name}-menu.qmp"
        socket.unlink(missing_ok=True)
        menu = ("-qmp", f"unix:{socket},server=on,wait=off") if self.menus else ()
        self.run(serial, emulator(), "-machine", "q35", *tcg(), "-smp", "1",
                 "-m", "1024", "-display", "none", "-no-reboot", "-serial", f"file:{serial}", "-nic", "none",
                 "-drive", f"if={self.bus},file={self.disk},format=qcow2,{AT_ONCE}", *menu, *options)
        if menu:
            self.menus -= 1
            self._press_enter(socket)
        return self

    def _press_enter(self, socket):
        """At GRUB's menu: that of UEFI writes to the serial console, too, that of BIOS to the screen alone."""
        place = WORK / f"{self.name}-menu"
        place.mkdir(exist_ok=True)
        self.wait_until(socket.exists, "open its QMP", UNTIL_HOME)
        with Qmp(str(socket)) as qmp:
            screen = Screen(lambda: contextlib.nullcontext(qmp), place)

            def shown():
                time.sleep(LOOK)
                with contextlib.suppress(LabError):  # a screen that is being set up is no text
                    return MENU[0] in self.said() or MENU[1] in screen.text()
                return False
            self.wait_until(shown, "show GRUB's menu", UNTIL_HOME)
            screen.press("ret")

    def run_selftest(self, *options):
        """Boots, lets the machine test itself, and returns what it said. It switches itself off."""
        self.start("-smbios", SELFTEST, *options)
        try:
            self.wait_for("WOW-SELFTEST-", UNTIL_SELFTEST)
            self.process.wait(UNTIL_SELFTEST)
        finally:
            self.cut_power()
        said = self.said()
        expect("WOW-SELFTEST-OK" in said and "WOW-SELFTEST-FAILED" not in said, f"{self.name}: {self.last()}")
        return said

    def home(self):
        """The start of WOWHOME in a raw copy of the disk, as debugfs wants it."""
        raw = WORK / f"{self.name}.raw"
        run("qemu-img", "convert", "-O", "raw", self.disk, raw)
        return f"{raw}?offset={HOME_AT}"

    def read(self, path):
        """A file of the home layer."""
        # Its greeting goes to the error output.
        return subprocess.run(["debugfs", "-R", f"cat {path}", self.home()], check=True, capture_output=True, text=True).stdout
