"""Makes a machine's WOWCFG disk: pool.conf and, for the manager, the folder manager/."""

import os
import shutil

import image
import poolfile
from shell import run

TOOL = os.path.join(image.ROOT, "appliance/image/stamp")


def config(machine, pool, users, authority, folder, ticket=None, text=None):
    """Writes the disk into folder and returns its path. ticket replaces the authority's, text the whole pool.conf."""
    source = os.path.join(folder, machine.name)
    shutil.rmtree(source, ignore_errors=True)
    os.makedirs(source)
    if text is None:
        text = poolfile.for_machine(pool, machine, users, authority.certificate, ticket or authority.ticket)
    with open(os.path.join(source, "pool.conf"), "w", encoding="utf-8") as file:
        file.write(text)
    if machine.role == "manager":
        shutil.copytree(authority.manager, os.path.join(source, "manager"))
        shutil.copytree(authority.folder, os.path.join(source, "manager/ca"))
    disk = os.path.join(folder, machine.name + "-wowcfg.img")
    if os.path.exists(disk):
        os.remove(disk)
    run(TOOL, "--config", source, disk)
    return disk
