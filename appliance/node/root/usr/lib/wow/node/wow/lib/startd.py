"""Has HTCondor's startd read a file of its configuration, and keeps what it has read in a file of its own: the unit copies the first one there before it starts
HTCondor, and each command that the startd took writes it. The startd alone is asked. A startd that is just being started may have read the file already. Whether
the tool's word holds for it then was not shown, so it is told again, in later rounds, until it has settled.

`write` is for files, too, that other daemons read, whose master is told (condor/reread.py)."""
import os

from wow.lib import console, files, system

QUICK = 20.0
"""Seconds that the command may take."""
SETTLED = 10.0
"""Seconds after its start from which what a startd was told counts. Chosen, not measured."""
NAME = "condor_startd"
PEOPLE = 1000
"""The first account of people and jobs, whose programs may have any name."""
STALE = "# There was another file since.\n"
"""The last line of a note that counts no more."""


def write(file: str, read: str, text: str) -> bool:
    """Makes the file; whether it is another one. What was read counts no more from then on: a daemon that is started anew before it is told has read this one, and
    not the one before. The note of it keeps its text, for who asks what was in it."""
    if files.find(file) == text:
        return False
    former = files.find(read)
    if former is not None and not former.endswith(STALE):
        files.write(read, former + STALE)
    files.write(file, text)
    return True


def has_read(file: str, read: str) -> bool:
    """Whether it has read the file as it is."""
    return files.find(file) == files.find(read)


def tell(file: str, read: str) -> None:
    """Has it read the file. WowError: it does not take it now."""
    present = files.read(file)
    system.must(["condor_reconfig", "-startd"], timeout=QUICK)
    if age() >= SETTLED:
        files.write(read, present)


def age(proc: str = "/proc") -> float:
    """For how many seconds the startd has run; 0 where there is none."""
    ages = [0.0]
    for number in filter(str.isdigit, os.listdir(proc)):
        try:
            if os.stat(f"{proc}/{number}").st_uid < PEOPLE and files.read(f"{proc}/{number}/comm").strip() == NAME:
                began = int(files.read(f"{proc}/{number}/stat").rpartition(")")[2].split()[19])
                ages.append(console.uptime() - began / os.sysconf("SC_CLK_TCK"))
        except (OSError, IndexError):
            pass  # it ended: what is read of it then is an error or nothing
    return max(ages)
