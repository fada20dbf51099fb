"""Which jobs run on this machine, for whom and since when: what starters noted when they began (begun.py), as far as those still run. A note stays until its slot
begins with another job."""
import os

from wow.lib import console, files, paths

STARTERS = ("starter", "condor_starter")
"""What the starter's process is called, from its beginning on (the script `starter`)."""
TICKS = os.sysconf("SC_CLK_TCK")


class Job:
    """A job on this machine: its slot's account, for whom it runs and for which project, as a stranger's queue says both, for how many seconds, and when it began, in
    seconds since the machine did. project: empty where the job names none."""

    __slots__ = ("account", "whom", "age", "project", "begun")

    def __init__(self, account: int, whom: str, age: float, project: str = "", begun: float = 0.0) -> None:
        self.account, self.whom, self.age, self.project, self.begun = account, whom, age, project, begun


def look(folder: str = paths.BEGUN, proc: str = "/proc") -> list[Job]:
    """The jobs, the oldest first."""
    try:
        names = [name for name in os.listdir(folder) if name.isdigit()]
    except OSError:
        return []
    now = console.uptime(f"{proc}/uptime") if names else 0.0
    jobs = (read(f"{folder}/{name}", proc, now) for name in names)
    return sorted((job for job in jobs if job is not None), key=lambda job: -job.age)


def read(path: str, proc: str, now: float) -> Job | None:
    """A note whose starter runs; None for others. Another process that has the number of one that ended began later than the note."""
    try:
        # The project is the last line, and may be empty.
        whom, number, begun, project = (files.read(path).split("\n") + [""])[:4]
        head, _, rest = files.read(f"{proc}/{int(number)}/stat").rpartition(")")
        if head.partition("(")[2] not in STARTERS or int(rest.split()[19]) / TICKS > float(begun) + 1:
            return None
        return Job(int(os.path.basename(path)), whom, max(0.0, now - float(begun)), project, float(begun))
    except (OSError, ValueError, IndexError):
        return None
