"""What the collector has of slots, queues, people and negotiators, as the manager's samples need it. An ad may say anything: what is not of the kind that
is looked for counts as absent, and each list has a bound."""
from wow.lib import names, paths

MOST_ADS = 50_000
"""Ads that are read of one sample."""
MOST_SPOILT = 1000
"""Places of one answer where no JSON is though an ad begins: each takes the longer, the more there is before it. HTCondor's tools print none."""
MOST_SLOTS = paths.JOB_ACCOUNTS + 1
"""Slots of one machine: an account of jobs each, and the slot that they are parts of."""
MOST_RUNS = 500
"""Lines that are read of what one queue tells of its runs."""
MOST_COUNTED = (5000, 1000, 5000)
"""Jobs that run, that wait and that are held, of which one queue tells at most: it looks at no more of them (jobs/runs.py)."""
LARGEST = 1 << 20
"""Cores of a slot, jobs of a queue: more is no number of either."""
LONGEST_VALUE = 256
LONGEST_LISTS = {"WowHeld": 2048, "WowRuns": 128 << 10}
"""Characters of a value, and of what a queue tells of its jobs. An ad with a longer one is not sent by the collector, so that one ad cannot fill the answer."""
MOST_REFUSED = 1 << 40
"""Claims of one queue that were refused, since it began to count."""
LATEST, GREATEST = 1 << 33, 1 << 50
"""No moment of Unix time is later, for no calendar has it, and no sum is larger. A machine that takes a manager's snapshot (history/heard.py) takes no other."""
MOST_CORES = 1024
"""Cores of a slot: whoever says more lies."""
ATTRIBUTES = ("MyType", "Name", "Machine", "State", "Activity", "Cpus", "PartitionableSlot", "RemoteOwner", "WowOwner", "WowVersion", "WowPathToManager",
              "WowRuns", "WowHeld", "WowRefused", "IdleJobs", "RunningJobs", "HeldJobs")
PATIENT = "nice-user."
"""What stands before a person's name while jobs of theirs wait for all others (nice_user, NICE_USER_ACCOUNTING_GROUP_NAME)."""
CYCLES = 20
"""Cycles of negotiation that a negotiator tells of, the newest first (NEGOTIATION_CYCLE_STATS_LENGTH)."""
CYCLE = ("LastNegotiationCycleEnd", "LastNegotiationCycleDuration", "LastNegotiationCycleMatches")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator, Mapping


class Slot:
    """A slot: its machine's label, state, cores, whom it says it works for (PERSON@MACHINE, empty for nobody) and what the machine says of itself."""

    __slots__ = ("machine", "state", "cores", "person", "owner", "version", "path")

    def __init__(self, ad: "dict[str, Any]") -> None:
        self.machine, self.state, self.cores = label(ad.get("Machine")), names.clean(ad.get("State")), number(ad.get("Cpus"), MOST_CORES)
        is_busy = self.state == "Claimed" and ad.get("Activity") == "Busy"
        self.person = person(ad.get("RemoteOwner")) if is_busy else ""
        self.owner = names.clean(ad.get("WowOwner")) or self.machine
        self.version, self.path = names.clean(ad.get("WowVersion")), names.clean(ad.get("WowPathToManager"))


class Run:
    """What a queue tells of one person's jobs of one project on one machine: core seconds and jobs since the queue's beginning."""

    __slots__ = ("person", "project", "machine", "seconds", "jobs")

    def __init__(self, person_: str, project: str, machine: str, seconds: int, jobs: int) -> None:
        self.person, self.project, self.machine, self.seconds, self.jobs = person_, project, machine, seconds, jobs


class Queue:
    """A queue: its machine and that one's owner, when it began to count (for comparing alone), its runs, its held jobs by code, and how many of its claims
    were refused."""

    __slots__ = ("machine", "owner", "epoch", "runs", "held", "refused")

    def __init__(self, ad: "dict[str, Any]") -> None:
        self.machine = label(ad.get("Machine"))
        self.owner = names.clean(ad.get("WowOwner")) or self.machine
        self.epoch, self.runs = runs(ad.get("WowRuns"), self.machine)
        self.held = held(ad.get("WowHeld"))
        self.refused = number(ad.get("WowRefused"), MOST_REFUSED)


class Cycle:
    """One cycle of negotiation: when it ended (seconds of Unix time), how long it took, how many matches it made."""

    __slots__ = ("end", "seconds", "matches")

    def __init__(self, end: int, seconds: int, matches: int) -> None:
        self.end, self.seconds, self.matches = end, seconds, matches


