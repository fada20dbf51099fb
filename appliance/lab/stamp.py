"""Makes a machine's WOWCFG disk: pool.conf and, for the manager, the folder manager/."""

import os
import pathlib
import shutil
import subprocess
import sys

import image
import poolfile
from shell import LabError

sys.path.append(os.path.join(image.ROOT, "appliance/image/formats"))

import configdisk  # noqa: E402  the same writer as `wow image stamp`


def config(machine, pool, users, authority, folder, ticket=None, text=None):
    """Writes the disk into folder and returns its path. ticket replaces the authority's, text the whole pool.conf."""
    source = pathlib.Path(folder, machine.name)
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir()
    if text is None:
        text = poolfile.for_machine(pool, machine, users, authority.certificate, ticket or authority.ticket)
    (source / "pool.conf").write_text(text, encoding="utf-8")
    manager = None
    if machine.role == "manager":
        manager = source / "manager"
        shutil.copytree(authority.manager, manager)
        shutil.copytree(authority.folder, manager / "ca")
    disk = os.path.join(folder, machine.name + "-wowcfg.img")
    try:
        configdisk.make(disk, source / "pool.conf", manager)
    except (configdisk.StampError, subprocess.CalledProcessError, OSError) as error:
        raise LabError(f"the WOWCFG disk was not made: {error}", machine.name, "stamp") from None
    return disk
