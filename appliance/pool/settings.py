"""What a person said of a pool, in the folder's pool.json: it is written first, and a later run goes by it."""

import json
from typing import NamedTuple

from pool import conf, durable, here
from pool.node import WowError

FORMAT = 1
SUBNET = "10.128.0.0/16"
MACHINES = 100
DAYS = 90
"""How long the first ticket admits machines, if nobody says otherwise."""


class Settings(NamedTuple):
    """`host` and `port` are the first manager's place; `machines` and `until` are of the first ticket; `users` maps names to OpenSSH keys; `login`
    says whether there is an image for laptops, with a queue and no jobs; `managers` are those beside the first in their order, {host, address, at} each, `at`
    None where only the overlay leads there; `reserved` are the addresses for managers, FIRST-LAST, empty in a pool that was made before there were any; `projects`
    are {name: {says, link}}; `admins` maps the names of those who may ask the CA on its manager to OpenSSH keys; `keyboard` is what stands at the machines' screens,
    empty for an American one; `origins` are the web servers that have the stack's files, blanks between; `arm64` says
    whether there are files for computers with ARM processors."""
    name: str
    subnet: str
    host: str
    port: int
    machines: int
    until: str
    users: dict
    login: bool = False
    managers: tuple = ()
    reserved: str = ""
    projects: dict = {}
    admins: dict = {}
    keyboard: str = ""
    origins: str = ""
    arm64: bool = False

    @property
    def at(self):
        """HOST:PORT."""
        return f"{self.host}:{self.port}"


def facts(told, secret, certificate):
    """What every machine's pool.conf says of a pool with these settings."""
    return conf.Facts(told.name, told.subnet, told.at, secret, certificate, tuple(one["at"] for one in told.managers if one["at"]), told.reserved or None,
                      tuple(told.projects.items()), told.origins)


def size(told):
    """A measure of how much the settings say."""
    return len(json.dumps(told))


def write(path, settings):
    """Keeps them. OSError: no room."""
    told = settings._asdict()
    for later in ("managers", "reserved", "projects", "admins", "keyboard", "origins", "arm64"):
        # As a clone of before knows it.
        if not told[later]:
            del told[later]
    durable.write(path, json.dumps({"format": FORMAT, **told}, indent=2) + "\n")


def read(path):
    """The Settings in a file. WowError where it is not what `write` wrote."""
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        number = told.pop("format")
        if number != FORMAT:
            raise WowError(f"is of format {number}, this clone knows {FORMAT}", "Use the clone that made this pool, or a newer one", str(path))
        return Settings(**told)
    except (ValueError, TypeError, KeyError, AttributeError):
        raise WowError("is not what `wow pool create` wrote", f"Bring the folder back from its backup: {here.typed()} restore backup.age", str(path)) from None
