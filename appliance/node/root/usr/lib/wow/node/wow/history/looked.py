"""What the pool page shows of the collector's ads: machines, jobs by person and project, and the job that has waited for longest. Beside what the history takes of
an ad (condor/ads.py); all of it is strangers', so each list has a bound, and each name is cut to letters that turn nothing around."""
from wow.condor import ads
from wow.history import figures
from wow.lib import names
from wow.place import state as places
from wow.stops import drained, tell
from wow.why import decide, words
from wow.why.matching import FREE, RESOURCES

MOST_MACHINES = MOST_LINES = 4000
"""Rows of each table that are kept; of machines beyond the page says that there are some."""
MOST_COUNTED = ads.MOST_COUNTED
"""Jobs that run, that wait and that are held, of which one queue tells at most."""
MOST_OF_ONE = 100
"""Lines that are read of the queue of one machine."""
MOST_PEOPLE = 4000
"""People whose priority is kept."""
LARGEST = 1 << 40
LONGEST = {"DaemonStartTime": 64, "SlotType": 64, "TotalSlotCpus": 64, "Memory": 64, "Disk": 64, "TotalSlotMemory": 64, "TotalSlotDisk": 64, places.ATTRIBUTE: 64,
           tell.REASON: 1024, "MyAddress": 2048,
           "Priority": 64, "WowJobs": 32 << 10, "WowOldest": 1024}
"""Attributes that are asked for beside those of the history, and characters of each."""
OTHERS = ("Accounting",)
"""The kind of ads that is asked for beside."""
WORKS, FREE_NOW, PAUSED, DRAINS, OTHER, QUEUE_ONLY, BY_ADMIN = STATES = ("works", "free", "paused", "drains", "other", "only submits", "drained by the admin")
NO_PATH, UNKNOWN = "-", "-"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from wow.why.facts import Condition, Job, Match
    from wow.why.facts import Machine as Tried
    from wow.why.facts import Pool as Said

    Ad = dict[str, Any]


class Machine:
    """A machine by its slots. gets_none: the administrator drained it. left, all: what of each resource it has left and in all, of the slot that jobs
    take parts of, or of the largest."""

    __slots__ = ("label", "owner", "version", "path", "since", "cores", "busy", "is_paused", "is_drained", "gets_none", "is_free", "has_slots", "left", "all", "people",
                 "place", "address")

    def __init__(self, name: str, gets_none: bool = False) -> None:
        self.gets_none = gets_none
        self.label, self.owner, self.version, self.path, self.since = name, name, UNKNOWN, NO_PATH, 0
        self.cores = self.busy = 0
        self.is_paused = self.is_drained = self.is_free = self.has_slots = False
        self.left, self.all = dict.fromkeys(RESOURCES, 0), dict.fromkeys(RESOURCES, 0)
        self.people: list[str] = []
        self.place: "places.Place | None" = None
        self.address = ""

    def take(self, ad: "Ad", slot: "ads.Slot | None") -> None:
        """An ad of one of its slots, or of its queue."""
        begun = ads.number(ad.get("DaemonStartTime"), ads.LATEST)
        self.since = min(self.since or begun, begun) or self.since
        self.owner, self.address = names.clean(ad.get("WowOwner")) or self.owner, self.address or _address(ad.get("MyAddress"))
        self.version, self.path = names.clean(ad.get("WowVersion")) or self.version, names.clean(ad.get("WowPathToManager")) or self.path
        if slot is None:
            return
        self.has_slots = True
        self.place = self.place or places.heard(ad.get(places.ATTRIBUTE))
        self.cores += slot.cores
        if slot.person:
            self.busy += slot.cores
            self.people.append(slot.person)
        self.is_paused |= isinstance(ad.get(tell.REASON), str) and ad.get(tell.REASON) != ""
        self.is_drained |= slot.state == "Drained"
        is_parted = ad.get("SlotType") == "Partitionable"
        if is_parted or not self.all["Cpus"]:
            self.is_free = slot.state in FREE
            for name in RESOURCES:
                self.left[name] = ads.number(ad.get(name), LARGEST)
                self.all[name] = ads.number(ad.get(f"TotalSlot{name}"), LARGEST) if is_parted else self.left[name]

    def state(self) -> str:
        """What it does, in a word."""
        if not self.has_slots:
            return QUEUE_ONLY
        if self.gets_none:
            return BY_ADMIN
        if self.is_paused or self.is_drained:
            return PAUSED if self.is_paused else DRAINS
        return WORKS if self.busy else FREE_NOW if self.is_free else OTHER


