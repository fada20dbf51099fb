"""What this queue tells the manager of its jobs, in its ad: how many core seconds and jobs each person had for each project on each machine, how many are held for
what, and how many of its claims were refused; and how its jobs stand (standing.py). The manager counts a machine's work only where this says the same
(history/ledger.py).

The queue is asked for the jobs that run while there are any, and for those that are held or wait when its file has changed, where each job that is held, let go or
queued is written: HTCondor's tools take half a second of an emulated processor for each question."""
import os
import time

from wow.condor import ads
from wow.jobs import standing
from wow.jobs.refusals import Refusals
from wow.lib import files, names, paths, system

EVERY, SOON = 30.0, 10.0
"""Seconds from one question to the next while jobs run, and where one has begun or ended."""
LONGEST_STEP = 600
"""Seconds that count at most from one look at a job to the next: the clock may have been set."""
MOST_LINES = 300
"""Lines that are told; those that grew last stay."""
LOG = "/var/lib/condor/spool/job_queue.log"
NONE = standing.NONE

QUESTION = ["condor_q", "-allusers", "-limit", str(ads.MOST_COUNTED[standing.RUNNING]), "-json", "-attributes",
            "ClusterId,ProcId,JobStatus,Owner,ProjectName,RemoteHost,RequestCpus,JobCurrentStartDate,HoldReasonCode", "-constraint"]
