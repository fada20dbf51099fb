"""How the queue's jobs stand, for the pool page of managers: how many of each person and project run, wait and are held, and the one that has waited for longest."""
from wow.condor import ads
from wow.lib import names

MOST_PAIRS = 100
"""Pairs of a person and a project that are told of."""
NONE = "-"
"""The project of a job that names none."""
RUNNING, WAITING, HELD = range(3)
VANILLA = 5
"""The universe of jobs that wait for a machine."""
ATTRIBUTES = "ClusterId,ProcId,JobStatus,Owner,ProjectName,JobUniverse,EnteredCurrentStatus,RequestCpus,RequestMemory,RequestDisk,LastRejMatchReason,LastRejMatchTime"
"""What is asked of a job that waits."""
LARGEST = 1 << 40

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterable, Iterator

    Job = dict[str, Any]


class Standing:
    """What the last looks came to."""

    def __init__(self) -> None:
        self._counts: list[dict[tuple[str, str], int]] = [{}, {}, {}]
        self._oldest = ""

    def pass_on(self, state: int, jobs: "Iterable[Job]") -> "Iterator[Job]":
        """The jobs of a look, which are counted on their way, and of which none is kept."""
        counts: dict[tuple[str, str], int] = {}
        self._counts[state] = counts
        for job in jobs:
            pair = names.clean(job.get("Owner")), names.clean(job.get("ProjectName")) or NONE
            if pair[0] and (pair in counts or len(counts) < MOST_PAIRS):
                counts[pair] = counts.get(pair, 0) + 1
            yield job

    def wait(self, jobs: "Iterable[Job]") -> None:
        """Takes in the jobs that wait."""
        found = [job for job in self.pass_on(WAITING, jobs) if job.get("JobUniverse") == VANILLA]
        first = min(found, key=lambda job: (_number(job, "EnteredCurrentStatus"), _number(job, "ClusterId"), _number(job, "ProcId")), default=None)
        self._oldest = oldest(first) if first is not None else ""

    def text(self) -> str:
        """Lines of a ClassAd: PERSON|PROJECT|RUNNING|WAITING|HELD;..., and the oldest."""
        pairs = list(dict.fromkeys(pair for counts in self._counts for pair in counts))[:MOST_PAIRS]
        lines = ("|".join((*pair, *(str(counts.get(pair, 0)) for counts in self._counts))) for pair in pairs)
        return f'WowJobs = "{";".join(lines)}"\nWowOldest = "{self._oldest}"\n'


def oldest(job: "Job") -> str:
    """CLUSTER.PROC|PERSON|PROJECT|SINCE|CPUS|MEMORY|DISK|PASSED: since when it waits (Unix time), what it asks for (count, MB, kB; 0 where that is an expression), and
    what the negotiator said when it last passed it over, empty where it did not while the job waits."""
    since = _number(job, "EnteredCurrentStatus")
    passed = names.clean(job.get("LastRejMatchReason")) if _number(job, "LastRejMatchTime") >= max(since, 1) else ""
    asked = (_number(job, f"Request{one}") for one in ("Cpus", "Memory", "Disk"))
    return "|".join((f"{_number(job, 'ClusterId')}.{_number(job, 'ProcId')}", names.clean(job.get("Owner")), names.clean(job.get("ProjectName")) or NONE, str(since),
                     *map(str, asked), passed))


def _number(job: "Job", name: str) -> int:
    return ads.number(job.get(name), LARGEST)
