"""Warnings that ipopd knows nothing of, in its form: a code for programs, a text for people."""
import os

from wow.lib import console, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wow.lib.answers import WarningPart

LITTLE_ROOM = 50_000_000
"""Bytes."""
FEW_FILES = 12
"""One of so many that there can be. ext4 keeps blocks for root, and no inodes."""


def own(home: str = "/home") -> "list[WarningPart]":
    """Of what wow-config found wrong at this start, and of a home that is nearly full."""
    found: list[WarningPart] = [{"code": "config", "text": f"at this start: {text}"} for text in console.of_start()]
    try:
        facts = os.statvfs(home)
        free = facts.f_bavail * facts.f_frsize
        if facts.f_favail < facts.f_files // FEW_FILES:
            found.append({"code": "home-full", "text": f"{home} has room for {facts.f_favail} more files, of {facts.f_files}: remove files there, "
                                                       "else jobs and certificates cannot be kept"})
        if free < LITTLE_ROOM:
            found.append({"code": "home-full", "text": f"{home} is almost full ({table.size(free)} left): remove files there, else jobs and certificates cannot be kept"})
    except OSError:
        pass
    return found