THAT_WAIT = ["condor_q", "-allusers", "-limit", str(ads.MOST_COUNTED[standing.WAITING]), "-json", "-attributes", standing.ATTRIBUTES, "-constraint", "JobStatus == 1"]
THAT_RUN, THAT_ARE_HELD = "JobStatus == 2 || JobStatus == 6", "JobStatus == 5"
"""Asked apart, for there may be more of the one than are looked at."""
WAITING, RUNNING, HELD = 1, (2, 6), 5
"""JobStatus: idle; running, its output on the way; held."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Iterable


class Run:
    """A run of a job that was in the last look: whose it is and where, by how many cores, on which slot, and until when it is counted, Unix time."""

    __slots__ = ("line", "cores", "host", "until")

    def __init__(self, line: tuple[str, str, str], cores: int, host: str, until: int) -> None:
        self.line, self.cores, self.host, self.until = line, cores, host, until


class Counter:
    """Sums of core seconds and jobs, which only grow. first: when it begins to count, Unix time; its text says so, since all begins at nothing then."""

    def __init__(self, first: int) -> None:
        self._first = self._looked = first
        self._runs: dict[tuple[object, object, object], Run] = {}
        self._lines: dict[tuple[str, str, str], tuple[int, int]] = {}

    def look(self, now: int, jobs: "Iterable[dict[str, Any]]", whole: int = 0) -> None:
        """Takes in the jobs that run, by Unix time. Each counts from its start, or from the look before. whole: until when all jobs of the look before ran on;
        those that are gone count until then, or until another job has their slot."""
        former, self._runs = self._runs, {}
        # Where the clock was set back, what began since then is new: no longer ago than the queue takes to be asked when something begins.
        newest = self._looked if self._looked <= now else now - int(EVERY)
        begins: dict[str, int] = {}
        for job in jobs:
            host, line = whose(job)
            if not all(line):
                continue
            begun = ads.number(job.get("JobCurrentStartDate"), 1 << 40)
            number = job.get("ClusterId"), job.get("ProcId"), begun
            before = former.pop(number, None)
            # One that was away from the queue's answer for a while, or began while the queue answered, does not count twice.
            run = self._runs[number] = Run(line, max(1, ads.number(job.get("RequestCpus"))), host, before.until if before else max(begun, newest))
            self._grow(run, now, before is None and begun >= newest)
            if before is None:
                begins[host] = begun
        for run in former.values():
            ended = min(whole, now, begins.get(run.host, now))
            if ended > run.until:
                self._grow(run, ended, False)
        self._looked = now
        while len(self._lines) > MOST_LINES:
            del self._lines[next(iter(self._lines))]

    def _grow(self, run: Run, until: int, is_new: bool) -> None:
        """Counts a run until then, and the run itself if it is new."""
        seconds = min(max(0, until - run.until), LONGEST_STEP)
        run.until = until
        # Those that grew last stand last.
        former = self._lines.pop(run.line, (0, 0))
        self._lines[run.line] = (former[0] + seconds * run.cores, former[1] + is_new)

    def text(self) -> str:
        """EPOCH;PERSON|PROJECT|MACHINE|SECONDS|JOBS;..."""
        return ";".join([str(self._first), *("|".join((*line, str(seconds), str(jobs))) for line, (seconds, jobs) in self._lines.items())])


class Runs:
    """Asks the queue when there may be something new, and leaves what it tells where the schedd finds it."""

    def __init__(self, ask: "Callable[..., tuple[int, str]]" = system.run, log: str = LOG, ad: str = paths.QUEUE_AD, clock: "Callable[[], float]" = time.time,
                 refusals: Refusals | None = None) -> None:
        self._ask, self._log, self._ad, self._clock = ask, log, ad, clock
        self._refusals, self._refused = refusals or Refusals(), 0
        self._counter = Counter(int(clock()))
        self._asked = float("-inf")
        self._shadows: frozenset[int] = frozenset()
        self._stamp: object = None
        self._stamp_of_held: object = None
        self._held: dict[int, int] | None = None
        self._standing = standing.Standing()
        self._is_told = False
        self._whole = 0

    def round(self, now: float, shadows: frozenset[int]) -> None:
        """now: seconds, of a clock that nobody sets; shadows: the numbers of those that run."""
        if not self._is_told:
            # The manager is to know from when on it counts.
            files.write(self._ad, text(self._counter, {}, 0))
            self._is_told = True
        stamp, begun, refused = self._changed(), int(self._clock()), self._refusals.look()
        if shadows >= self._shadows:
            # Not one has ended since the last look.
            self._whole = begun
        is_due = now - self._asked >= EVERY and (bool(shadows) or stamp != self._stamp or refused != self._refused)
        if not is_due and not (shadows != self._shadows and now - self._asked >= SOON):
            return
        self._asked, self._shadows, self._stamp = now, shadows, stamp
        code, said = self._ask([*QUESTION, THAT_RUN], timeout=20.0)
        if code == 0:
            running = (job for job in ads.objects(said) if job.get("JobStatus") in RUNNING)
            self._counter.look(begun, self._standing.pass_on(standing.RUNNING, running), self._whole)
            if (held := self._holds(stamp)) is not None:
                files.write_if_changed(self._ad, text(self._counter, held, refused) + self._standing.text())
                self._refused = refused

    def _holds(self, stamp: object) -> dict[int, int] | None:
        """How many jobs are held for what; None where the queue does not say. Those that wait are asked for as often. stamp: what its file was like before this look."""
        if self._held is None or stamp is None or stamp != self._stamp_of_held:
            code, said = self._ask([*QUESTION, THAT_ARE_HELD], timeout=20.0)
            self._held = None
            if code == 0:
                self._held, self._stamp_of_held = {}, stamp
                for job in self._standing.pass_on(standing.HELD, (job for job in ads.objects(said) if job.get("JobStatus") == HELD)):
                    reason = ads.number(job.get("HoldReasonCode"))
                    self._held[reason] = self._held.get(reason, 0) + 1
                code, said = self._ask(THAT_WAIT, timeout=20.0)
                if code == 0:
                    self._standing.wait(job for job in ads.objects(said) if job.get("JobStatus") == WAITING)
        return self._held

    def _changed(self) -> object:
        try:
            status = os.stat(self._log)
            return status.st_mtime_ns, status.st_size, status.st_ino
        except OSError:
            return None


def whose(job: "dict[str, Any]") -> tuple[str, tuple[str, str, str]]:
    """(slot, (person, project, machine)) of a job that runs; what it does not say is empty."""
    host = job.get("RemoteHost")
    host = host if isinstance(host, str) else ""
    return host, (names.clean(job.get("Owner")), names.clean(job.get("ProjectName")) or NONE, ads.label(host.rpartition("@")[2]))


def text(counter: Counter, held: dict[int, int], refused: int) -> str:
    """Lines of a ClassAd."""
    codes = ",".join(f"{code}:{count}" for code, count in sorted(held.items())[:100])
    return f'WowRuns = "{counter.text()}"\nWowHeld = "{codes}"\nWowRefused = {refused}\n'
