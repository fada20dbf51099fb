"""Puts the entries of a configuration into an image: in place where one file holds the whole machine, into a copy of an OVA or a Vagrant box, or onto a disk
of its own beside the image."""

import json
import pathlib
import tarfile
import tempfile

import configdisk
import inplace
import onedisk
import ovf
from archive import Archive, kind_of
from configdisk import StampError
from disks import QCOW2, to_qcow2, to_vmdk


def stamp_ova(source, out, raw, scratch):
    """Copies an OVA with another configuration disk, its size in the descriptor, and both in the manifest."""
    config = scratch / ovf.CONFIG
    to_vmdk(raw, config)
    text = ovf.replace_config(source.extractfile(ovf.NAME).read().decode(), config.stat().st_size, raw.stat().st_size)
    (scratch / ovf.NAME).write_text(text, encoding="utf-8")
    digests = ovf.parse_manifest(source.extractfile(ovf.MANIFEST).read().decode())
    digests[ovf.NAME] = ovf.digest_of(scratch / ovf.NAME)
    digests[ovf.CONFIG] = ovf.digest_of(config)
    replaced = {ovf.NAME: text.encode(), ovf.MANIFEST: ovf.manifest(digests).encode(), ovf.CONFIG: config.read_bytes()}
    copy(source, out, replaced)


def stamp_box(source, out, raw, scratch):
    """Copies a Vagrant box with another configuration disk."""
    provider = json.loads(source.extractfile("metadata.json").read())["provider"]
    config = scratch / "config"
    if provider == "libvirt":
        to_qcow2(raw, config)
        copy(source, out, {QCOW2: config.read_bytes()})
    else:
        to_vmdk(raw, config)
        text = ovf.replace_config(source.extractfile("box.ovf").read().decode(), config.stat().st_size, raw.stat().st_size)
        copy(source, out, {"box.ovf": text.encode(), ovf.CONFIG: config.read_bytes()})


def copy(source, out, replaced):
    """Copies the archive member by member, in order, with the replaced ones. What has a configuration is for its owner alone, in every form."""
    with configdisk.fresh(out) as new, Archive(new) as archive:
        for member in source:
            if member.name in replaced:
                archive.add_bytes(member.name, replaced[member.name])
            else:
                archive.add_stream(member.name, member.size, source.extractfile(member))


def stamp_in_place(image, entries):
    """Puts the entries into a disk that holds a whole machine, and says what was there before."""
    if onedisk.form_of(there(image)) is None:
        if tarfile.is_tarfile(image):
            raise StampError(f"{image}: is copied with its configuration, not changed in place; name the copy with -o")
        raise StampError(f"{image}: neither a disk image (qcow2, VHDX, VMDK, raw), nor an OVA, nor a Vagrant box; give one that `make image` made")
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
    try:
        with tarfile.open(image) as source, tempfile.TemporaryDirectory() as scratch:
            scratch = pathlib.Path(scratch)
            raw = scratch / "wowcfg.img"
            configdisk.make(raw, entries)
            put = {"OVA": stamp_ova, "box": stamp_box}.get(kind_of(source.getnames()))
            if put is None:
                raise StampError(f"{image}: has no configuration disk of WOW; give an image that `make image` made")
            put(source, out, raw, scratch)
    except (tarfile.TarError, EOFError, OSError) as error:
        if isinstance(error, OSError) and error.errno:
            raise
        raise StampError(f"{image}: neither an OVA, nor a Vagrant box, nor a disk image (qcow2, VHDX, VMDK, raw), or was cut short; give a whole one that `make image` "
                         "made") from error
    return f"{out}: {image.name} with its configuration"
