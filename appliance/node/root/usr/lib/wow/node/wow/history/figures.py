"""The pool in Prometheus' text format (version 0.0.4). What labels say comes from ads of strangers, so each has a bound: what there is too much of is counted
under one name."""
from wow.condor.ads import MOST_COUNTED, Sample, Slot
from wow.lib import names

STATES = ("Unclaimed", "Claimed", "Matched", "Owner", "Preempting", "Drained", "Backfill")
PATHS = ("direct", "relay", "ring")
OTHER = "other"
MOST_PEOPLE, MOST_VERSIONS = 50, 20
MOST_AT_ONCE = 1000
"""Refused claims that count of one queue from one look to the next: one that says more makes no mountain of it."""

REASONS = {
    1: "by a person", 3: "job's own policy", 5: "undefined policy", 6: "program not started", 7: "output not opened", 8: "input not opened",
    9: "output stream not opened", 12: "output not transferred", 13: "input not transferred", 14: "folder missing", 15: "submitted on hold", 16: "input awaited",
    21: "by its machine", 22: "log not opened", 26: "pool's policy", 27: "undefined policy", 32: "input too large", 33: "output too large",
    34: "out of resources", 36: "no checkpoint", 42: "pre script failed", 43: "post script failed", 46: "ran too long", 47: "ran too long"}
"""HoldReasonCode, as people say it (HTCondor 23.9.6, condor_holdcodes.h)."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    Labels = tuple[tuple[str, str], ...]


class Totals:
    """What grows while the program runs: matches, claims that machines refused, core seconds that counted, and those that nobody confirmed."""

    def __init__(self) -> None:
        self.matches = 0
        self.refused = 0
        self.seconds = 0
        self.unconfirmed = 0.0
        self.samples = self.failures = 0
        self._last_cycle = 0
        self._queues: dict[str, tuple[str, int]] = {}

    def look(self, sample: Sample, counted: int, unconfirmed: float) -> None:
        """Takes in a sample, and the core seconds that counted with it. A cycle is counted once; those before the first look are not."""
        if sample.cycles and sample.cycles[-1].end < self._last_cycle:
            self._last_cycle = sample.cycles[-1].end  # the clock was set back
        fresh = [cycle for cycle in sample.cycles if cycle.end > self._last_cycle]
        if self._last_cycle:
            self.matches += sum(min(cycle.matches, MOST_AT_ONCE) for cycle in fresh)
        if fresh:
            self._last_cycle = fresh[-1].end
        self.refused += self._grown(sample)
        self.samples += 1
        self.seconds += counted
        self.unconfirmed = unconfirmed

    def _grown(self, sample: Sample) -> int:
        """By how many refused claims all queues together say more than at the look before. One that is new says what was before; one that began to count
        anew began at nothing."""
        before, self._queues = self._queues, {queue.machine: (queue.epoch, queue.refused) for queue in sample.queues}
        grown = 0
        for machine, (epoch, refused) in self._queues.items():
            if machine in before:
                former = before[machine][1] if before[machine][0] == epoch else 0
                grown += min(max(0, refused - former), MOST_AT_ONCE)
        return grown


class Page:
    """The text while it is written."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def metric(self, name: str, kind: str, says: str, values: "dict[Labels, float]") -> None:
        """One figure with all its series, those of equal labels in their order."""
        self.lines += [f"# HELP {name} {says}", f"# TYPE {name} {kind}"]
        self.lines += [f"{name}{_braces(labels)} {value:g}" if value % 1 else f"{name}{_braces(labels)} {int(value)}" for labels, value in values.items()]

    def text(self) -> str:
        """All of it."""
        return "\n".join(self.lines) + "\n"


