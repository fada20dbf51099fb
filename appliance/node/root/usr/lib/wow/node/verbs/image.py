"""wow image"""
import os

import dispatch
from errors import WowError

USAGE = "wow image stamp [OPTIONS]     (wow image stamp --help lists them)"
SUMMARY = "on the building machine: puts a pool.conf into an image (stamp)"
TOOLS = ("stamp",)


def run(arguments):
    """Hands over to the tool in appliance/image of the clone."""
    if not arguments or arguments[0] not in TOOLS:
        raise dispatch.UsageError("name the tool: stamp")
    tool = os.path.join(repository(), "appliance", "image", arguments[0])
    if not os.access(tool, os.X_OK):
        raise WowError("is missing", "Run this from a clone of the repository: appliance/wow image stamp", tool)
    os.execv(tool, [tool, *arguments[1:]])


def repository(start=None):
    """The clone that this file stands in: appliance/node/root/usr/lib/wow/node/verbs is eight folders down."""
    folder = os.path.dirname(os.path.abspath(__file__)) if start is None else start
    for _ in range(8):
        folder = os.path.dirname(folder)
    return folder
