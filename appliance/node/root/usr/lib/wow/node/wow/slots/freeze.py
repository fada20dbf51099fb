"""Stops and goes on with this machine's jobs by the kernel's freezer (cgroup v2, cgroup.freeze): in milliseconds, whatever a job does. HTCondor has each job in a
control group below its unit's, beside that of its daemons, and suspends jobs by the same file; so neither disagrees with the other."""
import os

from wow.lib import files, paths
from wow.slots import groups

STOPS = f"{paths.RUN}/condor-stops"
"""There while HTCondor is being stopped (stop-jobs): jobs go on then, for their checkpoint."""
FREEZE, EVENTS = "cgroup.freeze", "cgroup.events"


def slots() -> list[str]:
    """The control groups of jobs that are there now."""
    found: list[str] = []
    for folder in groups.GROUPS:
        try:
            found += sorted(entry.path for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False))
        except FileNotFoundError:
            pass
    return found


def freeze() -> None:
    """Stops all jobs, unless HTCondor is being stopped."""
    if not os.path.exists(STOPS):
        _write("1")


def thaw() -> None:
    """Has all jobs go on."""
    _write("0")


def running() -> int:
    """How many jobs have a process."""
    return sum(_is_populated(slot) for slot in slots())


def _is_populated(slot: str) -> bool:
    try:
        return "populated 1" in files.read(f"{slot}/{EVENTS}")
    except OSError:
        return False  # its job ended while the file was open


def _write(value: str) -> None:
    wrong = None
    for slot in slots():
        try:
            with open(f"{slot}/{FREEZE}", "w", encoding="ascii") as file:
                file.write(value)
        except OSError as error:
            # The job has ended meanwhile; one that has not is told of, when all others are done.
            if os.path.isdir(slot):
                wrong = wrong or OSError(error.errno, error.strerror, f"{slot}/{FREEZE}")
    if wrong:
        raise wrong
