"""Makes a machine's WOWCFG disk: pool.conf; for the manager the folder manager/, for a machine with an assigned address machine/."""

import os
import pathlib
import shutil

import image
import poolfile
from shell import run

NO_FILE = object()
"""Stands for a disk without pool.conf."""

TOOL = os.path.join(image.ROOT, "appliance/image/stamp")


def config(machine, pool, users, authority, folder, ticket=None, text=None, assigned=None):
    """Writes the disk into folder and returns its path. ticket replaces the authority's, text the whole pool.conf; NO_FILE: there is none.
    assigned: the folder that `wow-ca machine` made."""
    source = pathlib.Path(folder, machine.name)
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir()
    if text is None:
        text = poolfile.for_machine(pool, machine, users, authority.certificate, ticket or authority.ticket)
    if text is not NO_FILE:
        (source / "pool.conf").write_text(text, encoding="utf-8")
    if machine.role == "manager":
        manager = source / "manager"
        shutil.copytree(authority.manager, manager)
        shutil.copytree(authority.folder, manager / "ca")
    if assigned:
        shutil.copytree(assigned, source / "machine")
    disk = os.path.join(folder, machine.name + "-wowcfg.img")
    run(TOOL, "--config", source, disk)
    return disk
