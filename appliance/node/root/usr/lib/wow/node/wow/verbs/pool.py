"""wow pool"""
import os

from wow.lib import paths
from wow.lib.errors import WowError
from wow.lib.verb import JSON, Given, Verb
from wow.verbs.image import repository

TOOLS = ("create", "show", "ticket", "user", "admin", "project", "manager", "stamp", "upgrade", "backup", "restore")
DRAIN = "drain"
"""This one is done by the pool's CA, on the manager that has it."""
AUTHORITY = "/usr/bin/wow-ca"


def run(given: Given) -> int:
    """Hands over to appliance/pool of the clone; on a manager, what is done there, to its CA."""
    tool = os.path.join(repository(), "appliance", "pool", "command")
    if given.words[:1] == [DRAIN] and os.access(AUTHORITY, os.X_OK):
        tool = authority()
    elif not os.access(tool, os.X_OK):
        raise WowError("is missing", "Run this from a clone of the repository: appliance/wow pool create NAME --at HOST", tool)
    os.execv(tool, [tool, *(given.words or ["--help"])])


def authority() -> str:
    """wow-ca, which knows who is an administrator, keeps the list and writes its audit."""
    if not os.path.isdir(paths.AUTHORITY):
        raise WowError("is done on the manager with the pool's CA, and this machine is none", "Log in there, as an administrator: ssh NAME@MANAGER "
                       "wow pool drain MACHINE. In a pool without a CA each owner types `wow finish` on his own machine", "", f"wow pool {DRAIN}")
    return AUTHORITY


VERB = Verb("pool", f"{'|'.join((*TOOLS, DRAIN))} [OPTIONS]", f"on the building machine: makes a pool in one folder, and keeps it; `{DRAIN}`, on the manager "
            "with the CA: gives a machine no more jobs", (JSON,), run, (*TOOLS, DRAIN), takes_all=True)
