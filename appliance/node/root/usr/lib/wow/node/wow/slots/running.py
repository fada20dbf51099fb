"""Which jobs run on this machine, for whom and since when: what starters noted when they began (begun.py), as far as those still run. A note stays until its slot
begins with another job."""
import os

from wow.lib import console, files, moments, paths

STARTERS = ("starter", "condor_starter")
"""What the starter's process is called, from its beginning on (the script `starter`)."""
TICKS = os.sysconf("SC_CLK_TCK")


class Job:
    """A job on this machine: its slot's account, for whom it runs and for which project, as a stranger's queue says both, for how many seconds, and when it began, in
    seconds since the machine did and, as its clock said then, since 1970. project: empty where the job names none; wall: 0 where that was not noted."""

    __slots__ = ("account", "whom", "age", "project", "begun", "wall")

    def __init__(self, account: int, whom: str, age: float, project: str = "", begun: float = 0.0, wall: float = 0.0) -> None:
        self.account, self.whom, self.age, self.project, self.begun, self.wall = account, whom, age, project, begun, wall

    def since(self, now: float) -> float:
        """When it began, in seconds since 1970, as `now` is: what was noted, where the clock was not set since."""
        return self.wall if moments.is_sleep(self.age, now - self.wall) else now - self.age


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
        # The project may be empty. Starters of former releases noted neither it nor the clock.
        whom, number, begun, project, wall = (files.read(path).split("\n") + ["", ""])[:5]
        head, _, rest = files.read(f"{proc}/{int(number)}/stat").rpartition(")")
        if head.partition("(")[2] not in STARTERS or int(rest.split()[19]) / TICKS > float(begun) + 1:
            return None
        return Job(int(os.path.basename(path)), whom, max(0.0, now - float(begun)), project, float(begun), float(wall or 0))
    except (OSError, ValueError, IndexError):
        return None
