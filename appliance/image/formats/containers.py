"""An image in any form, opened: the disk with the system, and the configuration, which stands on it or on a disk beside it."""

import contextlib
import json
import shutil
import tarfile

import archive as archives
import disks
import inplace
import onedisk
import ovf
from tools import ImageError

BOX = "metadata.json"
MOST = 1 << 20
"""Bytes of what says what else is in an archive, which may be packed: zeros take no room there."""


def opened(image, scratch):
    """(what form it has, its OneDisk, a raw copy of its configuration or None, what is wrong with it). ImageError where it is no image of WOW."""
    if onedisk.form_of(image):
        disk = onedisk.look(image, scratch)
        if onedisk.CONFIG not in disk.parts:
            return disk.form, disk, None, []
        is_cut = inplace.state_of(disk, scratch).is_unfinished
        return disk.form, disk, scratch / "wowcfg", ["the configuration: a stamp was cut, and left something behind; stamp it again"] if is_cut else []
    with archive_of(image) as archive:
        form, system, config = kind_of(image, archive)
        wrong = unlike_manifest(image, archive) if form == "OVA" else []
        for name in (system, config):
            with stream(image, archive, archive.getmember(name)) as source, open(scratch / name, "wb") as file:
                shutil.copyfileobj(source, file, 1 << 20)
    onedisk.copy_raw(scratch / config, onedisk.alone(scratch / config, image), scratch / "config.raw", image)
    return form, onedisk.look(scratch / system, scratch, image), scratch / "config.raw", wrong


@contextlib.contextmanager
def archive_of(image):
    """Gives an archive to read, whose end was seen. ImageError where it is none, also while it is read."""
    try:
        with tarfile.open(image) as archive:
            archive.getmembers()
            yield archive
    except (*archives.BROKEN, OSError) as error:
        if isinstance(error, OSError) and error.errno:
            raise
        raise ImageError(f"{image}: is no image (qcow2, VHDX, VMDK, raw, OVA, Vagrant box), or was cut short; give a whole one that `make image` made") from error


def kind_of(image, archive):
    """(form, member with the system, member with the configuration)."""
    names = archive.getnames()
    if {ovf.NAME, ovf.MANIFEST, *ovf.DISKS} <= set(names):
        return "OVA", ovf.SYSTEM, ovf.CONFIG
    if BOX in names:
        try:
            said = json.loads(text(image, archive, BOX))
        except (ValueError, RecursionError) as error:
            raise ImageError(f"{image}: its {BOX} is no JSON; take a whole copy") from error
        provider = said.get("provider") if isinstance(said, dict) else None
        members = {"libvirt": (disks.SYSTEM_QCOW2, disks.QCOW2), "virtualbox": (ovf.SYSTEM, ovf.CONFIG)}.get(str(provider))
        if members and set(members) <= set(names):
            return f"Vagrant box for {provider}", *members
    if names == ["disk.raw"]:
        raise ImageError(f"{image}: holds a raw disk; unpack it (tar -xf), and name disk.raw")
    raise ImageError(f"{image}: is an archive, and no OVA or Vagrant box of WOW; give one that `make image` made")


def text(image, archive, name):
    """What stands in a small member of an archive. ImageError where it is large, or no text."""
    try:
        member = archive.getmember(name)
        said = stream(image, archive, member).read(MOST + 1).decode()
    except (KeyError, UnicodeDecodeError):
        said = None
    if said is None or member.size > MOST:
        raise ImageError(f"{image}: its {name} is not there, or none that this release reads; take a whole copy")
    return said


def stream(image, archive, member):
    """A member of an archive, to read. ImageError where it is no file: such a one, a link, may lead to another."""
    if not member.isreg():
        raise ImageError(f"{image}: its {member.name} is no plain file; give an image that `make image` made")
    return archive.extractfile(member)


def unlike_manifest(image, archive):
    """What the OVA's manifest says otherwise."""
    said = ovf.parse_manifest(text(image, archive, ovf.MANIFEST))
    return [f"{name}: is not what the OVA's manifest says" for name in (ovf.NAME, *ovf.DISKS)
            if ovf.digest_of_stream(stream(image, archive, archive.getmember(name))) != said.get(name)]
