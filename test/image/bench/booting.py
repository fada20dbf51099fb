"""From power-on to the login on the serial console: this image and the one before it, on one processor and on two; a first boot with a large home and a small one."""

import pathlib
import tarfile
import time

import configdisk
from accel import emulator, tcg
from checks import expect, run
from clock import COUNTED, Clock
from machine import AHCI, UNTIL_HOME, Running
from places import OUT, POOL_CONF, WORK
from power import pressed_until_it_ends
from qmp import Qmp

PROCESSORS = (1, 2)
HOMES = (8, 64)
"""GiB."""
PATIENCE = UNTIL_HOME * 5
LOOK = 0.02
OFF = 300


class Timed(Running):
    """A machine whose own time is read."""

    def login(self, name, processors, disks, executes=COUNTED, goes_off=False):
        """Starts it, and returns the seconds of its own from power-on to the login; then it goes off in order, or is cut. `disks` are options of -drive."""
        serial, socket = WORK / f"{name}.log", WORK / f"{name}.qmp"
        self.run(serial, emulator(), "-machine", "q35", *executes, "-smp", processors, "-m", 1024, "-display", "none", "-no-reboot", "-nic", "none",
                 "-serial", f"file:{serial}", "-qmp", f"unix:{socket},server=on,wait=on", *(word for disk in disks for word in ("-drive", disk)))
        try:
            self.wait_until(socket.exists, "open its socket", UNTIL_HOME)
            with Qmp(str(socket)) as qmp:
                clock, started = Clock(qmp), time.monotonic()
                # The console is looked at first: a look at the clock tells of a time that is no earlier.
                while "login:" not in self.said():
                    clock.seconds()
                    expect(self.process.poll() is None and time.monotonic() - started < PATIENCE, f"{name} shows no login:\n{self.last()}")
                    time.sleep(LOOK)
                took = clock.seconds()
                if goes_off:
                    pressed_until_it_ends(self, qmp)
            if goes_off:
                self.process.wait(OFF)
        finally:
            self.cut_power()
        return round(took, 2)


def config():
    """A configuration disk, as every machine of a pool has one."""
    folder, image = WORK / "bench-config", WORK / "bench-config.img"
    folder.mkdir(exist_ok=True)
    (folder / "pool.conf").write_text(POOL_CONF)
    configdisk.make(image, configdisk.entries_of(folder))
    return f"if=virtio,file={image},format=raw,snapshot=on"


def used(name, image):
    """A machine that was started and ended in order once, and its disk, which the next starts leave as it is."""
    disk = WORK / f"{name}.qcow2"
    run("qemu-img", "create", "-q", "-f", "qcow2", "-F", "qcow2", "-b", pathlib.Path(image).resolve(), disk)
    Timed(name).login(name, 1, [f"if=virtio,file={disk},format=qcow2", config()], tcg(), goes_off=True)
    return f"if=virtio,file={disk},format=qcow2,snapshot=on"


def login(asked):
    """Rounds of later boots, interleaved; `before` is there where the former image is."""
    images = {"now": OUT / "wow.qcow2"}
    if asked.before:
        images["before"] = pathlib.Path(asked.before) / "wow.qcow2"
        expect(images["before"].exists(), f"{images['before']}: no such file; BEFORE names the folder build/out of the commit before")
    disks = {name: used(f"used-{name}", image) for name, image in images.items()}
    found = {str(processors): {name: [] for name in images} for processors in PROCESSORS}
    for number in range(asked.rounds):
        for processors in PROCESSORS:
            for name, disk in disks.items():
                took = Timed(name).login(f"login-{name}-{processors}-{number}", processors, [disk, config()])
                found[str(processors)][name].append(took)
    return {"seconds": found}


def home(asked):
    """First boots of the OVA's disks, whose home has one size and the other."""
    folder = WORK / "bench-ova"
    folder.mkdir()
    with tarfile.open(OUT / "wow.ova") as ova:
        ova.extractall(folder, [member for member in ova if member.name == "wow.vmdk"])
    found = {str(size): [] for size in HOMES}
    for number in range(asked.rounds):
        for size in HOMES:
            blank = WORK / f"home-{size}-{number}.qcow2"
            run("qemu-img", "create", "-q", "-f", "qcow2", blank, f"{size}G")
            disks = [f"if={AHCI},file={folder / 'wow.vmdk'},format=vmdk,snapshot=on", f"if={AHCI},file={blank},format=qcow2", config()]
            found[str(size)].append(Timed("home").login(f"home-{size}-{number}", 1, disks))
            blank.unlink()
    return {"seconds": found}
