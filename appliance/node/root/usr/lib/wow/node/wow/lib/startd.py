"""Has HTCondor's startd read a file of its configuration, and keeps what it has read in a file of its own: the unit copies the first one there before it starts
HTCondor, and each command that the startd took writes it. The startd alone is asked, and by its own port: one that does not hear yet does not answer, and is told
in the next round."""
from wow.lib import files, system

QUICK = 20.0
"""Seconds that the command may take."""


def has_read(file: str, read: str) -> bool:
    """Whether it has read the file as it is."""
    return files.find(file) == files.find(read)


def tell(file: str, read: str) -> None:
    """Has it read the file. WowError: it does not take it now."""
    present = files.read(file)
    system.must(["condor_reconfig", "-startd"], timeout=QUICK)
    files.write(read, present)
