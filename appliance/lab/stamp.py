"""Makes a machine's WOWCFG disk: pool.conf; for the manager the folder manager/, for a machine with an assigned address machine/; the keys that sign
the pool's stack."""

import os
import pathlib
import shutil

import image
import login
from pools import conf, configdisk
from shell import run

NO_FILE = object()
"""Stands for a disk without pool.conf."""

TOOL = os.path.join(image.ROOT, "appliance/image/stamp")


def config(machine, pool, users, folder, ticket=None, text=None, assigned=None):
    """Writes the disk into folder and returns its path. ticket replaces the pool's, text the whole pool.conf; NO_FILE: there is none.
    assigned: the folder that `wow-ca machine` made."""
    source = pathlib.Path(folder, machine.name)
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir()
    if text is None:
        text = pool_conf(machine, pool.facts, users, ticket or pool.ticket)
        # As those of `wow pool create` have them.
        if pool.folder.keys.exists():
            shutil.copyfile(pool.folder.keys, source / configdisk.KEYS)
    if text is not NO_FILE:
        (source / "pool.conf").write_text(text, encoding="utf-8")
    if machine.role == "manager":
        shutil.copytree(pool.folder.manager, source / "manager")
    if assigned:
        shutil.copytree(assigned, source / "machine")
    disk = os.path.join(folder, machine.name + "-wowcfg.img")
    run(TOOL, "--config", source, disk)
    return disk


def pool_conf(machine, facts, users, ticket):
    """pool.conf of one machine, which has the name that the lab calls it by and records its tap."""
    node = {"host": machine.name, "capture": "yes"}
    if machine.role == "manager":
        admins = {name: key for name, key in users.items() if name == login.ADMIN}
        return conf.manager(facts, admins.items(), [one for one in users.items() if one[0] not in admins], **node)
    return conf.worker(facts, ticket, users.items(), **node)
