#!/usr/bin/python3
"""What differs between the images of the two architectures. WOW_ARCH chooses one by Debian's name; amd64 where nothing is said.

usage: architecture.py      prints the chosen one for a shell: arch=, and arch_work=, arch_out=, arch_image= and so on
"""

import os
import pathlib
import shlex
import sys
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[2]


class ArchitectureError(Exception):
    """WOW_ARCH names an architecture of which there is no image."""


class Architecture(NamedTuple):
    """Folders are under the clone's root."""
    arch: str
    work: str
    """Where its parts are made."""
    out: str
    """Where its files are left."""
    image: str
    """How their names begin."""
    base: str
    """The program that builds its base layer."""
    publish: str
    """Where its .NET programs are compiled."""
    runtime: str
    """.NET's name of it (RID)."""
    crossgen: str
    """What Crossgen2 is told of its processors; nothing is what every one of them has."""
    console: str
    """Linux's name of the first serial line."""
    shim: str
    """Debian's file of the first program that firmware starts, under /usr/lib/shim."""
    removable: str
    """Its name on the ESP (UEFI 2.10, 3.5.1.1)."""
    grub: str
    """GRUB's name of the platform, and so of its folder under /usr/lib/grub, with Debian's -signed behind it."""
    grub_file: str
    """The signed GRUB there, without .signed; that is its name on the ESP, too, where shim looks for it."""
    has_bios: bool
    """Whether its machines may have a BIOS."""
    boot: dict
    """The packages that the boot loader is from; beside each the one whose copyright file says what was compiled: that of a signed one speaks of the
    signature alone."""


ALL = {one.arch: one for one in (
    Architecture(
        "amd64", "build/image", "build/out", "wow-amd64", "appliance/base/build", "build/publish", "linux-x64", "--instruction-set:x86-64-v3", "ttyS0",
        "shimx64.efi.signed", "BOOTX64.EFI", "x86_64-efi", "grubx64.efi", True,
        {"grub-pc-bin": "grub-pc-bin", "grub-efi-amd64-bin": "grub-efi-amd64-bin", "grub-efi-amd64-signed": "grub-efi-amd64-bin", "shim-signed": "shim-unsigned"}),
    Architecture(
        "arm64", "build/arm64/image", "build/arm64/out", "wow-arm64", "appliance/base-arm64/build", "build/arm64/publish", "linux-arm64", "", "ttyAMA0",
        "shimaa64.efi.signed", "BOOTAA64.EFI", "arm64-efi", "grubaa64.efi", False,
        {"grub-efi-arm64-bin": "grub-efi-arm64-bin", "grub-efi-arm64-signed": "grub-efi-arm64-bin", "shim-signed": "shim-unsigned"}))}


def chosen():
    """The one that WOW_ARCH names. ArchitectureError where there is none of that name."""
    name = os.environ.get("WOW_ARCH") or "amd64"
    if name not in ALL:
        raise ArchitectureError(f"there is no image for {name}; say ARCH={' or ARCH='.join(ALL)}")
    return ALL[name]


def shell(one):
    """Assignments, a line each."""
    told = ("work", "out", "image", "base", "publish", "runtime", "crossgen", "console")
    return f"arch={one.arch}\n" + "".join(f"arch_{name}={shlex.quote(getattr(one, name))}\n" for name in told)


def loader(one):
    """The folder that has, as a root, what the boot loader is taken from: this machine's own, or that which appliance/base-arm64/loader fetched."""
    return pathlib.Path("/") if one.has_bios else ROOT / one.work / "loader"


if __name__ == "__main__":
    try:
        print(shell(chosen()), end="")
    except ArchitectureError as error:
        sys.exit(f"architecture: {error}")
