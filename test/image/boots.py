"""The image started: power cuts, homes that stay, layers that are bad."""

import re
import shutil
import subprocess
import time

from accel import emulator, tcg
from checks import expect, long_check, machine_check, run
from machine import AHCI, UEFI, UNTIL_HOME, Machine
from places import HOME_AT, IMAGE, LAYERS, OUT, PARTS, ROOT, WORK

LARGER = 20
"""GiB."""
MARK = "written before the base was replaced\n"


def machine_id(machine):
    text = machine.read("/state/machine-id").strip()
    expect(re.fullmatch("[0-9a-f]{32}", text), f"machine-id: {text}")
    return text


def disk_with(layers, name):
    """An image with other layers (a list of KIND=FILE); returns the qcow2."""
    folder = WORK / name
    folder.mkdir(exist_ok=True)
    for layer in layers:
        kind, file = layer.split("=", 1)
        place = folder / file.rsplit("/", 1)[1]
        place.unlink(missing_ok=True)
        place.symlink_to(file)
    listed = run(IMAGE / "stack-list", *layers)
    (WORK / f"{name}.conf").write_text(listed)
    return listed, folder


def assemble(name, folder):
    run(IMAGE / "disk", PARTS / "base", PARTS / "initrd.img", WORK / f"{name}.conf", folder, PARTS / "trees", OUT / "licences.txt", WORK / f"{name}.raw")
    run(IMAGE / "one-disk", WORK / f"{name}.raw")
    run("qemu-img", "convert", "-f", "raw", "-O", "qcow2", WORK / f"{name}.raw", WORK / f"{name}-image.qcow2")
    (WORK / f"{name}.raw").unlink()
    return WORK / f"{name}-image.qcow2"


@long_check
def power_cut_in_the_first_boot_then_a_base_replaced_and_home_is_kept():
    machine = Machine("cut", OUT / "wow.qcow2").start()
    try:
        machine.wait_for("make=/dev/", UNTIL_HOME)
        time.sleep(0.4)  # into the making of the file system
    finally:
        machine.cut_power()
    machine.menus = 1
    machine.run_selftest()
    before = machine_id(machine)

    # Power goes again, in the middle of a later boot.
    machine.start()
    try:
        machine.wait_for("login:", UNTIL_HOME * 4)
    finally:
        machine.cut_power()

    # The newer system: the same packages and one module more, so that it has another list of layers.
    recipe = WORK / "newer"
    shutil.rmtree(recipe, ignore_errors=True)
    (recipe / "root/usr/share/wow/newer").mkdir(parents=True)
    (recipe / "root/usr/share/wow/newer/mark").write_text("newer\n")
    (recipe / "module.ini").write_text("[module]\nname = newer\nversion = 1.0\ndescription = One file\nlicence = MIT\n")
    run(LAYERS / "publish", "--base", PARTS / "base", "--about", PARTS / "base.json", recipe, "-o", WORK / "newer.squashfs")
    stack = (PARTS / "stack").read_text().splitlines()
    listed, folder = disk_with([*stack, f"module={WORK / 'newer.squashfs'}"], "newer-layers")
    image = assemble("newer-layers", folder)
    replaced = WORK / "replaced.qcow2"
    write_mark(machine)
    run(IMAGE / "replace-base", machine.disk, image, "-o", replaced)
    expect("module newer" in listed, listed)

    # On a larger disk home grows to its end.
    after = Machine("after", replaced)
    run("qemu-img", "resize", "-q", after.disk, f"{LARGER}G")
    after.run_selftest()
    expect(machine_id(after) == before, "the machine-id changed")
    expect(after.read("/home/mark") == MARK, "the file in home is gone")
    blocks = int(re.search(r"^Block count: +(\d+)", run("dumpe2fs", "-h", after.home()), re.MULTILINE).group(1))
    expect(blocks == ((LARGER << 30) - HOME_AT) // 4096 - 256 - 16, f"home has {blocks} blocks")


def write_mark(machine):
    """Puts a file into the home layer of a machine that is off, whose journal is first replayed as its next boot would."""
    place = machine.home()
    raw = place.split("?")[0]
    (WORK / "mark").write_text(MARK)
    subprocess.run(["e2fsck", "-p", place], check=False, capture_output=True)
    run("debugfs", "-w", "-R", f"write {WORK / 'mark'} home/mark", place)
    machine.disk.unlink()
    run("qemu-img", "convert", "-f", "raw", "-O", "qcow2", raw, machine.disk)


@long_check
def packer_boots_the_image_and_believes_its_serial_marker():
    shutil.rmtree(OUT / "boot", ignore_errors=True)
    try:
        settings = "CHECKPOINT_DISABLE=1 PACKER_NO_COLOR=1 PACKER_CACHE_DIR=build/packer"
        text = run("sh", "-c", f"cd {ROOT} && {settings} packer build -only=boot -force -var qemu={emulator()} -var cpu={tcg()[-1]} packer.json")
        expect("Builds finished" in text, text[-300:])
    finally:
        shutil.rmtree(OUT / "boot", ignore_errors=True)


@machine_check
def a_damaged_layer_stops_the_boot_by_uefi_and_is_named():
    stack = (PARTS / "stack").read_text().splitlines()
    listed, folder = disk_with(stack, "damaged-layers")
    node = folder / "node.squashfs"
    data = bytearray(node.read_bytes())
    data[len(data) // 2] ^= 1
    node.unlink()
    node.write_bytes(data)
    file = re.search(r"node-[0-9a-f]+\.squashfs", listed).group()
    image = assemble("damaged-layers", folder)
    raw = WORK / "damaged.raw"
    esp = f"{raw}@@{2 * 1024 * 1024}"
    run("qemu-img", "convert", "-O", "raw", image, raw)
    # At every boot small layers are read whole, this one only when the kernel's command line asks.
    menu = run("mtype", "-i", esp, "::/grub/grub.cfg")
    (WORK / "grub.cfg").write_text(menu.replace(" rw\"", " rw wow.verify=1\""))
    run("mcopy", "-o", "-i", esp, WORK / "grub.cfg", "::/grub/grub.cfg")
    run("qemu-img", "convert", "-f", "raw", "-O", "qcow2", raw, image)
    machine = Machine("damaged", image).start(*UEFI)
    try:
        machine.wait_for(f"file=/layers/{file} what=\"the layer is damaged", UNTIL_HOME)
        # People get a screen of its own, without the kernel's times.
        for words in ("\nThis machine cannot start.", "\nWhat:  the layer is damaged", f"\nFile:  /layers/{file}", "\nTo do: take a fresh image"):
            machine.wait_for(words, UNTIL_HOME)
    finally:
        machine.cut_power()


@long_check
def a_missing_layer_stops_the_boot_from_ahci_and_is_named():
    stack = (PARTS / "stack").read_text().splitlines()
    listed, folder = disk_with(stack, "missing-layers")
    image = assemble("missing-layers", folder)
    file = re.search(r"tutorial-[0-9a-f]+\.squashfs", listed).group()
    raw = WORK / "missing.raw"
    run("qemu-img", "convert", "-O", "raw", image, raw)
    run("debugfs", "-w", "-R", f"rm layers/{file}", f"{raw}?offset={64 * 1024 * 1024}")
    run("qemu-img", "convert", "-f", "raw", "-O", "qcow2", raw, image)
    machine = Machine("missing", image, AHCI).start()
    try:
        machine.wait_for(f"file=/layers/{file} what=\"the layer is missing", UNTIL_HOME)
    finally:
        machine.cut_power()
