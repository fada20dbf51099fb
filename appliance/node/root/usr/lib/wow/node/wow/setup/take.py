"""wow-take: keeps a pool.conf, and the ticket beside it, that came by the web page of a machine without a pool, and starts the machine again: so it has the modules
that the file chooses, and its fence before any network. The agent has looked at both (acts/newcomer.py). Where none came, the machine joins the pool again that it
left, by the configuration that this start passed over."""
import os
import socket
import time

from wow.config import facts, poolconf, ticket
from wow.lib import console, files, paths, system
from wow.lib.errors import WowError
from wow.setup import accept, accounts, former, outside

UNIT = "wow-take.service"
BROUGHT = f"{paths.RUN}/brought.conf"
MOMENT = 2.0
"""Seconds until it starts again, in which the page answers who gave it the file."""


def main() -> int:
    """Exit code."""
    try:
        if os.path.exists(facts.FILE):
            raise WowError("this machine has a pool already; nothing was changed", "Leave that first")
        if (passed := former.passed()) and not os.path.exists(BROUGHT):
            former.take_back(passed[0])
            name, role, source = passed[1], None, passed[2]
        else:
            pool = poolconf.load(BROUGHT)
            keep(pool, BROUGHT)
            name, role, source = pool.name, pool.role, "the web page"
    except WowError as error:
        console.say_error(error)
        return 1
    except OSError as error:
        console.say_error(accounts.full(error))
        return 1
    console.say("config", pool=name, role=role, source=source, next="starting again")
    ready()
    time.sleep(MOMENT)
    return min(system.systemctl("reboot", "--no-block"), 1)


def keep(pool: poolconf.Pool, brought: str, folder: str = paths.STATE) -> None:
    """Keeps all of it, pool.conf last: until then the machine has none. OSError: the home is full."""
    if os.path.exists(ticket.TAKEN):
        files.write(ticket.KEPT, files.read(ticket.TAKEN), 0o600, sync=True)
    elif os.path.exists(ticket.KEPT):
        os.unlink(ticket.KEPT)
    outside.keep(pool, folder)
    with open(brought, "rb") as file:
        accept.keep(file.read(), f"{folder}/pool.conf")


def ready() -> None:
    """Tells systemd, and so the agent, that all is kept (sd_notify(3))."""
    if place := os.environ.get("NOTIFY_SOCKET"):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
            told.sendto(b"READY=1", "\0" + place[1:] if place[0] == "@" else place)