class Sample:
    """All of one look at the collector. people: (idle, running, held) jobs of each; cycles: the newest last."""

    def __init__(self) -> None:
        self.slots: list[Slot] = []
        self.queues: list[Queue] = []
        self.people: dict[str, tuple[int, int, int]] = {}
        self.cycles: list[Cycle] = []
        self._slots_of: dict[str, int] = {}
        self._jobs_of: dict[str, dict[bool, tuple[int, int, int]]] = {}

    def here(self) -> dict[str, str]:
        """{machine: owner} of all that have slots or a queue."""
        return {**{one.machine: one.owner for one in self.queues}, **{one.machine: one.owner for one in self.slots}}

    def take(self, ad: "dict[str, Any]") -> None:
        """Takes an ad in, by its type."""
        kind = ad.get("MyType")
        if kind == "Machine":
            slot = Slot(ad)
            # What is left of a partitionable slot that is all given away is no slot.
            if slot.machine and not (ad.get("PartitionableSlot") is True and slot.cores == 0):
                self._slots_of[slot.machine] = self._slots_of.get(slot.machine, 0) + 1
                if self._slots_of[slot.machine] <= MOST_SLOTS:
                    self.slots.append(slot)
        elif kind == "Scheduler":
            queue = Queue(ad)
            if queue.machine:
                self.queues.append(queue)
        elif kind == "Submitter":
            if who := person(name := ad.get("Name")):
                # Jobs that wait for all others have an ad of their own. Of two of one name the later counts: the queue may have been started anew.
                each = self._jobs_of.setdefault(who, {})
                each[str(name).startswith(PATIENT)] = number(ad.get("IdleJobs")), number(ad.get("RunningJobs")), number(ad.get("HeldJobs"))
                idle, running, held_ = (sum(one[at] for one in each.values()) for at in range(3))
                self.people[who] = idle, running, held_
        elif kind == "Negotiator":
            told = (tuple(number(ad.get(f"{name}{at}"), LATEST) for name in CYCLE) for at in range(CYCLES))
            self.cycles += [Cycle(*one) for one in told if one[0]]
            self.cycles.sort(key=lambda one: one.end)


def question(collector: str, more: "Mapping[str, int] | None" = None, others: tuple[str, ...] = ()) -> list[str]:
    """The command that prints the ads of all four kinds that the collector of this name has. more: further attributes, with the characters that each may have;
    others: further kinds."""
    wanted = (*ATTRIBUTES, *(f"{name}{at}" for at in range(CYCLES) for name in CYCLE), *(more or {}))
    kinds = " || ".join(f'MyType == "{kind}"' for kind in ("Machine", "Scheduler", "Submitter", "Negotiator", *others))
    longest = {**LONGEST_LISTS, **(more or {})}
    short = " && ".join(f"size(unparse({name})) <= {longest.get(name, LONGEST_VALUE)}" for name in wanted)
    return ["condor_status", "-pool", collector, "-any", "-constraint", f"({kinds}) && {short}", "-json", "-attributes", ",".join(wanted)]


def read(said: str) -> Sample:
    """The sample in what the command printed: one JSON object an ad, whose braces stand on lines of their own. No text has an end of line within, for JSON escapes
    it (HTCondor 23.9.6 does so in names and lists, too), and what an ad has in it is indented: so none looks like two."""
    sample = Sample()
    for count, ad in enumerate(objects(said)):
        if count == MOST_ADS:
            break
        sample.take(ad)
    return sample


def objects(said: str) -> "Iterator[dict[str, Any]]":
    """Each JSON object of a list, one at a time: the list as a whole would take ten times its text's memory."""
    import json
    decoder, at, spoilt = json.JSONDecoder(), said.find("{"), 0
    while at >= 0 and spoilt < MOST_SPOILT:
        try:
            ad, end = decoder.raw_decode(said, at)
        except (ValueError, RecursionError):
            # A text has no line's end within, so this is where the next ad begins.
            at, spoilt = said.find("\n{", at + 1) + 1 or -1, spoilt + 1
            continue
        if isinstance(ad, dict):
            yield ad
        at = said.find("{", end)


def number(value: object, most: int = LARGEST) -> int:
    """A whole number that is not below 0; 0 for anything else."""
    return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= most else 0


def label(value: object) -> str:
    """A machine's label: the first of its name; empty for what is none."""
    name = value.partition(".")[0] if isinstance(value, str) else ""
    return name if name and len(name) <= 63 and names.clean(name) == name and " " not in name and "@" not in name else ""


def person(value: object) -> str:
    """PERSON@MACHINE of a person's whole name, without the pool's zone; empty for what is none. An account's name may have dots and at signs. Before it stands
    nothing but the group of jobs that wait for all others: queues take no other (condor/drop_in.py)."""
    who, at, where = value.rpartition("@") if isinstance(value, str) else ("", "", "")
    return account(who.removeprefix(PATIENT), where) if at else ""


def account(who: str, where: str) -> str:
    """PERSON@MACHINE of an account and its machine's name; empty for what is none."""
    machine = label(where)
    return f"{who}@{machine}" if machine and who and len(who) <= 32 and names.clean(who) == who and " " not in who else ""


def runs(text: object, machine: str) -> tuple[str, list[Run]]:
    """(when it began, runs) of a queue's text EPOCH;PERSON|PROJECT|MACHINE|SECONDS|JOBS;... (jobs/runs.py). The people are the queue's own machine's."""
    epoch, *lines = text.split(";") if isinstance(text, str) else [""]
    found = []
    for line in lines[:MOST_RUNS]:
        parts = line.split("|")
        if len(parts) == 5 and all(part.isascii() and part.isdigit() and len(part) < 13 for part in parts[3:]):
            who, where = account(parts[0], machine), label(parts[2])
            if who and where:
                found.append(Run(who, names.clean(parts[1]), where, int(parts[3]), int(parts[4])))
    return names.clean(epoch), found


def held(text: object) -> dict[int, int]:
    """{HoldReasonCode: jobs} of a queue's text CODE:JOBS,..."""
    found: dict[int, int] = {}
    for one in text.split(",")[:100] if isinstance(text, str) else ():
        code, colon, jobs = one.partition(":")
        if colon and all(part.isascii() and part.isdigit() and len(part) < 7 for part in (code, jobs)):
            found[int(code)] = found.get(int(code), 0) + int(jobs)
    return found
