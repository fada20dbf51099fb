"""Disk controllers and network cards of docs/contract/hardware.json: the initrd finds its disk on each, and each card has its driver and its name."""

import re
import sys

from checks import expect, long_check, machine_check
from initrds import Kernel
from places import ROOT

sys.path.insert(0, str(ROOT / "test"))

from contract import hardware  # noqa: E402

CONTROLLERS = [one for one in hardware.controllers(ROOT) if one.qemu]
CARDS = [one for one in hardware.cards(ROOT) if one.qemu]
FOUND = "mkdir -p /run/layers/sys\n"
STACKED = "bind_home /root\n"
NAMES = r"""
mount -t proc proc /root/proc
mount -t sysfs sys /root/sys
mount -t devtmpfs dev /root/dev
for device in /sys/bus/pci/devices/*/modalias /sys/bus/virtio/devices/*/modalias; do
    read -r alias < "$device"
    case $alias in pci:*bc02sc* | virtio:d00000001v*) chroot /root /usr/sbin/modprobe --quiet --use-blacklist "$alias" ;; esac
done
for card in /root/sys/class/net/*/device; do
    place=${card%/device}
    driver=$(chroot /root /usr/bin/sh -c "basename \$(readlink -f ${card#/root}/driver/module)")
    name=$(chroot /root /usr/bin/udevadm test-builtin net_id "${place#/root}" 2>/dev/null | sed -n "s/^ID_NET_NAME_\(SLOT\|PATH\)=//p")
    tell "verdict $driver" $name
done
"""


def found(controllers):
    """Boots the initrd with the image's disk on each, until it knows the system's partition."""
    for one in controllers:
        script = f'tell "verdict ${{system#/dev/}} $(grep -c "^{one.driver} " /proc/modules)"\n'
        kernel = Kernel(f"controller-{one.driver}").start(FOUND, script, *one.qemu, machine=one.machine)
        said = kernel.verdicts()
        expect(len(said) == 1 and re.fullmatch("(vda|sda|nvme0n1p?)3 1", said[0]), f"{one.name}: the initrd found {said}")


@long_check
def the_system_is_found_on_one_half_of_the_controllers():
    found(CONTROLLERS[::2])


@long_check
def and_on_the_other_half():
    found(CONTROLLERS[1::2])


@machine_check
def every_card_of_the_list_has_its_driver_and_its_name():
    options = [word for one in CARDS for word in one.qemu]
    kernel = Kernel("cards").start(STACKED, NAMES, "-device", "virtio-blk-pci,drive=system", *options, words="wow.mode=ephemeral")
    said = dict(line.split(" ", 1) for line in kernel.verdicts() if " " in line)
    expect(said.keys() == {one.driver for one in CARDS}, f"there are names for {said}")
    expect(all(re.fullmatch(r"en[ps]\d\w*", name) for name in said.values()), f"the names are {said}")
