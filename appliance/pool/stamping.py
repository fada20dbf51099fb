"""The images of a pool: each is stamped when something that goes into it has changed, and is whole or the former one."""

import hashlib
import json
import os
import pathlib
import tempfile
import zipfile
from typing import NamedTuple

from pool import conf, durable, programs
from pool.formats import configdisk, inplace, onedisk, ovf, stamps, tools
from pool.image import OVA, QCOW2, SCRIPT, VHDX


ZIP = ".zip"
STARTED = "a machine was started from it, and has its home there"


class Output(NamedTuple):
    """One file for people. `source` is the image that it is made of; `manager` the folder with keys, None for volunteers; `makes` one of the below;
    `list` the CA's list of managers, None where there is one; `keys` those that sign the pool's stack, None where the pool's folder knows none."""
    path: object
    source: object
    digest: str
    text: str
    manager: object
    makes: object
    list: object
    keys: object = None


def disk_or_ova(output, new, held):
    """Stamps: an OVA with its configuration, or for a qcow2 its configuration disk."""
    _stamp(output, new, held, lambda entries: stamps.stamp(output.source, new, entries))


def cd(output, new, held):
    """Stamps a CD, which goes with any form of the image."""
    _stamp(output, new, held, lambda entries: configdisk.make_cd(new, entries))


def whole(output, new, held):
    """Stamps a disk that holds all: a copy of the image with the configuration in it."""
    tools.copy(output.source, new)
    _stamp(output, new, held, lambda entries: stamps.stamp_in_place(new, entries))


def _stamp(output, new, held, make):
    written = output.path.with_name(f"{output.path.name}.conf{durable.SUFFIX}")
    durable.write(written, output.text)
    try:
        with tools.held(held):
            parts = (written, output.manager, None, output.list, output.keys)
            configdisk.check(*parts)
            make(configdisk.entries(*parts))
        new.chmod(0o600)
    except tools.ImageError as error:
        raise programs.failed("stamp", str(error), new.parent) from error
    finally:
        durable.remove(written)


def utm(output, new, held):
    """Stamps what UTM opens: its folder, in an archive, for a folder goes by no mail. macOS unpacks it by a double click."""
    disk, name = output.path.with_name(f"{output.path.name}.disk{durable.SUFFIX}"), output.path.name.removesuffix(ZIP)
    try:
        tools.copy(output.source, disk)
        _stamp(output, disk, held, lambda entries: stamps.stamp_in_place(disk, entries))
        with zipfile.ZipFile(new, "w") as archive:
            # The disk is packed already.
            archive.write(output.source.parents[1] / "config.plist", f"{name}/config.plist")
            archive.write(disk, f"{name}/Data/{output.source.name}")
        new.chmod(0o600)
    finally:
        durable.remove(disk)


def copy(output, new, _):
    """The system's disk as it was built."""
    tools.copy(output.source, new)


def script(output, new, _):
    """What goes with a disk as it is."""
    tools.copy(output.source, new)


class Texts(NamedTuple):
    """The pool.conf of each kind of machine: `others` are {host: text} of the managers beside the first, `login` is None where nobody gets that image."""
    manager: str
    others: dict
    worker: str
    login: str | None


def texts(facts, ticket, told):
    """The Texts of a pool with these settings. WowError where one would be refused."""
    node = {"keyboard": told.keyboard} if told.keyboard else {}
    admins, users = told.admins.items(), told.users.items()
    return Texts(conf.manager(facts, admins, **node), {one["host"]: conf.other_manager(facts, one["at"], admins, **node) for one in told.managers},
                 conf.worker(facts, ticket, users, **node), conf.worker(facts, ticket, users, role="login", **node) if told.login else None)


def must_fit(facts, ticket, told):
    """WowError where a pool.conf of these settings would have no room for what changes by itself."""
    found = texts(facts, ticket, told)
    for shown, text in (("volunteers' pool.conf", found.worker), ("login machines' pool.conf", found.login or ""), ("manager's pool.conf", found.manager),
                        *((f"pool.conf of {host}", text) for host, text in found.others.items())):
        conf.must_fit(text, shown, conf.ini.LARGEST - conf.SPARE)


