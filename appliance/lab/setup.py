"""Everything that machines need before they are switched on: the pool, keys, and each machine's WOWCFG disk."""

import os
import shutil
from dataclasses import dataclass

import accel
import image
import login
import pools
import sites
import stamp
from shell import LabError, need

POOL = "lab"
MACHINES, DAYS = 100, 7
"""What the lab's ticket admits."""

PROGRAMS = ("ip", "nft", "sysctl", "dnsmasq", "tcpdump", "ssh", "ssh-keygen", "qemu-img")


@dataclass
class Setup:
    """What was made. key is the file of the private key with which the lab logs in; secret the folder that holds all this."""

    secret: str
    image: str
    accelerator: tuple
    pool: pools.Pool
    key: str
    public_key: str
    configs: dict

    def users(self, machine):
        """Who may log in: the lab everywhere, alice on alpha and carol on the manager only."""
        names = [login.USER] + (["alice"] if machine is sites.ALPHA else []) + ([login.ADMIN] if machine.role == "manager" else [])
        return dict.fromkeys(names, self.public_key)

    def stamp(self, machine, **what):
        """Makes the machine's WOWCFG disk; what as in stamp.config."""
        self.configs[machine.name] = stamp.config(machine, self.pool, self.users(machine), self.secret, **what)


def make(folder, say, before_stamp=lambda setup: None):
    """Makes folder anew with all that in it. before_stamp is called with the Setup while the CA's folder can still be added to."""
    need(*PROGRAMS)
    need(accel.emulator())
    shutil.rmtree(folder, ignore_errors=True)
    secret = os.path.join(folder, "pool")
    os.makedirs(secret)
    os.chmod(secret, 0o700)
    disk = image.disk()
    accelerator, name = accel.choose(disk, image.CACHE)
    say(f"the guests run under {name}")
    key = os.path.join(secret, "key")
    setup = Setup(secret, disk, accelerator, make_pool(os.path.join(secret, POOL), say), key, login.make_key(key), {})
    before_stamp(setup)
    for machine in sites.POOL:
        setup.stamp(machine)
    say("made each machine's WOWCFG disk")
    return setup


def make_pool(place, say):
    """The lab's pool, by the steps of `wow pool create` that make one what it is: secret, CA, the manager's keys, a ticket. Its images are not made, for
    each machine of the lab has a name and users of its own."""
    folder = pools.Folder(place)
    try:
        folder.make()
        pools.settings.write(folder.settings, pools.settings.Settings(
            POOL, sites.SUBNET, sites.MANAGER.public, sites.OVERLAY_PORT, MACHINES, pools.day_in(DAYS), {},
            reserved=pools.addresses.block(sites.SUBNET)))
        made = pools.Pool(folder, pools.Clone())
        pools.steps.run(made.identity(), say)
    except pools.WowError as error:
        raise LabError(str(error), step="pool") from error
    return made
