"""When a job is taken back from the machine that runs it. A machine that is only cut off goes on with its job, and HTCondor, which is told to
hold out for an hour, never notices (condor/drop_in.py). A machine that was switched off keeps its job just as long. What HTCondor can't tell apart
the overlay can: it knows whom it reaches, and who was started anew. A machine that has ended a job whose state did not get home in time, and is well, has forgotten
its claim; the shadow holds out for the job's lease all the same (remoteresource.cpp, killStarter). The collector tells of that: the machine's ads have the claim no more.

Pure: time and answers are handed in."""

LEAST = 30.0
"""Seconds that it waits in any case: a path that breaks is found anew within two."""
LONGEST_STEP = 15.0
"""Seconds that count at most from one look to the next: what a machine that slept did not see is no absence."""
URGENT = 120.0
"""Seconds from the begin of a doubt in which the collector is asked in each round: HTCondor takes some of them to start anew. After that it is asked more rarely."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Collection, Container, Mapping

    from wow.lib.overlay import Boot


class Job:
    """A job of this machine that is on another. claim: the public half of what the startd there gave; birth: when that startd was started, as it says. runs: whether it
    is to run on there; false where somebody has stopped it, and its shadow waits for the machine's word alone."""

    __slots__ = ("number", "host", "address", "claim", "birth", "patience", "runs")

    def __init__(self, number: str, host: str, address: str, claim: str, birth: str, patience: float, runs: bool = True) -> None:
        self.number, self.host, self.address, self.claim, self.birth, self.patience = number, host, address, claim, birth, max(LEAST, patience)
        self.runs = runs


class Advertised:
    """What the collector has of a startd: when it was started, and when it was last heard, by the clocks of others. For comparing alone. claims: the public
    halves by which jobs are there; None where a slot works for somebody and does not say by which."""

    __slots__ = ("birth", "heard", "claims")

    def __init__(self, birth: str, heard: str, claims: "Container[str] | None" = None) -> None:
        self.birth, self.heard, self.claims = birth, heard, claims

    def lacks(self, job: Job) -> bool:
        """Whether it is this job's startd and tells of all its claims, and not of this job's."""
        return self.birth == job.birth and self.claims is not None and job.claim not in self.claims


class _Worker:
    """began: when it gave a reason to doubt, and has given one ever since. missed: {claim of a job: since when, and as of which ad, the collector lacks it}."""

    __slots__ = ("boot", "absent", "is_parted", "doubted", "began", "first", "missed")

    def __init__(self) -> None:
        self.boot: str | None = None
        self.absent = 0.0
        self.is_parted = False
        self.doubted: float | None = None
        self.began: float | None = None
        self.first: Advertised | None = None
        self.missed: dict[str, tuple[float, str]] = {}

    def doubt(self, now: float, is_other: bool) -> None:
        """Begins a doubt, or goes on with one."""
        if is_other or (self.is_parted and self.doubted is None):
            self.began = now if is_other or self.began is None else self.began
            self.doubted, self.first = now, None
        elif self.doubted is None:
            self.began = None
        if not self.is_parted:
            self.missed.clear()

    def misses(self, now: float, job: Job, latest: Advertised | None, interval: float) -> bool:
        """Whether a job's shadow has parted, and the machine has told of itself without its claim for longer than any of its ads may be late."""
        if not self.is_parted or latest is None:
            return False
        if not latest.lacks(job):
            self.missed.pop(job.claim, None)
            return False
        since, heard = self.missed.setdefault(job.claim, (now, latest.heard))
        return now - since >= interval and latest.heard != heard


class Watch:
    """What is known of the machines that run jobs of this one. Only those are kept that `look` names, so strangers can't make it grow."""

    def __init__(self) -> None:
        self._workers: dict[str, _Worker] = {}
        self._last: float | None = None

    def look(self, now: float, ages: "Mapping[str, float]", answers: "Mapping[str, Boot | None]", reaches_others: bool, parted: "Container[str]" = ()) -> None:
        """Takes in whom the overlay reached: {address: boot, or None where nothing answered}. Machines that it does not name are forgotten. A machine
        that reaches nobody at all is cut off itself, so nobody's absence grows. ages: for how many seconds each has had a job of this machine; parted: those
        whose HTCondor has ended its connection to the shadow."""
        step = 0.0 if self._last is None else min(now - self._last, LONGEST_STEP)
        self._last = now
        self._workers = {address: self._workers.get(address) or _Worker() for address in answers}
        for address, boot in answers.items():
            worker = self._workers[address]
            worker.is_parted = address in parted
            if boot is None:
                worker.absent += step if reaches_others else 0.0
                continue
            # Who was not asked before may have been started anew between the job's start and this look.
            is_other = boot.met < ages[address] if worker.boot is None else boot.identity != worker.boot
            worker.doubt(now, is_other)
            worker.boot, worker.absent = boot.identity, 0.0

    @property
    def is_calm(self) -> bool:
        """Whether no machine gives a reason to look at the queue."""
        return all(worker.doubted is None and worker.absent < LEAST for worker in self._workers.values())

    @property
    def is_doubtful(self) -> bool:
        """Whether some machine was started anew and may have lost its jobs, so that the collector is worth asking."""
        return any(worker.doubted is not None for worker in self._workers.values())

    def is_urgent(self, now: float) -> bool:
        """Whether one of these doubts began so lately that an answer is awaited from one moment to the next."""
        return any(worker.doubted is not None and worker.began is not None and now - worker.began < URGENT for worker in self._workers.values())

    def lost(self, now: float, jobs: "Collection[Job]", ads: "Mapping[str, Advertised]", revoked: "Container[str]" = (),
             interval: float = LEAST) -> list[tuple[Job, str]]:
        """The jobs to take back, each with the reason for its log. ads: what the collector has, by address; none where it was not asked. revoked: the machines
        whose certificates were revoked since. interval: seconds within which each of a machine's ads comes again."""
        found = []
        claims = {job.claim for job in jobs}
        for each in self._workers.values():
            each.missed = {claim: since for claim, since in each.missed.items() if claim in claims}
        for job in jobs:
            worker = self._workers.get(job.address)
            if job.address in revoked:
                found.append((job, f"{job.host} was put out of the pool, so the job runs again elsewhere"))
            elif worker is not None and (why := self._reason(now, job, worker, ads.get(job.address), interval)):
                found.append((job, why))
        for address, worker in self._workers.items():
            self._settle(worker, ads.get(address))
        return found

    @staticmethod
    def _reason(now: float, job: Job, worker: _Worker, latest: Advertised | None, interval: float) -> str:
        if worker.absent >= job.patience:
            return f"{job.host} was not reached for {_minutes(job.patience)}, so the job runs again elsewhere"
        if worker.misses(now, job, latest, interval):
            return f"{job.host} ended the job before its files were home, so it runs again"
        if worker.doubted is None:
            return ""
        if latest is not None and latest.birth != job.birth:
            return f"HTCondor on {job.host} was started anew and has the job no more, so it runs again"
        if now - worker.doubted >= job.patience:
            return f"{job.host} was started anew, and its HTCondor did not come back within {_minutes(job.patience)}, so the job runs again elsewhere"
        return ""

    @staticmethod
    def _settle(worker: _Worker, latest: Advertised | None) -> None:
        """A startd that was heard anew since the doubt began is the one that answers for its claims now, whatever was restarted there."""
        if worker.doubted is None or latest is None:
            return
        if worker.first is None:
            worker.first = latest
        elif latest.heard != worker.first.heard:
            worker.doubted = worker.first = None


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:g} minutes" if seconds != 60 else "a minute"
