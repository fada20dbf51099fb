"""How much of each this machine has for jobs, and the least that a limit may be."""
import os

from wow.config import facts
from wow.lib import files, paths

LEAST = {"percent": 1, "processors": 1, "memory": 128, "disk": 100, "speed": 16, "month": 1}
"""Of each at least; less is nothing that a job could begin with."""
MOST_OF_LINE = {"speed": 1_000_000, "month": 1_000_000}
"""What no line carries, in the units of the limits."""
KEPT_BACK = 128
"""MB of memory that HTCondor keeps for all but jobs (RESERVED_MEMORY)."""


def most(name: str) -> int:
    """How much of it this machine has for jobs; of a line nobody knows that."""
    if name in MOST_OF_LINE:
        return MOST_OF_LINE[name]
    if name == "percent":
        return 100 * (os.cpu_count() or 1)
    if name == "processors":
        return min(os.cpu_count() or 1, int(facts.read().values["jobs", "processors"]) or os.cpu_count() or 1)
    if name == "memory":
        words = files.read("/proc/meminfo").split()
        return int(words[words.index("MemTotal:") + 1]) // 1024 - KEPT_BACK
    room = os.statvfs(paths.STATE)
    return room.f_blocks * room.f_frsize >> 20