def outputs(folder, facts, ticket, told, image, arm=None):
    """All that people get; `told` are the pool's settings; `arm` is the image for arm64, None where nobody gets that. The
    name of a file says what it is for, since it leaves its folder."""
    name, manager, volunteers = facts.name, folder.for_manager, folder.for_volunteers
    written = texts(facts, ticket, told)

    def four(place, stem, text, keys):
        ova, disk = (image.ova, image.digests[OVA]), (image.qcow2, image.digests[QCOW2])
        # One that names the first alone is told, too: others were taken off it.
        listed, signed = (path if path.exists() else None for path in (folder.list, folder.keys))
        return [Output(place / f"{stem}.ova", *ova, text, keys, disk_or_ova, listed, signed),
                Output(place / f"{stem}-config.img", *disk, text, keys, disk_or_ova, listed, signed),
                Output(place / f"{stem}-config.iso", *disk, text, keys, cd, listed, signed), Output(place / f"{stem}.qcow2", *disk, "", None, copy, None)]

    def six(place, stem, text):
        # For who has Hyper-V and no more to do than to start a script. A manager's VHDX `wow image stamp` makes: each has 150 MB, and few want it.
        return [*four(place, stem, text, None), Output(place / f"{stem}.vhdx", image.vhdx, image.digests[VHDX], text, None, whole, None,
                                                               folder.keys if folder.keys.exists() else None),
                Output(place / f"{stem}.ps1", image.script, image.digests[SCRIPT], "", None, script, None)]

    def two(place, stem, text):
        keys = folder.keys if folder.keys.exists() else None
        return [Output(place / f"{stem}{end}", source, arm.digest, text, None, makes, None, keys)
                for end, source, makes in ((".qcow2", arm.qcow2, whole), (f".utm{ZIP}", arm.disk, utm))] if arm else []

    made = [*four(manager, f"{name}-manager", written.manager, folder.manager), *six(volunteers, name, written.worker),
            *two(volunteers, f"{name}-arm64", written.worker)]
    for host, text in written.others.items():
        made += four(folder.for_other(host), f"{name}-manager-{host}", text, folder.other(host))
    if written.login:
        made += [*six(folder.for_scientists, f"{name}-login", written.login), *two(folder.for_scientists, f"{name}-login-arm64", written.login)]
    return made


def _kept(path):
    """Why nobody may write over a disk that holds all: a machine has its home there, or nobody can tell; "" for one that is as it was made, or is no disk."""
    if onedisk.form_of(path) is None:
        return ""
    try:
        with tempfile.TemporaryDirectory() as scratch:
            return STARTED if inplace.is_used(onedisk.look(path, pathlib.Path(scratch)), pathlib.Path(scratch)) else ""
    except tools.ImageError as error:
        return f"whether a machine has its home there cannot be seen ({error})"


class Stamped:
    """What each image was made of, in stamped.json."""

    def __init__(self, folder):
        self._folder = folder
        self.known = json.loads(folder.stamped.read_text(encoding="ascii")) if folder.stamped.exists() else {}

    def key(self, output):
        """A hash over all that goes into the output."""
        digest = hashlib.sha256(f"{output.digest}\n{output.text}".encode())
        for path in (output.list, output.keys):
            digest.update(path.read_bytes() if path else b"")
        for path in sorted(output.manager.rglob("*")) if output.manager else ():
            if path.is_file():
                digest.update(f"{path.relative_to(output.manager)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
        return digest.hexdigest()

    def is_current(self, output):
        """Whether the file is there and made of what it would be made of now."""
        known = self.known.get(self._name(output.path))
        return (known is not None and known["key"] == self.key(output) and output.path.exists()
                and output.path.stat().st_size == known["bytes"])

    def is_done(self, output):
        """Whether nothing is to be made of the output; a sentence where it is left alone because a machine has written to it."""
        return self.is_current(output) or self._used(output)

    def _used(self, output):
        # A machine that was started from this very file has its home there, the manager its CA's records: it is no image any more.
        if output.makes not in (copy, whole) or not output.path.exists():
            return ""
        if output.makes is whole:
            why = _kept(output.path)
        else:
            is_used = ovf.digest_of(output.path) not in {output.digest, self.known.get(self._name(output.path), {}).get("sha256")}
            why = STARTED if is_used else ""
        return why and f"{output.path} stays as it is: {why}. To have a new one, move that file away"

    def make(self, output, release, held):
        """Makes one file and notes it."""
        output.path.parent.mkdir(0o700, exist_ok=True)
        with durable.beside(output.path) as new:
            output.makes(output, new, held)
        self.known[self._name(output.path)] = {"key": self.key(output), "bytes": os.path.getsize(output.path), "release": release,
                                                "source": output.source.name, "sha256": output.digest}
        durable.write(self._folder.stamped, json.dumps(self.known, indent=2) + "\n")

    def forget(self, place):
        """Notes that there are no files in a folder any more."""
        self.known = {name: one for name, one in self.known.items() if not name.startswith(f"{place.name}/")}
        durable.write(self._folder.stamped, json.dumps(self.known, indent=2) + "\n")

    def _name(self, path):
        return str(path.relative_to(self._folder.root))
