"""A VHDX that was stamped, started by UEFI as a machine that has no network card which it can drive: two checks look at that start."""

import cards
import singles
from checks import Start
from machine import UEFI, UNTIL_HOME
from places import WORK

STRANGE = ("-device", "ne2k_pci", "-device", "i82550")
DISK = WORK / "vhdx.vhdx"
START = Start(lambda: singles.started(singles.copied("vhdx", singles.NAME.with_suffix(".vhdx")), *UEFI, *STRANGE))


@START.long_check
def cards_without_a_driver_are_named(machine):
    machine.wait_for("network cards 10ec:8029 and 8086:1209 have no driver here", UNTIL_HOME * 2)
    cards.expect_what_to_do(machine)


@START.long_check
def a_vhdx_that_was_stamped_starts_by_uefi_and_is_in_its_pool(machine):
    singles.expect_a_home(machine)
    singles.ended(machine)
    singles.expect_stamped_no_more(DISK)
