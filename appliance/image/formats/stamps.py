"""Puts the entries of a configuration into an image: in place where one file holds the whole machine, into a copy of an OVA or a Vagrant box, or onto a disk
of its own beside the image."""

import io
import pathlib
import tempfile

import configdisk
import containers
import inplace
import onedisk
import ovf
from archive import Archive
from configdisk import StampError
from disks import QCOW2, to_qcow2, to_vmdk


def replaced_in(image, source, raw, scratch):
    """{name: bytes} of what is another one in an archive with another configuration: the disk; where there is a descriptor its size in that; and both in the manifest."""
    form, _, name = containers.kind_of(image, source)
    config = scratch / name
    if name == QCOW2:
        to_qcow2(raw, config)
        return {name: config.read_bytes()}
    to_vmdk(raw, config)
    descriptor = ovf.NAME if form == "OVA" else "box.ovf"
    try:
        text = ovf.replace_config(containers.text(image, source, descriptor), config.stat().st_size, raw.stat().st_size)
    except ValueError as error:
        raise StampError(f"{image}: its {descriptor} {error}, for another program wrote it. Give an image that `make image` made, or put a CD beside this one: "
                         "wow image stamp --iso POOL.CONF -o OUT.iso") from error
    found = {name: config.read_bytes(), descriptor: text.encode()}
    if form == "OVA":
        digests = ovf.parse_manifest(containers.text(image, source, ovf.MANIFEST)) | {one: ovf.digest_of_stream(io.BytesIO(data)) for one, data in found.items()}
        found[ovf.MANIFEST] = ovf.manifest(digests).encode()
    return found


def copy(image, source, out, replaced):
    """Copies the archive member by member, in order, with the replaced ones. What has a configuration is for its owner alone, in every form."""
    with configdisk.fresh(out) as new, Archive(new) as archive:
        for member in source:
            data = replaced.get(member.name)
            try:
                if data is None:
                    archive.add_stream(member.name, member.size, containers.stream(image, source, member))
                else:
                    archive.add_bytes(member.name, data)
            except ValueError as error:
                raise StampError(f"{image}: its {member.name} has too long a name, or is too large, for the archives that each hypervisor reads ({error}); give "
                                 "an image that `make image` made") from error


def stamp_in_place(image, entries):
    """Puts the entries into a disk that holds a whole machine, and says what was there before."""
    if onedisk.form_of(there(image)) is None:
        with containers.archive_of(image):
            raise StampError(f"{image}: is copied with its configuration, not changed in place; name the copy with -o")
    with tempfile.TemporaryDirectory() as scratch:
        before = inplace.stamp(image, entries, pathlib.Path(scratch))
    pool = before.pool_conf and inplace.pool_of(before.pool_conf)
    was = f"; before it was of the pool {pool.name}" if pool else "; before it held a pool.conf that this release does not read" if before.pool_conf else ""
    return f"{image}: holds its configuration{was}{'; an earlier stamp had been cut' if before.is_unfinished else ''}"


def there(image):
    if not image.is_file():
        raise StampError(f"{image}: no such file; `make image` leaves images in build/out")
    return image


def stamp(image, out, entries):
    """Writes OUT for `image` with the given entries of the configuration disk."""
    is_disk = onedisk.form_of(there(image))
    if out.exists() and out.samefile(image):
        raise StampError(f"{out}: is the image itself; give another name with -o")
    if is_disk:
        configdisk.make(out, entries)
        return f"{out}: attach it as a second disk beside {image}"
    with containers.archive_of(image) as source, tempfile.TemporaryDirectory() as scratch:
        raw = pathlib.Path(scratch, "wowcfg.img")
        configdisk.make(raw, entries)
        copy(image, source, out, replaced_in(image, source, raw, pathlib.Path(scratch)))
    return f"{out}: {image.name} with its configuration"
