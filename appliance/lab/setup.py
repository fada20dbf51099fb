"""Everything that machines need before they are switched on: the CA, a ticket, keys, and each machine's WOWCFG disk."""

import os
import secrets
import shutil
from dataclasses import dataclass

import accel
import authority
import image
import login
import sites
import stamp
from shell import need

POOL = "lab"
PROGRAMS = ("ip", "nft", "sysctl", "dnsmasq", "tcpdump", "ssh", "ssh-keygen", "qemu-img")


@dataclass
class Setup:
    """What was made. key is the file of the private key with which the lab logs in; secret the folder that holds all this."""

    secret: str
    image: str
    accelerator: tuple
    authority: authority.Authority
    pool: dict
    key: str
    public_key: str
    configs: dict

    def users(self, machine):
        """Who may log in: the lab everywhere, alice on alpha only."""
        names = [login.USER] + (["alice"] if machine is sites.ALPHA else [])
        return dict.fromkeys(names, self.public_key)

    def stamp(self, machine, **what):
        """Makes the machine's WOWCFG disk; what as in stamp.config."""
        self.configs[machine.name] = stamp.config(machine, self.pool, self.users(machine), self.authority, self.secret, **what)


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
    pool = {"name": POOL, "subnet": sites.SUBNET, "bootstrap": f"udp:{sites.MANAGER.public}:{sites.OVERLAY_PORT}",
            "secret": secrets.token_hex(32)}
    setup = Setup(secret, disk, accelerator, authority.make(os.path.join(secret, "ca"), POOL, sites.SUBNET), pool, key,
                  login.make_key(key), {})
    before_stamp(setup)
    for machine in sites.POOL:
        setup.stamp(machine)
    say("made the certificate authority, the manager's certificate, a ticket and each machine's WOWCFG disk")
    return setup