def text(sample: Sample, totals: Totals, now: int) -> str:
    """The page. now: the sample's time, seconds of Unix time."""
    page = Page()
    states, cores = _slots(sample)
    page.metric("wow_pool_slots", "gauge", "Slots by HTCondor's state.", _by("state", states))
    page.metric("wow_pool_cores", "gauge", "Cores of these slots.", _by("state", cores))
    page.metric("wow_pool_jobs", "gauge", "Jobs by person and state; people beyond the largest 50 together.", _jobs(sample))
    page.metric("wow_pool_held_jobs", "gauge", f"Held jobs by reason, as their queues say, of the first {MOST_COUNTED[-1]} of each.",
                _by("reason", _held(sample)))
    machines = {slot.machine: slot for slot in sample.slots}
    page.metric("wow_pool_machines", "gauge", "Machines with slots, by the release of WOW and by their path to the manager.", _machines(list(machines.values())))
    page.metric("wow_pool_queues", "gauge", "Machines with a queue.", {(): len(sample.queues)})
    page.metric("wow_pool_matches_total", "counter", "Matches that the negotiator made since this program's start.", {(): totals.matches})
    page.metric("wow_pool_refused_claims_total", "counter", "Claims that a machine refused after its match, as the queues say, since this program's start.",
                {(): totals.refused})
    last = sample.cycles[-1].seconds if sample.cycles else 0
    page.metric("wow_pool_cycle_seconds", "gauge", "How long the last cycle of negotiation took.", {(): last})
    page.metric("wow_pool_cycle_end_seconds", "gauge", "When it ended, in Unix time; 0: there is no negotiator.", {(): sample.cycles[-1].end if sample.cycles else 0})
    page.metric("wow_pool_core_seconds_total", "counter", "Core seconds of jobs that a machine and a queue both told of.", {(): totals.seconds})
    page.metric("wow_pool_unconfirmed_core_seconds_total", "counter", "Core seconds that machines told of and no queue confirmed.", {(): int(totals.unconfirmed)})
    page.metric("wow_pool_samples_total", "counter", "Looks at the collector.", {(): totals.samples})
    page.metric("wow_pool_sample_failures_total", "counter", "Looks that got no answer.", {(): totals.failures})
    page.metric("wow_pool_sample_time_seconds", "gauge", "When the figures above were looked at, in Unix time.", {(): now})
    return page.text()


def _slots(sample: Sample) -> tuple[dict[str, float], dict[str, float]]:
    states, cores = (dict.fromkeys((*STATES, OTHER), 0.0) for _ in range(2))
    for slot in sample.slots:
        state = slot.state if slot.state in STATES else OTHER
        states[state] += 1
        cores[state] += slot.cores
    return states, cores


def _jobs(sample: Sample) -> "dict[Labels, float]":
    kept = names.most({who: sum(jobs) for who, jobs in sample.people.items() if sum(jobs)}, MOST_PEOPLE)
    sums = {who: [0, 0, 0] for who in kept}
    for who, jobs in sample.people.items():
        if sum(jobs):
            row = sums[who if who in kept else names.OTHERS]
            for at in range(3):
                row[at] += jobs[at]
    return {(("person", who), ("state", state)): row[at] for who, row in sums.items() for at, state in enumerate(("idle", "running", "held"))}


def _held(sample: Sample) -> dict[str, float]:
    found: dict[str, float] = {}
    for queue in sample.queues:
        for code, jobs in queue.held.items():
            reason = REASONS.get(code, OTHER)
            found[reason] = found.get(reason, 0) + jobs
    return dict(sorted(found.items()))


def _machines(machines: "list[Slot]") -> "dict[Labels, float]":
    pairs = [(machine.version or "unknown", machine.path) for machine in machines]
    versions: dict[str, float] = {}
    for version, _ in pairs:
        versions[version] = versions.get(version, 0) + 1
    kept = names.most(versions, MOST_VERSIONS)
    found: dict[Labels, float] = {}
    for version, path in pairs:
        key = (("version", version if version in kept else names.OTHERS), ("path", path if path in PATHS else OTHER))
        found[key] = found.get(key, 0) + 1
    return dict(sorted(found.items()))


def _by(label: str, values: dict[str, float]) -> "dict[Labels, float]":
    return {((label, one),): value for one, value in values.items()}


def _braces(labels: "Labels") -> str:
    return "{" + ",".join(f'{name}="{escape(value)}"' for name, value in labels) + "}" if labels else ""


def escape(value: str) -> str:
    """A label's value as the format has it."""
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
