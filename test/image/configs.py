"""Where the machine finds its configuration: on any controller, late, on a CD; and how it goes on without."""

import configdisk
import volumes
from checks import expect, long_check, machine_check, run
from initrds import Kernel
from machine import UNTIL_HOME, Machine
from places import IMAGE, OUT, POOL_CONF, WORK
from qmp import Qmp

FETCH = "fetch_config\n"
ONCE = FETCH + 'tell "verdict pool=$(sed -n "s/^name = //p" /run/wow-config/pool.conf 2>/dev/null)"\n'
# A sleep of this machine ends when the disk is there, so that no clock decides.
UNTIL_A_DISK = """\
usleep() {
    [ -e /dev/sda ] || tell "verdict waits"
    while [ ! -e /dev/sda ]; do sleep 1; done
}
"""
TWICE = f"""\
mkdir -p "${{accepted%/*}}"
echo x > "$accepted"
{ONCE}
tell "verdict and nothing accepted"
rm "$accepted"
{ONCE}
"""
VOLUMES_END = 19 * 2048
"""Where an ISO 9660's list of volumes ends: three sectors from the 16th on."""

LOOKS = "looks for a disk or CD labelled WOWCFG"
ON_VIRTIO = ("-device", "virtio-blk-pci,drive=system")


def folder(name, text=None):
    """A folder laid out as the disk, with a pool.conf that names the pool `name`."""
    place = WORK / f"config-{name}"
    # There already where a start that several checks share begins once more.
    place.mkdir(exist_ok=True)
    (place / "pool.conf").write_text(text or POOL_CONF.replace("name = demo", f"name = {name}"))
    return place


def made(name, make=configdisk.make):
    """A disk, or with make_cd a CD, for the pool `name`."""
    image = WORK / f"config-{name}.img"
    make(image, configdisk.entries_of(folder(name)))
    return image


def drive(name, image):
    return ("-drive", f"if=none,id={name},file={image},format=raw,snapshot=on")


def started(name, script, *options, machine="q35"):
    """Without a home, so that nothing was accepted."""
    return Kernel(f"config-{name}").start(FETCH, script, *options, words="wow.mode=ephemeral", machine=machine)


def expect_taken(kernel, name):
    said = kernel.verdicts()
    expect(said == [f"pool={name}"] and LOOKS not in kernel.said(), f"it took {said} for {name}, or waited")


@long_check
def a_cd_is_taken_where_the_disk_of_the_image_is_empty():
    empty = WORK / "config-empty.img"
    configdisk.make(empty)
    expect_taken(started("cd", ONCE, *ON_VIRTIO, *drive("empty", empty), "-device", "virtio-blk-pci,drive=empty",
                         *drive("cd", made("from-cd", configdisk.make_cd)), "-device", "ide-cd,drive=cd", machine="pc"), "from-cd")


@long_check
def a_configuration_disk_is_found_on_another_controller_than_the_system():
    cases = {"on-virtio-scsi": (("-device", "ide-hd,drive=system"), ("-device", "virtio-scsi-pci", "-device", "scsi-hd,drive=config")),
             "on-pvscsi": (("-device", "virtio-scsi-pci,id=first", "-device", "scsi-hd,bus=first.0,drive=system"),
                           ("-device", "pvscsi,id=second", "-device", "scsi-hd,bus=second.0,drive=config")),
             "on-ahci": (ON_VIRTIO, ("-device", "ide-hd,drive=config"))}
    for name, (system, config) in cases.items():
        expect_taken(started(name, ONCE, *system, *drive("config", made(name)), *config), name)


@machine_check
def a_configuration_disk_that_comes_late_is_taken():
    socket = WORK / "late.qmp"
    kernel = started("late", UNTIL_A_DISK + ONCE, *ON_VIRTIO, "-device", "virtio-scsi-pci", *drive("config", made("late")), "-qmp",
                     f"unix:{socket},server=on,wait=off")
    try:
        kernel.wait_for("verdict waits", UNTIL_HOME)
        with Qmp(str(socket)) as qmp:
            qmp.ask("device_add", driver="scsi-hd", drive="config")
        said = kernel.verdicts()
    finally:
        kernel.cut_power()
    expect(said == ["waits", "pool=late"], f"it said {said}")


@machine_check
def without_a_configuration_only_a_machine_that_never_had_one_waits():
    cd = made("damaged", configdisk.make_cd)
    volumes.put(cd, VOLUMES_END, bytes(cd.stat().st_size - VOLUMES_END))  # its label is there, its folders are not
    # It calls itself Hyper-V: the drivers for that are tried first, and refuse.
    kernel = started("none", TWICE, *ON_VIRTIO, *drive("cd", cd), "-device", "ide-cd,drive=cd", "-smbios",
                     "type=1,manufacturer=Microsoft Corporation,product=Virtual Machine")
    said = kernel.verdicts()
    expect(said == ["pool=", "and nothing accepted", "pool="], f"it took {said}")
    accepted, _, never = kernel.said().partition("and nothing accepted")
    expect(LOOKS not in accepted and LOOKS in never, "it waits though a pool.conf was accepted, or does not although none was")
    expect('file=/dev/sr0 what="what is labelled WOWCFG does not mount"' in accepted, "the damaged CD is not named")


@long_check
def a_mistake_on_a_cd_is_told_as_one_on_a_disk():
    cd = WORK / "mistake.iso"
    conf = folder("mistake", POOL_CONF + "colour = red\n")
    run(IMAGE / "stamp", "--config", conf, "--iso", cd)
    told = run(IMAGE / "stamp", "--iso", conf / "pool.conf", "-o", WORK / "refused.iso", fails=True)
    machine = Machine("mistake", OUT / "wow.qcow2").start("-cdrom", cd)
    try:
        machine.wait_for("login:", UNTIL_HOME * 2)
    finally:
        machine.cut_power()
    error = next(line for line in machine.said().splitlines() if "WOW: error" in line)
    for words in ("pool.conf", "[pool] colour", "Remove it"):
        expect(words in error and words in told, f"no {words} in: {error} or in: {told}")
