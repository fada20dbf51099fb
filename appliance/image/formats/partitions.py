"""Whether a machine's disk can take an image's system."""

SYSTEM = "WOWSYS"
HOME = "WOWHOME"
CONFIG = "WOWCFG"
"""Machines of before have none."""


def named(table, name):
    """The partition of a name in a table as sfdisk's JSON has it, or None."""
    return next((entry for entry in table if entry.get("name") == name), None)


def agree(machine, image):
    """Compares two such tables: the same partitions in the same order, home the last one on the image's disk. Where they stand and how large they are may
    differ: the system is the image's, and home is copied to its place there."""
    last = max(image, key=lambda entry: entry["start"], default={})
    return last.get("name") == HOME and _names(machine) == _names(image)


def _names(table):
    return [entry.get("name") for entry in table if entry.get("name") != CONFIG]
