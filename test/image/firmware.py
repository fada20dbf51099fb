"""Firmware that looks at signatures: what a volunteer sees whose machine has Secure Boot on, and that the machine starts when it is off. Minutes: `run --long`."""

import shutil

from accel import emulator, tcg
from checks import expect, long_check, note, run
from machine import UNTIL_HOME, Running
from places import OUT, WORK

FIRMWARE = "/usr/share/OVMF/OVMF_CODE_4M.ms.fd"
KEYS = {"on": "/usr/share/OVMF/OVMF_VARS_4M.ms.fd", "off": "/usr/share/OVMF/OVMF_VARS_4M.fd"}
"""The variables of Debian's package ovmf: with Microsoft's keys, as new machines have them, and without any."""
REFUSES = "Access Denied"
"""What EDK II says when an image is signed by nobody that it knows (EFI_ACCESS_DENIED). docs/hypervisors.md tells it."""


def started(secure):
    """Boots the image by this firmware. Its variables are writable in System Management Mode alone, as Secure Boot wants it."""
    name = f"secure-boot-{secure}"
    serial, variables, disk = WORK / f"{name}.log", WORK / f"{name}.vars", WORK / f"{name}.qcow2"
    shutil.copyfile(KEYS[secure], variables)
    run("qemu-img", "create", "-q", "-f", "qcow2", "-F", "qcow2", "-b", OUT / "wow.qcow2", disk)
    return Running(name).run(serial, emulator(), "-machine", "q35,smm=on", *tcg(), "-smp", "1", "-m", "1024", "-display", "none", "-no-reboot", "-nic", "none",
                             "-global", "driver=cfi.pflash01,property=secure,value=on", "-drive", f"if=pflash,unit=0,format=raw,readonly=on,file={FIRMWARE}",
                             "-drive", f"if=pflash,unit=1,format=raw,file={variables}", "-drive", f"if=virtio,file={disk},format=qcow2", "-serial", f"file:{serial}")


@long_check
def with_secure_boot_on_the_firmware_says_that_it_may_not_start_the_disk():
    machine = started("on")
    try:
        machine.wait_for(REFUSES, UNTIL_HOME)
    finally:
        machine.cut_power()
    note(next(line.strip() for line in machine.said().splitlines() if REFUSES in line))
    expect("WOW: " not in machine.said(), f"it started all the same:\n{machine.last()}")


@long_check
def the_same_firmware_starts_the_machine_with_secure_boot_off():
    machine = started("off")
    try:
        note(f"login after {machine.wait_for('login:', UNTIL_HOME * 4):.0f} s")
    finally:
        machine.cut_power()
