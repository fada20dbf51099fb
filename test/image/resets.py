"""Somebody resets a machine with two systems before its initrd is at its end, under the real GRUB: a system that is whole is not left for that."""

import json

from checks import expect, long_check
from machine import UNTIL_HOME
from paired import image
from rotten import FINDINGS, Rotten


def expect_block(machine, **values):
    """GRUB's block has these values; what it does not name is empty."""
    found = dict(line.split("=", 1) for line in machine.environment().splitlines() if "=" in line and not line.startswith("#"))
    expect({name: found.get(name, "") for name in values} == values, f"GRUB has {found}, and was to have {values}")


@long_check
def two_resets_early_in_a_start_have_no_system_left_that_is_whole():
    """GRUB takes the other system, whose initrd finds that this one is whole, and has the machine start with it again."""
    own = image()
    machine = Rotten("resets", own, own)
    try:
        for number in range(2):
            # From the second start on GRUB shows its menu.
            machine.menus = number
            machine.start()
            # The first word is that it makes its home.
            machine.wait_for("WOW: home", UNTIL_HOME)
            machine.cut_power()
        expect_block(machine, system="", damaged="", unfinished="again")
        machine.menus = 1
        machine.start()
        machine.wait_for("the system A is whole: this machine starts with it again", UNTIL_HOME * 2)
        machine.ends()
        expect_block(machine, system="A", trial="", damaged="", looked="whole", unfinished="no")
        machine.up()
        expect(machine.says() == {"system": "A", "trial": "", "left": "", "damaged": ""}, f"it says {machine.says()}")
        expect(not json.loads(machine.ask(FINDINGS)), "the doctor accuses a system")
        expect_block(machine, system="A", damaged="", looked="", unfinished="no")
    finally:
        machine.cut_power()
