"""When a job is taken back from the machine that runs it. A machine that is only cut off goes on with its job, and HTCondor, which is told to
hold out for an hour, never notices (condor/drop_in.py). A machine that was switched off keeps its job just as long. What HTCondor can't tell apart
the overlay can: it knows whom it reaches, and who was started anew.

Pure: time and answers are handed in."""

LEAST = 30.0
"""Seconds that it waits in any case: a path that breaks is found anew within two."""
LONGEST_STEP = 15.0
"""Seconds that count at most from one look to the next: what a machine that slept did not see is no absence."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Container, Iterable, Mapping

    from wow.lib.overlay import Boot


class Job:
    """A job of this machine that runs on another. claim: the public half of what the startd there gave; birth: when that startd was started, as it says."""

    __slots__ = ("number", "host", "address", "claim", "birth", "patience")

    def __init__(self, number: str, host: str, address: str, claim: str, birth: str, patience: float) -> None:
        self.number, self.host, self.address, self.claim, self.birth, self.patience = number, host, address, claim, birth, max(LEAST, patience)


class Advertised:
    """What the collector has of a startd: when it was started, and when it was last heard, by the clocks of others. For comparing alone."""

    __slots__ = ("birth", "heard")

    def __init__(self, birth: str, heard: str) -> None:
        self.birth, self.heard = birth, heard


class _Worker:
    __slots__ = ("boot", "absent", "doubted", "first")

    def __init__(self) -> None:
        self.boot: str | None = None
        self.absent = 0.0
        self.doubted: float | None = None
        self.first: Advertised | None = None


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
            if boot is None:
                worker.absent += step if reaches_others else 0.0
                continue
            # Who was not asked before may have been started anew between the job's start and this look.
            is_other = boot.met < ages[address] if worker.boot is None else boot.identity != worker.boot
            if is_other or (address in parted and worker.doubted is None):
                worker.doubted, worker.first = now, None
            worker.boot, worker.absent = boot.identity, 0.0

    @property
    def is_calm(self) -> bool:
        """Whether no machine gives a reason to look at the queue."""
        return all(worker.doubted is None and worker.absent < LEAST for worker in self._workers.values())

    @property
    def is_doubtful(self) -> bool:
        """Whether some machine was started anew and may have lost its jobs, so that the collector is worth asking."""
        return any(worker.doubted is not None for worker in self._workers.values())

    def lost(self, now: float, jobs: "Iterable[Job]", ads: "Mapping[str, Advertised]", revoked: "Container[str]" = ()) -> list[tuple[Job, str]]:
        """The jobs to take back, each with the reason for its log. ads: what the collector has, by address; none where it was not asked. revoked: the machines
        whose certificates were revoked since."""
        found = []
        for job in jobs:
            worker = self._workers.get(job.address)
            if job.address in revoked:
                found.append((job, f"{job.host} was put out of the pool, so the job runs again elsewhere"))
            elif worker is not None and (why := self._reason(now, job, worker, ads.get(job.address))):
                found.append((job, why))
        for address, worker in self._workers.items():
            self._settle(worker, ads.get(address))
        return found

    @staticmethod
    def _reason(now: float, job: Job, worker: _Worker, latest: Advertised | None) -> str:
        if worker.absent >= job.patience:
            return f"{job.host} was not reached for {_minutes(job.patience)}, so the job runs again elsewhere"
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
