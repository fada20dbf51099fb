"""wow pool"""
import os

from wow.lib.errors import WowError
from wow.lib.verb import JSON, Given, Verb
from wow.verbs.image import repository

TOOLS = ("create", "show", "ticket", "user", "admin", "project", "manager", "stamp", "upgrade", "backup", "restore")


def run(given: Given) -> int:
    """Hands over to appliance/pool of the clone."""
    tool = os.path.join(repository(), "appliance", "pool", "command")
    if not os.access(tool, os.X_OK):
        raise WowError("is missing", "Run this from a clone of the repository: appliance/wow pool create NAME --at HOST", tool)
    os.execv(tool, [tool, *(given.words or ["--help"])])


VERB = Verb("pool", f"{'|'.join(TOOLS)} [OPTIONS]", "on the building machine: makes a pool in one folder, and keeps it", (JSON,), run, TOOLS, takes_all=True)
