"""Disks that hold a whole machine, in every format, and the configuration that was put into them in place: what firmware and initrd make of them."""

import json
import re
import shutil

import configs
import onedisk
from accel import emulator, tcg
from checks import check, expect, long_check, machine_check, run
from initrds import Kernel
from machine import UEFI, UNTIL_HOME, Running
from places import IMAGE, OUT, PARTS, POOL_CONF, ROOT, WORK

NAME = OUT / "wow-amd64"
FOUND = 'tell "verdict $system $(sed -n "s/^name = //p" /run/wow-config/pool.conf 2>/dev/null) ${looked_at##* }"\n'


def stamped(disk, pool):
    """Puts the configuration of a pool of that name into the disk; what was said."""
    conf = WORK / f"{disk.name}.conf"
    conf.write_text(POOL_CONF.replace("name = demo", f"name = {pool}"))
    return run(IMAGE / "stamp", disk, conf)


def copied(name, source):
    """A disk of this name, in the format of `source`, that may be written to."""
    disk = WORK / f"{name}{source.suffix}"
    shutil.copyfile(source, disk)
    return disk


def converted(name, end):
    """The image in another format."""
    disk = WORK / f"{name}{end}"
    run(IMAGE / "convert", f"{NAME}.qcow2", "-o", disk)
    return disk


def taken(name, disk, *options):
    """What the initrd finds where the disk holds the system."""
    return Kernel(name).start(configs.FETCH, configs.FETCH + FOUND, *configs.ON_VIRTIO, *options, words="wow.mode=ephemeral", system=disk).verdicts()


@machine_check
def a_configuration_in_the_partition_of_the_only_disk_is_taken_from_either_half_and_one_on_a_disk_comes_first():
    disk = copied("partition", NAME.with_suffix(".qcow2"))
    for pool in ("first", "second"):
        stamped(disk, pool)
        said = taken(f"partition-{pool}", disk)
        expect(said == [f"/dev/vda3 {pool} /dev/vda5"], f"it took {said}")
    said = taken("partition-newer", disk, *configs.drive("newer", configs.made("newer")), "-device", "virtio-blk-pci,drive=newer")
    expect(said == ["/dev/vda3 newer /dev/vdb"], f"it took {said}")


def verified(image):
    """What `verify` says of an image that is whole."""
    return json.loads(run(IMAGE / "verify", image, "--json"))


@check
def what_is_in_the_image_is_read_from_its_disk_and_is_what_the_build_put_there():
    found = verified(NAME.with_suffix(".vhdx"))
    listed = [line.split() for line in (PARTS / "A.conf").read_text().splitlines() if line and not line.startswith("#")]
    expect([[one[key] for key in ("kind", "name", "file", "sha256")] for one in found["layers"]] == [[*row[:3], row[4]] for row in listed], f"layers: {found['layers']}")
    version = re.search("<Version>(.+)</Version>", (ROOT / "Directory.Build.props").read_text()).group(1)
    expect((found["version"], found["architecture"], found["pool"]) == (version, "amd64", None), f"{found}")


@long_check
def every_form_of_the_image_says_the_same():
    forms = [OUT / f"wow-amd64{end}" for end in (".qcow2", ".ova", "-libvirt.box", "-virtualbox.box")]
    first = verified(NAME.with_suffix(".vhdx"))["layers"]
    for one in (*forms, converted("verified", ".vmdk"), converted("verified", ".raw")):
        expect(verified(one)["layers"] == first, f"{one.name} says something else")


def boots(disk, *options):
    """Stamps it, starts it, and sees that it is in its pool and makes its home there. Then it cannot be stamped again."""
    machine = started(disk, *options)
    try:
        expect_a_home(machine)
    finally:
        ended(machine)
    expect_stamped_no_more(disk)


def started(disk, *options):
    """Stamps it, starts it, and sees that it is in its pool."""
    stamped(disk, "science")
    form, serial = onedisk.form_of(disk), WORK / f"{disk.name}.log"
    machine = Running(disk.name).run(serial, emulator(), "-machine", "q35", *tcg(), "-smp", "1", "-m", "1024", "-display", "none", "-no-reboot", "-nic", "none",
                                     "-serial", f"file:{serial}", "-drive", f"if=virtio,file={disk},format={form}", *options)
    try:
        machine.wait_for("pool=science role=worker", UNTIL_HOME * 4)
    except BaseException:
        ended(machine)
        raise
    return machine


def expect_a_home(machine):
    expect("make=/dev/vda4" in machine.said(), "it made no home in its partition")


def ended(machine):
    """QEMU closes the file in order."""
    machine.process.terminate()
    machine.process.wait()


def expect_stamped_no_more(disk):
    told = run(IMAGE / "stamp", disk, WORK / f"{disk.name}.conf", fails=True)
    expect("a machine was started from this disk" in told, told)


@long_check
def every_format_that_was_stamped_starts_by_bios_and_by_uefi():
    archive = converted("cloud", ".raw.tar.gz")
    for name, options in (("bios", ()), ("uefi", UEFI)):
        for end in (".qcow2", ".vhdx"):
            boots(copied(name, NAME.with_suffix(end)), *options)
        boots(converted(name, ".vmdk"), *options)
        run("tar", "-xf", archive, "-C", WORK)
        boots((WORK / "disk.raw").rename(WORK / f"{name}.raw"), *options)
