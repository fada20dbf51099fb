"""The whole machine, started as people start it: with little memory, its button pressed too early, a CD, a disk that comes late or is pulled, the OVA's system
swapped for a newer one. Minutes: `run --long`."""

import re
import subprocess
import tarfile

import configdisk
from checks import expect, long_check, note, run
from configs import LOOKS, made
from machine import AHCI, AT_ONCE, UNTIL_HOME, Machine
from owndisks import in_home
from places import OUT, WORK
from power import ORDERLY, pressed_until_it_ends
from qmp import Qmp
from whole import TO_THE_BOOTSTRAP

SIZES = (1024, 512, 384)
"""MiB."""


def card(name, kind="virtio-net-pci"):
    """A card on QEMU's own network, and the file of what goes over it."""
    wire = WORK / f"{name}.pcap"
    wire.unlink(missing_ok=True)
    return wire, ("-netdev", "user,id=net", "-device", f"{kind},netdev=net", "-object", f"filter-dump,id=wire,netdev=net,file={wire}")


def configured(image):
    return "-drive", f"if=virtio,file={image},format=raw,snapshot=on"


def joins(machine, wire, name):
    """Waits until a machine that runs has taken the configuration of a pool, shows its login and asks its bootstrap node."""
    machine.wait_for(f"pool={name}", UNTIL_HOME * 4)
    machine.wait_for("login:", UNTIL_HOME * 4)
    machine.wait_until(lambda: wire.exists() and TO_THE_BOOTSTRAP.search(wire.read_bytes()), "ask its bootstrap node", UNTIL_HOME * 4)


@long_check
def a_machine_with_little_memory_joins_its_pool_too():
    for size in SIZES:
        name = f"memory-{size}"
        wire, options = card(name)
        machine = Machine(name, OUT / "wow.qcow2").start(*configured(made(name)), *options, "-m", size)
        try:
            joins(machine, wire, name)
        finally:
            machine.cut_power()
        expect(not re.search("out of memory|oom-kill", machine.said(), re.IGNORECASE), f"{size} MiB are too little:\n{machine.last()}")
        note(f"{size} MiB: in its place")


@long_check
def the_button_pressed_while_the_machine_starts_does_no_harm_and_pressed_again_ends_it():
    socket = WORK / "early.qmp"
    machine = Machine("early", OUT / "wow.qcow2").start(*configured(made("early")), "-qmp", f"unix:{socket},server=on,wait=off")
    try:
        machine.wait_for("make=/dev/", UNTIL_HOME)
        with Qmp(str(socket)) as qmp:
            qmp.ask("system_powerdown")
            machine.wait_for("WOW: config", UNTIL_HOME * 4)
            presses = pressed_until_it_ends(machine, qmp)
        machine.process.wait(ORDERLY)
    finally:
        machine.cut_power()
    note(f"in the initrd, and {presses} times from the line `config` on")
    expect("reboot: Power down" in machine.said(), f"it ended in another way:\n{machine.last()}")
    state = run("dumpe2fs", "-h", machine.home())
    expect("needs_recovery" not in state and "Filesystem state:         clean" in state, f"home was left open: {state[:600]}")


@long_check
def a_machine_takes_its_configuration_from_a_cd():
    wire, options = card("by-cd")
    machine = Machine("by-cd", OUT / "wow.qcow2").start("-cdrom", made("by-cd", configdisk.make_cd), *options)
    try:
        joins(machine, wire, "by-cd")
    finally:
        machine.cut_power()


@long_check
def a_machine_takes_a_configuration_disk_that_comes_while_it_looks_for_one():
    wire, options = card("comes-late")
    socket = WORK / "comes-late.qmp"
    machine = Machine("comes-late", OUT / "wow.qcow2").start("-device", "virtio-scsi-pci", "-drive", f"if=none,id=late,file={made('comes-late')},format=raw,snapshot=on",
                                                             "-qmp", f"unix:{socket},server=on,wait=off", *options)
    try:
        machine.wait_until(socket.exists, "open its socket", UNTIL_HOME)
        with Qmp(str(socket)) as qmp:
            machine.wait_for(LOOKS, UNTIL_HOME)
            qmp.ask("device_add", driver="scsi-hd", drive="late")
        joins(machine, wire, "comes-late")
    finally:
        machine.cut_power()


@long_check
def a_machine_whose_configuration_disk_was_pulled_goes_on_with_what_it_accepted():
    machine = Machine("pulled", OUT / "wow.qcow2")
    for disk in (configured(made("pulled")), ()):
        wire, options = card("pulled")
        machine.start(*disk, *options)
        try:
            joins(machine, wire, "pulled")
        finally:
            machine.cut_power()
        expect(LOOKS not in machine.said(), "it waits for a disk")


@long_check
def a_newer_ova_s_system_in_the_place_of_the_old_one_keeps_the_machine():
    folder = WORK / "swapped-ova"
    folder.mkdir()
    with tarfile.open(OUT / "wow.ova") as ova:
        ova.extractall(folder, [member for member in ova if member.name.endswith(".vmdk")])
    home = WORK / "swapped-home.qcow2"
    run("qemu-img", "create", "-q", "-f", "qcow2", "-F", "vmdk", "-b", folder / "wowhome.vmdk", home)
    identities = []
    for name, config in (("swapped-old", ("-drive", f"if=ide,file={made('swapped')},format=raw,snapshot=on")),
                         ("swapped-new", ("-drive", f"if=ide,file={folder / 'wowcfg.vmdk'},format=vmdk,snapshot=on"))):
        wire, options = card(name, "vmxnet3")
        machine = Machine(name, folder / "wow.vmdk", AHCI, form="vmdk")
        machine.start("-drive", f"if=ide,file={home},format=qcow2,{AT_ONCE}", *config, *options)
        try:
            joins(machine, wire, "swapped")
        finally:
            machine.cut_power()
        raw = WORK / "swapped-home.disk"
        run("qemu-img", "convert", "-O", "raw", home, raw)
        # What it wrote last is in the journal alone, where debugfs does not look. It ends with 1 where it mended something.
        subprocess.run(["e2fsck", "-p", raw], check=False, capture_output=True)
        identities.append(in_home(raw, "/state/machine-id").strip())
    expect(re.fullmatch("[0-9a-f]{32}", identities[0]) and identities[0] == identities[1], f"two machines: {identities}")
