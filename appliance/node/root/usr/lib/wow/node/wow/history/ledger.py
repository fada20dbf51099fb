"""What of a machine's work counts. A machine says for whom its cores work, from look to look; the queue of that person says how many core seconds its jobs
had there. Each may lie, so what both say counts, and no more.

The two don't come at once: a slot that is taken is told within a second, a queue tells of itself every 30 to 300. So both are added up, and the lesser of
the two sums counts as soon as it is there. What the other side does not confirm in time is forgotten.

Pure: time and samples are handed in."""

LONGEST_STEP = 180.0
"""Seconds that count at most from one look to the next: what was not seen for longer is not known."""
PATIENCE = 900.0
"""Seconds that one side's word waits for the other's, and seconds of each core that wait at most."""
ABSENCE = 3600.0
"""Seconds that a queue which is not in the collector is remembered."""
MOST = 20_000
"""Pairs of a machine and a person that are kept, and lines of queues; further ones do not count."""
MOST_OF_ONE = 500
"""Of these, those of one machine, and lines of one queue: as many as a look may bring, so that who brings others every time takes nobody's place."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wow.condor.ads import Queue, Run, Sample

    Pair = tuple[str, str]
    Line = tuple[str, str, str]


class Credit:
    """Work that counts: core seconds and jobs of a person for a project, on a machine of an owner."""

    __slots__ = ("person", "project", "owner", "machine", "seconds", "jobs")

    def __init__(self, person: str, project: str, owner: str, machine: str, seconds: int, jobs: int) -> None:
        self.person, self.project, self.owner, self.machine, self.seconds, self.jobs = person, project, owner, machine, seconds, jobs


class _Said:
    """What a machine said of a person that is not confirmed yet: core seconds; and for how many seconds it has said no more."""

    __slots__ = ("seconds", "silent")

    def __init__(self) -> None:
        self.seconds = self.silent = 0.0


class _Told:
    """A queue's line: what it said last, what of that has not counted yet, for how many seconds it has not stood there, and when it last grew."""

    __slots__ = ("last", "last_jobs", "seconds", "jobs", "silent", "grown")

    def __init__(self, last: int, last_jobs: int) -> None:
        self.last, self.last_jobs = last, last_jobs
        self.seconds = self.silent = self.grown = 0.0
        self.jobs = 0

    def hear(self, run: "Run", now: float) -> None:
        """Adds what is new. A line that was taken away and begun again begins at nothing."""
        if run.seconds != self.last:
            self.grown = now
        is_same = run.seconds >= self.last and run.jobs >= self.last_jobs
        self.seconds += run.seconds - (self.last if is_same else 0)
        self.jobs += run.jobs - (self.last_jobs if is_same else 0)
        self.last, self.last_jobs, self.silent = run.seconds, run.jobs, 0.0


class Ledger:
    """Keeps both sums. unconfirmed: core seconds since the start that machines named and no queue did."""

    def __init__(self) -> None:
        self._said: dict[Pair, _Said] = {}
        self._told: dict[str, dict[Line, _Told]] = {}
        self._lines = 0
        self._queues: dict[str, tuple[str, float]] = {}
        self._last: float | None = None
        self.unconfirmed = 0.0

    def look(self, now: float, sample: "Sample") -> list[Credit]:
        """Takes a sample in; returns what counts since the one before. now: seconds, of a clock that nobody sets."""
        step = 0.0 if self._last is None else min(max(0.0, now - self._last), LONGEST_STEP)
        self._last = now
        owners = self._hear_machines(sample, step)
        for lines in self._told.values():
            for told in lines.values():
                told.silent += step
        for queue in sample.queues:
            self._hear_queue(queue, now)
        found = self._settle(owners)
        self._forget(now)
        return found

    def _hear_machines(self, sample: "Sample", step: float) -> dict[str, str]:
        """Adds up what machines say; returns each machine's owner."""
        cores: dict[Pair, int] = {}
        owners: dict[str, str] = {}
        for slot in sample.slots:
            owners.setdefault(slot.machine, slot.owner)
            if slot.person:
                pair = (slot.machine, slot.person)
                cores[pair] = cores.get(pair, 0) + slot.cores
        for said in self._said.values():
            said.silent += step
        of_one: dict[str, int] = {}
        for machine, _ in self._said:
            of_one[machine] = of_one.get(machine, 0) + 1
        for pair, count in cores.items():
            if pair not in self._said:
                if len(self._said) >= MOST or of_one.get(pair[0], 0) >= MOST_OF_ONE:
                    continue
                of_one[pair[0]] = of_one.get(pair[0], 0) + 1
            said = self._said.setdefault(pair, _Said())
            # A slot counts for the whole step in which it is seen, so that on the average a job counts for as long as it ran.
            said.seconds, said.silent = said.seconds + step * count, 0.0
            if (over := said.seconds - PATIENCE * count) > 0:
                self.unconfirmed += over
                said.seconds -= over
        return owners

    def _hear_queue(self, queue: "Queue", now: float) -> None:
        """Adds up what a queue tells. What it had counted before it was first heard, and before it counted anew, is no news."""
        if not queue.epoch or (queue.machine not in self._queues and len(self._queues) >= MOST):
            return
        is_known = self._queues.get(queue.machine, ("", 0.0))[0] == queue.epoch
        self._queues[queue.machine] = (queue.epoch, now)
        lines = self._told.setdefault(queue.machine, {})
        runs = {(run.person, run.project, run.machine): run for run in queue.runs}
        spare = [line for line in reversed(lines) if line not in runs]
        for line, run in runs.items():
            told = None if not is_known else lines.get(line)
            if told is None:
                if line in lines:
                    self._drop(lines, line)
                elif len(lines) >= MOST_OF_ONE and spare:
                    # The one that was told of first.
                    self._drop(lines, spare.pop())
                if len(lines) >= MOST_OF_ONE or self._lines >= MOST:
                    continue
                told = lines[line] = _Told(0, 0) if is_known else _Told(run.seconds, run.jobs)
                self._lines += 1
            told.hear(run, now)

    def _drop(self, lines: "dict[Line, _Told]", line: "Line") -> None:
        del lines[line]
        self._lines -= 1

    def _settle(self, owners: dict[str, str]) -> list[Credit]:
        """What both sides say. A machine does not say for which project it works: what it says goes to the one that grew last."""
        found = []
        every = [(line, told) for lines in self._told.values() for line, told in lines.items()]
        for (person, project, machine), told in sorted(every, key=lambda line: -line[1].grown):
            said = self._said.get((machine, person))
            seconds = int(min(told.seconds, said.seconds)) if said is not None else 0
            if said is not None and seconds >= 1:
                # A job takes a second at least.
                jobs = min(told.jobs, seconds)
                found.append(Credit(person, project, owners.get(machine, machine), machine, seconds, jobs))
                said.seconds -= seconds
                told.seconds -= seconds
                told.jobs -= jobs
        return found

    def _forget(self, now: float) -> None:
        for pair, said in list(self._said.items()):
            if said.silent > PATIENCE or (said.silent and said.seconds < 1):
                self.unconfirmed += said.seconds
                del self._said[pair]
        for machine in [machine for machine, (_, heard) in self._queues.items() if now - heard > ABSENCE]:
            del self._queues[machine]
            self._lines -= len(self._told.pop(machine, {}))
        for machine, lines in self._told.items():
            if self._queues[machine][1] == now:
                for line in [line for line, told in lines.items() if told.silent > PATIENCE]:
                    self._drop(lines, line)
