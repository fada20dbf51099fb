"""Firmware that looks at signatures: with Secure Boot on the machine starts, its kernel takes signed modules alone, and a kernel that nobody signed is not started.
Of the machine that was started so the power button is pressed."""

import shutil

import power
from checks import Start, expect, long_check, note
from developing import Developed
from machine import UNTIL_HOME, Machine
from paired import Paired, System, image
from places import OUT, WORK

FIRMWARE = "/usr/share/OVMF/OVMF_CODE_4M.ms.fd"
KEYS = {"on": "/usr/share/OVMF/OVMF_VARS_4M.ms.fd", "off": "/usr/share/OVMF/OVMF_VARS_4M.fd"}
"""The variables of Debian's package ovmf: with Microsoft's keys, as new machines have them, and without any."""
LOCKED = """\
set -e
grep -F '[integrity]' /sys/kernel/security/lockdown
[ "$(cat /sys/module/module/parameters/sig_enforce)" = Y ]
grep '^ext4 ' /proc/modules
grep '^tun ' /proc/modules
[ -z "$(grep '(.*)$' /proc/modules)" ]
modprobe nls_utf8
modprobe esp4
ip -o link show wow0
nft list ruleset | grep chain
! insmod /run/layers/0/usr/lib/modules/*/kernel/drivers/net/ethernet/realtek/8139too.ko
"""
"""What such a kernel is: the initrd's modules and others are there, each by its signature; the tap and the fence are; a module without the mark of one is refused."""


def firmware(name, secure):
    """QEMU's options. The firmware's variables are writable in System Management Mode alone, as Secure Boot wants it."""
    variables = WORK / f"{name}.vars"
    shutil.copyfile(KEYS[secure], variables)
    return ("-global", "driver=cfi.pflash01,property=secure,value=on", "-drive", f"if=pflash,unit=0,format=raw,readonly=on,file={FIRMWARE}",
            "-drive", f"if=pflash,unit=1,format=raw,file={variables}")


class Secure(Developed):
    """A machine of a pool, with Secure Boot on, a root shell for the test, and a button."""

    def __init__(self, name):
        super().__init__(name)
        self.control = WORK / f"{name}.qmp"

    def start(self, *options):
        self.control.unlink(missing_ok=True)
        return super().start(*options, *firmware(self.name, "on"), "-qmp", f"unix:{self.control},server=on,wait=off")


def started():
    """A machine that people can use."""
    machine = Secure("secure-boot")
    try:
        machine.up()
    except BaseException:
        machine.cut_power()
        raise
    return machine


SECURE = Start(started)


@SECURE.check
def with_secure_boot_on_the_machine_starts_and_takes_signed_modules_alone(machine):
    machine.ask(LOCKED)


@SECURE.check
def the_power_button_ends_in_an_orderly_shutdown_with_home_clean(machine):
    machine.ask("until systemctl --quiet is-active wow-power.service; do sleep 1; done")  # on a slow computer it comes long after the prompt
    power.ends_in_order(machine, machine.control, lambda qmp: qmp.ask("system_powerdown"), "reboot: Power down")


@long_check
def with_secure_boot_on_the_machine_passes_its_own_test():
    Machine("secure-boot-test", OUT / "wow.qcow2").run_selftest(*firmware("secure-boot-test", "on"))


@long_check
def with_secure_boot_on_a_kernel_that_nobody_signed_is_not_started_and_the_former_system_is():
    own = image()
    middle = len(own.files["kernel"]) // 2
    changed = bytearray(own.files["kernel"])
    changed[middle] ^= 1
    other = System(**{**own.files, "kernel": bytes(changed)})
    machine = Paired("secure-boot-trial", other)
    machine.firmware = firmware(machine.name, "on")
    try:
        machine.up()
        machine.publish(12, other, "kernel")
        machine.ask("systemctl reboot")
        machine.ends()
        machine.starts_in_vain(is_waited=False)
        machine.up()
        expect(machine.says() == {"system": "A", "trial": "", "left": "B", "damaged": ""}, f"it says {machine.says()}")
    finally:
        machine.cut_power()


@long_check
def the_same_firmware_starts_the_machine_with_secure_boot_off():
    machine = Machine("secure-boot-off", OUT / "wow.qcow2").start(*firmware("secure-boot-off", "off"))
    try:
        note(f"login after {machine.wait_for('login:', UNTIL_HOME * 4):.0f} s")
    finally:
        machine.cut_power()
