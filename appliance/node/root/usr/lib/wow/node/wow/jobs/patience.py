"""When a job is taken back from the machine that runs it. A machine that is only cut off goes on with its job, and HTCondor, which is told to
hold out for an hour, never notices (condor/drop_in.py). A machine that was switched off keeps its job just as long. What HTCondor can't tell apart
the overlay can: it knows whom it reaches, and who was started anew. A machine that has ended a job whose state did not get home in time, and is well, has forgotten
its claim; the shadow holds out for the job's lease all the same (remoteresource.cpp, killStarter). The collector tells of that: the machine's ads have the claim no more.

Pure: time and answers are handed in."""

from wow.lib import agreed

LEAST = 30.0
"""Seconds that it waits in any case: a path that breaks is found anew within two."""
LONGEST_STEP, SLOWEST = 15.0, 60.0
"""Seconds that count at most up to the first look at which a machine is silent, and from one of those to the next: what this machine did not see while its host slept is
no absence. Some hypervisors' clocks stand still then, others jump, and none of a guest's own tells the latter from a slow round, which may wait that long for HTCondor's
tools or for many silent machines."""
SOON = 10.0
RENEWED = agreed.SESSION_SECONDS - SOON
"""A session is agreed on anew after an hour, and proves another boot id then. So one that is met so many seconds after the one before, and within so
many of an answer with that, tells of no start: nearly no machine is off and on again so fast, and one that is has to hit these seconds of the hour."""
URGENT = 120.0
"""Seconds from the begin of a doubt in which the collector is asked in each round: HTCondor takes some of them to start anew. After that it is asked more rarely, and so
it is where slow looks alone keep an hour's end from explaining a boot id: else they would make each other slow."""

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
    """host: its certificate's name, None where nothing tells that. boot, met, answered: the boot id of its last answer, when this node met that first, and when it was
    asked for that answer. began: when it gave a reason to doubt, and has given one ever since. waited: for how long the collector has answered each time and told
    nothing that ends the doubt, None before it did; unasked: seconds since it was asked last. missed: {claim of a job: since when, and as of which ad, the collector
    lacks it}."""

    __slots__ = ("host", "boot", "met", "answered", "absent", "is_parted", "is_doubted", "began", "waited", "unasked", "first", "missed")

    def __init__(self) -> None:
        self.host: str | None = None
        self.boot: str | None = None
        self.met = self.answered = 0.0
        self.absent = 0.0
        self.is_parted = self.is_doubted = False
        self.began: float | None = None
        self.waited: float | None = None
        self.unasked = 0.0
        self.first: Advertised | None = None
        self.missed: dict[str, tuple[float, str]] = {}

    def hear(self, now: float, boot: "Boot", age: float) -> None:
        """Takes in an answer. age: for how many seconds it has had a job of this machine."""
        met, is_due = now - boot.met, False
        if self.boot is None:
            # It may have been started anew between the job's start and this look.
            is_other = boot.met < age
        else:
            is_due = met - self.met >= RENEWED and not self.absent
            is_other = boot.identity != self.boot and not (is_due and met - self.answered <= SOON)
        self.host, self.boot, self.met, self.answered, self.absent = boot.host, boot.identity, met, now, 0.0
        self._doubt(now, is_other, is_other and not is_due)

    def _doubt(self, now: float, is_other: bool, is_likely: bool) -> None:
        """Begins a doubt, or goes on with one. is_other: whether it may have been started anew; is_likely: whether nothing else explains its boot id."""
        if is_other or (self.is_parted and not self.is_doubted):
            if is_likely or (self.is_parted and self.began is None):
                self.began = now
            self.is_doubted, self.waited, self.first = True, None, None
        elif not self.is_doubted:
            self.began = None
        if not self.is_parted:
            self.missed.clear()

    def ask(self, has_answered: bool) -> None:
        """Takes in whether the collector answered for this machine: one that did not may have been started anew itself, and then knows of none for a while."""
        self.waited = None if not has_answered else 0.0 if self.waited is None else self.waited + self.unasked

    def is_heard_anew(self, latest: Advertised | None) -> bool:
        """Whether its startd was heard since the first ad of this doubt."""
        return latest is not None and self.first is not None and latest.heard != self.first.heard

    def settle(self, latest: Advertised) -> None:
        """A startd that was heard anew since the doubt began is the one that answers for its claims now, whatever was restarted there."""
        if self.is_heard_anew(latest):
            self.is_doubted, self.first = False, None
        elif self.is_doubted and self.first is None:
            self.first, self.waited = latest, 0.0

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
        that reaches nobody at all is cut off itself, so nobody's absence grows. now: when they were asked; ages: for how many seconds each has had a job of this machine;
        parted: those whose HTCondor has ended its connection to the shadow."""
        step = 0.0 if self._last is None else min(now - self._last, SLOWEST)
        self._last = now
        self._workers = {address: self._workers.get(address) or _Worker() for address in answers}
        for address, boot in answers.items():
            worker = self._workers[address]
            worker.is_parted = address in parted
            worker.unasked += step
            if boot is not None:
                worker.hear(now, boot, ages[address])
            elif reaches_others:
                worker.absent += step if worker.absent else min(step, LONGEST_STEP)

    @property
    def is_calm(self) -> bool:
        """Whether no machine gives a reason to look at the queue."""
        return not self.doubted and all(worker.absent < LEAST for worker in self._workers.values())

    @property
    def doubted(self) -> set[str]:
        """The machines that were started anew and may have lost their jobs, so that the collector is worth asking for them."""
        return {address for address, worker in self._workers.items() if worker.is_doubted}

    def is_there(self, job: Job) -> bool:
        """Whether a job is on the machine that has its address. The claim, and the address in it, are the word of the machine that gave it; the collector, though, takes
        an ad from nobody but the machine that it names. So one that gave a claim with another's address would speak, by its own ad, for that one's jobs."""
        worker = self._workers.get(job.address)
        return worker is None or worker.host in (None, job.host.partition(".")[0])

    def is_urgent(self, now: float) -> bool:
        """Whether one of these doubts began so lately that an answer is awaited from one moment to the next."""
        return any(worker.is_doubted and worker.began is not None and now - worker.began < URGENT for worker in self._workers.values())

    def lost(self, now: float, jobs: "Collection[Job]", ads: "Mapping[str, Advertised] | None", revoked: "Container[str]" = (),
             interval: float = LEAST) -> list[tuple[Job, str]]:
        """The jobs to take back, each with the reason for its log. ads: what the collector has of the doubted machines of these jobs, by address; None where it did not
        answer, or was not asked. revoked: the machines whose certificates were revoked since. interval: seconds within which each of a machine's ads comes again."""
        found = []
        claims, machines = {job.claim for job in jobs}, {job.address for job in jobs}
        for address, each in self._workers.items():
            if address in machines:
                each.ask(ads is not None)
            each.unasked = 0.0
            each.missed = {claim: since for claim, since in each.missed.items() if claim in claims}
        ads = ads or {}
        for job in jobs:
            worker = self._workers.get(job.address)
            if job.address in revoked:
                found.append((job, f"{job.host} was put out of the pool, so the job runs again elsewhere"))
            elif worker is not None and self.is_there(job) and (why := self._reason(now, job, worker, ads.get(job.address), interval)):
                found.append((job, why))
        for address, latest in ads.items():
            if address in self._workers:
                self._workers[address].settle(latest)
        return found

    @staticmethod
    def _reason(now: float, job: Job, worker: _Worker, latest: Advertised | None, interval: float) -> str:
        if worker.absent >= job.patience:
            return f"{job.host} was not reached for {_minutes(job.patience)}, so the job runs again elsewhere"
        if worker.misses(now, job, latest, interval):
            return f"{job.host} ended the job before its files were home, so it runs again"
        if not worker.is_doubted:
            return ""
        if latest is not None and latest.birth != job.birth:
            return f"HTCondor on {job.host} was started anew and has the job no more, so it runs again"
        # A machine that is well may tell of itself that late.
        limit = max(job.patience, interval)
        if worker.waited is not None and worker.waited >= limit and not worker.is_heard_anew(latest):
            return f"{job.host} was started anew, and its HTCondor did not come back within {_minutes(limit)}, so the job runs again elsewhere"
        return ""


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:g} minutes" if seconds != 60 else "a minute"
