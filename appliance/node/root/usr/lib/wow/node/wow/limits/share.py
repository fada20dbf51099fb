"""How much of a processor all jobs have together: cpu.max of the control group that holds theirs (cgroup v2), which the kernel goes by from then on."""
import os

from wow.lib import files
from wow.slots import groups

FILE = "cpu.max"
PERIOD = 100_000
"""Microseconds in which the share is counted, as the kernel has it where nobody says otherwise."""
HOLDS, LATER, NEVER = "holds", "later", "never"


def text(percent: int | None) -> str:
    """What the file says."""
    return f"{'max' if percent is None else percent * PERIOD // 100} {PERIOD}"


def apply(percent: int | None) -> None:
    """Has the kernel go by it, where there is such a group; HTCondor makes it for its first job, and where that is known already it is made here."""
    wanted = text(percent)
    if percent is not None:
        _make(groups.GROUPS[0])
    for group in groups.GROUPS:
        if (files.find(f"{group}/{FILE}") or wanted).strip() != wanted:
            with open(f"{group}/{FILE}", "w", encoding="ascii") as file:
                file.write(wanted)


def _make(group: str) -> None:
    """The group of jobs before the first one, so that that is held, too: HTCondor takes one that is there."""
    above = os.path.dirname(group)
    if not os.path.isdir(group) and "cpu" in files.read(f"{above}/cgroup.subtree_control").split():
        try:
            os.mkdir(group)
        except OSError:
            pass  # HTCondor made it, or ends; the next round looks again


def found(percent: int) -> str:
    """Whether jobs are held to it: they are, they will be when the first one begins, or this kernel does not count processor time by groups."""
    there = [group for group in groups.GROUPS if os.path.isdir(group)]
    if not there:
        return LATER
    said = [files.read(f"{group}/{FILE}").strip() for group in there]
    return HOLDS if text(percent) in said else LATER if any(said) else NEVER
