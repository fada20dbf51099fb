"""The whole machine on each controller of docs/contract/hardware.json, and with each card alone. Minutes each: `run --long`."""

import re

import configdisk
from accel import emulator, tcg
from checks import Wrong, expect, long_check, note, run
from hardware import CARDS, CONTROLLERS
from machine import UNTIL_HOME, Running
from places import OUT, POOL_CONF, WORK

TO_THE_BOOTSTRAP = re.compile(rb"\xc0\x00\x02\x01..\x11\x51", re.DOTALL)
"""POOL_CONF's bootstrap node as an IPv4 packet has it: the target at the header's end, behind it UDP's ports."""


def started(name, *options, machine="q35"):
    """Boots a disk over the image by its firmware; an option gives `drive=system` a place."""
    serial, disk = WORK / f"{name}.log", WORK / f"{name}.qcow2"
    run("qemu-img", "create", "-q", "-f", "qcow2", "-F", "qcow2", "-b", OUT / "wow.qcow2", disk)
    return Running(name).run(serial, emulator(), "-machine", machine, *tcg(), "-smp", "1", "-m", "1024", "-display", "none", "-no-reboot",
                             "-serial", f"file:{serial}", "-drive", f"if=none,id=system,file={disk},format=qcow2", *options)


def each(things, tried):
    """Tries all, and names those that failed."""
    failed = []
    for one in things:
        try:
            note(f"{one.name}: {tried(one):.0f} s")
        except Wrong as wrong:
            failed.append(f"{one.name}: {wrong}")
    expect(not failed, "\n".join(failed))


@long_check
def a_machine_shows_its_login_from_every_controller():
    def tried(one):
        machine = started(f"whole-{one.driver}", "-nic", "none", *one.qemu, machine=one.machine)
        try:
            return machine.wait_for("login:", UNTIL_HOME * 4)
        finally:
            machine.cut_power()
    each(CONTROLLERS, tried)


@long_check
def a_machine_reaches_out_by_every_card():
    folder, config = WORK / "whole-config", WORK / "whole-config.img"
    folder.mkdir()
    (folder / "pool.conf").write_text(POOL_CONF)
    configdisk.make(config, configdisk.entries_of(folder))

    def tried(one):
        wire = WORK / f"whole-{one.driver}.pcap"
        machine = started(f"whole-{one.driver}", "-device", "virtio-blk-pci,drive=system", "-drive", f"if=virtio,file={config},format=raw,snapshot=on",
                          "-netdev", "user,id=net", *one.qemu[:-1], f"{one.qemu[-1]},netdev=net", "-object", f"filter-dump,id=wire,netdev=net,file={wire}")
        try:
            return machine.wait_until(lambda: wire.exists() and TO_THE_BOOTSTRAP.search(wire.read_bytes()), "ask its bootstrap node", UNTIL_HOME * 4)
        finally:
            machine.cut_power()
    each(CARDS, tried)
