"""The power button of beta, which every hypervisor's "shut down" presses: the machine ends in order, HTCondor and home's file system with it,
and comes back to the pool."""

import os

import probe
from shell import run as command
from tally import must

HOME_AT = (64 + 8192 + 16) << 20


def home(vm):
    """What dumpe2fs says of the home of a machine that is off."""
    raw = vm.disk + ".raw"
    try:
        command("qemu-img", "convert", "-O", "raw", vm.disk, raw)
        return command("dumpe2fs", "-h", f"{raw}?offset={HOME_AT}").stdout
    finally:
        os.remove(raw)


def run(tally, lab):
    """beta is in the pool. alpha is not needed."""
    beta = lab.vms["beta"]
    with tally.case("the power button: the machine ends in order, the pool is told at once, and home's file system is clean"):
        probe.root("beta", "systemctl is-active wow-power.service condor.service")
        beta.let_end()
        with beta.qmp() as qmp:
            qmp.ask("system_powerdown")
        probe.until(lambda: beta.running, lambda running: not running, "ready", "beta does not end")
        with open(beta.console.path, encoding="utf-8", errors="replace") as console:
            said = console.read()
        must("reboot: Power down" in said, f"it ended in another way: {said[-600:]}")
        # Of a machine whose plug is pulled the manager knows for a quarter of an hour.
        probe.until(lambda: probe.slots(lab, "manager"), lambda found: "beta" not in found, "console", "the manager lists beta still")
        found = home(beta)
        must("needs_recovery" not in found and "clean\n" in found, f"home was left open: {found[:800]}")
    with tally.case("switched on again it is in the pool by itself, with the address that it had"):
        address = lab.address("beta")
        beta.power_on()
        probe.until(lambda: (lab.look(), [step.name for step in beta.console.steps])[1], lambda names: "ready" in names, "ready", "beta does not get ready")
        must(lab.address("beta") == address, f"its address {address} became {lab.address('beta')}")
        probe.until(lambda: probe.slots(lab, "manager"), lambda found: "beta" in found, "pool", "beta's slot does not come back")