class Looked:
    """All of one look."""

    def __init__(self, said: str, now: float) -> None:
        self._now, self._drained = now, drained.read()
        self.sample = ads.Sample()
        self.machines: dict[str, Machine] = {}
        self.jobs: dict[tuple[str, str], list[int]] = {}
        self.beyond = 0
        self._lines: dict[str, int] = {}
        self._oldest: "tuple[Job, str, dict[str, int]] | None" = None
        self._priorities: dict[str, float] = {}
        for count, ad in enumerate(ads.objects(said)):
            if count == ads.MOST_ADS:
                break
            self._take(ad)

    def _take(self, ad: "Ad") -> None:
        before = len(self.sample.slots)
        self.sample.take(ad)
        kind, label = ad.get("MyType"), ads.label(ad.get("Machine"))
        if kind == "Accounting":
            self._rank(ads.person(ad.get("Name")), ad.get("Priority"))
        if kind not in ("Machine", "Scheduler") or not label:
            return
        if label not in self.machines and len(self.machines) >= MOST_MACHINES:
            self.beyond += 1
            return
        machine = self.machines.setdefault(label, Machine(label, label in self._drained))
        if kind == "Machine":
            # A slot that all is given away of is none to the sample, and says all the same what its machine has.
            slot = self.sample.slots[-1] if len(self.sample.slots) > before else ads.Slot({**ad, "Cpus": 0, "RemoteOwner": ""})
            machine.take(ad, slot)
        else:
            machine.take(ad, None)
            self._queue(ad.get("WowJobs"), label)
            self._hear(ad.get("WowOldest"), label)

    def _rank(self, who: str, priority: object) -> None:
        """Takes in a person's priority. Who has jobs that wait for all others has a second one for those, which is larger: the least tells whose turn it is."""
        if isinstance(priority, (int, float)) and priority >= 0 and (who in self._priorities or len(self._priorities) < MOST_PEOPLE):
            self._priorities[who] = min(self._priorities.get(who, LARGEST), float(min(priority, LARGEST)))

    def _queue(self, text: object, label: str) -> None:
        # A machine may tell of several queues: as many lines are read of all of them as of one.
        lines = text.split(";")[:MOST_OF_ONE - self._lines.get(label, 0)] if isinstance(text, str) else []
        self._lines[label] = self._lines.get(label, 0) + len(lines)
        for line in lines:
            parts = line.split("|")
            if len(parts) == 5 and all(_is_number(part) for part in parts[2:]) and (who := ads.account(parts[0], label)):
                pair = (who, names.clean(parts[1]))
                if pair in self.jobs or len(self.jobs) < MOST_LINES:
                    row = self.jobs.setdefault(pair, [0, 0, 0])
                    for at in range(3):
                        row[at] = min(row[at] + int(parts[2 + at]), ads.GREATEST)

    def _hear(self, text: object, label: str) -> None:
        parts = text.split("|") if isinstance(text, str) else []
        cluster, _, process = parts[0].partition(".") if parts else ("", "", "")
        if len(parts) != 8 or not all(_is_number(part) for part in (cluster, process, *parts[3:7])) or not (who := ads.account(parts[1], label)):
            return
        since = self._now - int(parts[3])
        if int(parts[3]) and since >= 0 and (self._oldest is None or since > self._oldest[0]["since"]):
            job: Job = {"number": parts[0], "owner": who, "user": who, "batch": "", "status": 1, "universe": decide.VANILLA, "since": since, "host": label, "reason": "",
                        "code": 0, "subcode": 0, "exit": "", "rejected": names.clean(parts[7])}
            self._oldest = job, names.clean(parts[2]), dict(zip(("Cpus", "Memory", "Disk"), map(int, parts[4:7])))

    def oldest(self) -> "dict[str, object] | None":
        """The job that has waited for longest, and why; None where none is told of. By what it asks for and by what the negotiator said: other conditions of the job
        its own queue alone knows."""
        if self._oldest is None:
            return None
        job, project, asks = self._oldest
        wanted = {name: amount for name, amount in asks.items() if amount}
        conditions: "list[Condition]" = [{"text": f"TARGET.{name} >= Request{name}", "of": "job", "resource": name, "wanted": amount} for name, amount in wanted.items()]
        match: "Match" = {"conditions": conditions, "values": {}, "machines": [_tried(one, wanted) for one in self.machines.values() if one.has_slots]}
        cycles = self.sample.cycles
        pool: "Said" = {"negotiator_s": max(0.0, self._now - cycles[-1].end) if cycles else None, "knows_queue": True, "users": sorted(
            ({"name": who, "priority": self._priorities.get(who, 0.0), "waiting": idle, "running": running}
             for who, (idle, running, _) in self.sample.people.items() if idle),
            key=lambda user: (user["priority"], user["name"]))}
        answer = decide.decide(job, pool, match)
        return {"job": job["number"], "queue": job["host"], "person": job["owner"], "project": project, "since": int(self._now - job["since"]), "text": answer.text,
                "todo": answer.todo}

    def facts(self) -> "dict[str, Any]":
        """What the page shows, as JSON has it."""
        people = self.sample.people.values()
        held: dict[str, int] = {}
        for queue in self.sample.queues:
            for code, count in queue.held.items():
                reason = figures.REASONS.get(code, figures.OTHER)
                held[reason] = held.get(reason, 0) + count
        return {
            "machines": [[one.label, one.state(), one.owner, one.version, one.path, one.since, one.busy, one.cores] for one in self.machines.values()],
            "beyond": self.beyond, "places": self._places(), "at": self._at(),
            "jobs": [[*pair, *row] for pair, row in self.jobs.items()], "totals": [sum(one[at] for one in people) for at in (1, 0, 2)], "held": held,
            "queues": len(self.sample.queues), "cycle": self.sample.cycles[-1].end if self.sample.cycles else 0, "oldest": self.oldest()}

    def _at(self) -> dict[str, str]:
        """{address: machine}, as ads say it: one that two machines say is neither's."""
        found: dict[str, list[str]] = {}
        for one in self.machines.values():
            found.setdefault(one.address, []).append(one.label)
        return {address: labels[0] for address, labels in found.items() if address and len(labels) == 1}

    def _places(self) -> list[list[int]]:
        """[latitude, longitude, machines, running jobs] of each place that owners told, by whole degrees."""
        found: "dict[places.Place, list[int]]" = {}
        for one in self.machines.values():
            if one.place is not None:
                row = found.setdefault(one.place, [0, 0])
                row[0] += 1
                row[1] += len(one.people)
        return [[*place, *row] for place, row in found.items()]


def question(collector: str) -> list[str]:
    """The command that prints the ads which Looked reads, of the collector of this name."""
    return ads.question(collector, LONGEST, OTHERS)


def _tried(machine: Machine, wanted: dict[str, int]) -> "Tried":
    is_free = machine.is_free and not machine.is_paused and not machine.is_drained and not machine.gets_none
    return {"host": machine.label, "met": [machine.all[name] >= amount for name, amount in wanted.items()],
            "free": is_free and all(machine.left[name] >= amount for name, amount in wanted.items()), "offers": {name: float(machine.all[name]) for name in words.UNITS},
            "users": machine.people, "draining": machine.is_drained, "paused": machine.is_paused or machine.gets_none}


def _address(value: object) -> str:
    """The IPv4 address in HTCondor's <ADDRESS:PORT?...>; empty for what is none."""
    host = value[1:].partition(":")[0] if isinstance(value, str) and value.startswith("<") else ""
    return host if host.count(".") == 3 and len(host) < 16 and _is_number(host.replace(".", "")) else ""


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 14
