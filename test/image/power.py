"""Switching off and starting again by the machine's own keys, as a hypervisor's "shut down" does: in order, and home's file system is clean. And starting again by
itself after a kernel's panic."""

import os
import time

import rootshell
from checks import expect, long_check, note, run
from developing import RUNTIME, Shelled
from machine import UEFI, UNTIL_HOME, Machine
from places import OUT, WORK
from qmp import Qmp
from shell import LabError

SETTLED = 10
"""Seconds from the prompt on until everything that is to start has started."""
ORDERLY = 90
"""Seconds that an orderly end may take under emulation; HTCondor, which may take longer for its jobs, does not run here."""
PRESSES = 90
"""So often the button is pressed, once a second, at most."""
KEYS = [{"type": "qcode", "data": key} for key in ("ctrl", "alt", "delete")]
USB = ("-machine", "q35,i8042=off", "-device", "qemu-xhci", "-device", "usb-kbd")
"""A machine whose only keyboard hangs on USB, as UTM's and libvirt's."""


def pressed_until_it_ends(machine, qmp):
    """Presses the button each second, as somebody does who sees nothing happen; returns how often."""
    for number in range(PRESSES):
        try:
            qmp.ask("system_powerdown")
        except (LabError, OSError):
            return number  # it is off
        time.sleep(1)
        if machine.process.poll() is not None:
            return number + 1
    return PRESSES


def pressed(name, press, goodbye, *options):
    """Starts a machine, presses a key when people may log in, and waits until it has ended by itself. -no-reboot: a restart ends QEMU, too."""
    socket = WORK / f"{name}.qmp"
    machine = Machine(name, OUT / "wow.qcow2").start("-qmp", f"unix:{socket},server=on,wait=off", *options)
    try:
        ends_in_order(machine, socket, press, goodbye)
    finally:
        machine.cut_power()


def ends_in_order(machine, socket, press, goodbye):
    """Presses a key of a machine that runs when people may log in, and waits until it has ended by itself, with its home clean."""
    machine.wait_for("login:", UNTIL_HOME * 2)
    started = time.monotonic()
    with Qmp(str(socket)) as qmp:
        time.sleep(SETTLED)
        press(qmp)
    machine.wait_until(lambda: machine.process.poll() is not None, "end", ORDERLY)
    note(f"{machine.name}: off after {time.monotonic() - started:.1f} s")
    expect(goodbye in machine.said(), f"the console does not say {goodbye}:\n{machine.last()}")
    state = run("dumpe2fs", "-h", f"{machine.home()}")
    expect("needs_recovery" not in state and "Filesystem state:         clean" in state, f"home was left open: {state[:600]}")


@long_check
def by_uefi_with_a_usb_keyboard_ctrl_alt_del_restarts_the_machine_in_order():
    pressed("usb-keys", lambda qmp: qmp.ask("send-key", keys=KEYS), "reboot: Restarting system", *UEFI, *USB)


@long_check
def and_with_an_old_keyboard_by_bios():
    pressed("keys", lambda qmp: qmp.ask("send-key", keys=KEYS), "reboot: Restarting system")


@long_check
def a_kernel_that_gives_up_starts_again_by_itself_from_an_hour_on_and_stays_before_that():
    os.makedirs(RUNTIME, exist_ok=True)
    machine = Shelled("panic", OUT / "wow.qcow2").start(*rootshell.options("panic"))
    try:
        machine.wait_for("login:", UNTIL_HOME * 2)
        said = machine.ask("cat /proc/sys/kernel/panic; systemctl show -P TimersMonotonic wow-panic.timer; systemctl is-active wow-panic.timer")
        expect(said.startswith("0\n") and "OnBootUSec=1h " in said and said.endswith("\nactive"), f"it says {said}")
        machine.ask("systemctl start wow-panic.service")
        expect(machine.ask("cat /proc/sys/kernel/panic") == "30", "the hour's unit changes nothing")
        machine.ask("(sleep 1; echo c > /proc/sysrq-trigger) > /dev/null 2>&1 &")
        machine.wait_for("Kernel panic - not syncing: sysrq", UNTIL_HOME)
        # -no-reboot: a restart ends QEMU.
        took = machine.wait_until(lambda: machine.process.poll() is not None, "start again", ORDERLY)
        expect("Rebooting in 30 seconds" in machine.said(), f"it ended otherwise:\n{machine.last()}")
        note(f"panic: starts again after {took:.0f} s")
    finally:
        machine.cut_power()
