"""A machine that has no network card which it can drive says so on its console, and does not blame the pool."""

import configdisk
from checks import expect, long_check
from machine import UNTIL_HOME, Machine
from places import OUT, POOL_CONF, WORK


def told(name, words, *cards):
    """Boots a machine with these cards alone, and waits for its console to say the words."""
    folder, disk = WORK / f"cards-{name}", WORK / f"cards-{name}.img"
    folder.mkdir()
    (folder / "pool.conf").write_text(POOL_CONF)
    configdisk.make(disk, configdisk.entries_of(folder))
    machine = Machine(name, OUT / "wow.qcow2").start(*cards, "-drive", f"if=virtio,file={disk},format=raw")
    try:
        machine.wait_for(words, UNTIL_HOME * 2)
    finally:
        machine.cut_power()
    expect_what_to_do(machine)


def expect_what_to_do(machine):
    """The console says which cards are driven, and does not blame the pool."""
    expect("virtio or vmxnet3" in machine.said() and "no machine of pool" not in machine.said(), machine.last())


@long_check
def a_machine_without_a_card_says_so():
    told("none", "there is no network card")
