"""Tries a job's conditions, and the machines' own, one by one on every machine of the pool."""
import re

from wow.condor.ads import MOST_SLOTS
from wow.stops import tell
from wow.why import classads, clauses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wow.why.classads import Ad
    from wow.why.facts import Condition, Machine, Match

RESOURCES = ("Memory", "Disk", "Cpus", "GPUs")
"""What a slot has a part of: the machine's ad has what is left of it, and all of it as TotalSlot..."""
ASKED = re.compile(rf"\bRequest({'|'.join(RESOURCES)})\b", re.IGNORECASE)
AT_LEAST = re.compile(rf"^\(*(?:TARGET\.)?({'|'.join(RESOURCES)})\s*>=?\s*([0-9.]+)\)*$", re.IGNORECASE)
EQUALS = re.compile(r"^\(*(?:TARGET\.)?(\w+)\s*(?:==|=\?=)\s*\"", re.IGNORECASE)
DEEPEST = 4
"""Names in a machine's Requirements are taken apart so many times: START stands for an expression that may name others."""
MOST_RULES = 100
"""Conditions of a machine that are tried apart; its owner may write any number, and all the rest is tried as one."""
MOST_TOLD = 1000
"""Conditions of all machines that are told apart; those of a machine that would pass it are tried as one."""
MOST_VALUES = 5
NEVER = ("false", "START")
"""What is left of START, taken apart, in the ad of a machine that is being drained, or that is set to take no jobs."""
PAUSE = tell.REASON
"""What a machine's START names that its owner has paused: that ends by itself, mostly."""
FREE = ("Unclaimed", "Backfill")
"""States of a slot that may be given out. One that is parted is unclaimed, whatever its parts are."""
Key = tuple[str, str]
WHOLE: Key = ("machine", "Requirements")
"""Of all that a machine asks, where it is tried as one."""


def match(job: "Ad", machines: "list[Ad]") -> "Match":
    """The conditions and which machine meets which."""
    own = {("job", text): classads.Condition(text) for text in clauses.split(classads.source(job, "Requirements"))}
    machines, theirs = few(machines), []
    every: dict[Key, None] = dict.fromkeys(own)
    for ad in machines:
        texts = [text for text in rules(ad) if not is_for_now(text, ad)]
        if len({("machine", text) for text in texts} - every.keys()) + len(every) > len(own) + MOST_TOLD:
            theirs.append({WHOLE: classads.Condition(clauses.joined(texts))})
        else:
            theirs.append({("machine", text): classads.Condition(text) for text in texts})
        every |= dict.fromkeys(theirs[-1])
    return {
        "conditions": [describe(key, job) for key in every],
        "machines": [tried(job, ad, list(every), {**own, **rule}) for ad, rule in zip(machines, theirs)],
        "values": {name: distinct(machines, name) for _, text in own for name in EQUALS.findall(text)}}


def few(machines: "list[Ad]") -> "list[Ad]":
    """Of each machine as many ads as it can have slots: whoever lies says any number."""
    counts: dict[str, int] = {}
    found = []
    for ad in machines:
        name = classads.text(ad, "Machine")
        counts[name] = counts.get(name, 0) + 1
        if counts[name] <= MOST_SLOTS:
            found.append(ad)
    return found


def rules(ad: "Ad", name: str = "Requirements", depth: int = 0, most: int = MOST_RULES) -> list[str]:
    """A machine's own conditions, so many at most. One that is the name of an expression of the ad is taken apart in turn. None is left out: the last one is all
    the rest, which HTCondor tries as a whole."""
    found: list[str] = []
    texts = clauses.split(classads.source(ad, name))
    for at, text in enumerate(texts):
        behind = len(texts) - at - 1
        left = most - len(found)
        if behind and left == 1:
            found.append(clauses.joined(texts[at:]))
            break
        inner = text.removeprefix("MY.")
        if inner.isidentifier() and depth < DEEPEST and classads.is_expression(ad, inner):
            found += rules(ad, inner, depth + 1, left - (1 if behind else 0))
        else:
            found.append(text)
    return found


def describe(key: Key, job: "Ad") -> "Condition":
    """What a condition is about, as far as that can be told."""
    whose, text = key
    if asked := ASKED.search(text):
        resource = named(asked[1])
        return {"text": text, "of": whose, "resource": resource, "wanted": classads.number(job, f"Request{resource}")}
    if least := AT_LEAST.match(text):
        return {"text": text, "of": whose, "resource": named(least[1]), "wanted": float(least[2])}
    return {"text": text, "of": whose, "resource": "", "wanted": None}


def named(word: str) -> str:
    """A resource as HTCondor writes it."""
    return next(one for one in RESOURCES if one.lower() == word.lower())


def tried(job: "Ad", ad: "Ad", every: list[Key], conditions: "dict[Key, classads.Condition]") -> "Machine":
    """A machine with the conditions that it meets. conditions: those that are the job's or its own; another machine's keep nobody off this one."""
    idle = emptied(ad)

    def holds(key: Key, machine: "Ad") -> bool:
        condition = conditions.get(key)
        return condition is None or (condition.holds(job, machine) if key[0] == "job" else condition.holds(machine, job))

    state = classads.text(ad, "State")
    return {
        "host": classads.text(ad, "Machine").partition(".")[0], "met": [holds(key, idle) for key in every],
        "free": all(holds(key, ad) for key in conditions) and state in FREE and not is_paused(ad),
        "offers": {name: offered(ad, name) for name in RESOURCES}, "users": users(ad), "draining": is_drained(ad), "paused": is_paused(ad)}


def is_drained(ad: "Ad") -> bool:
    """Whether it is being drained: that ends, or the machine with it."""
    return classads.text(ad, "State") == "Drained"


def is_for_now(text: str, ad: "Ad") -> bool:
    """Whether a condition of a machine is there because it is being drained, or paused by its owner: that is told in other words."""
    return (text in NEVER and is_drained(ad)) or (PAUSE in text and is_paused(ad))


def is_paused(ad: "Ad") -> bool:
    """Whether its owner takes no jobs for now."""
    return classads.text(ad, PAUSE) != ""


def is_partitionable(ad: "Ad") -> bool:
    """Whether jobs take parts of this slot, each in a slot of its own; what it says is what is left."""
    return classads.text(ad, "SlotType") == "Partitionable"


def emptied(ad: "Ad") -> "Ad":
    """The ad as it would be if nothing ran there."""
    whole = {name: all_of(ad, name) for name in RESOURCES if classads.number(ad, name) is not None}
    slots = {"NumDynamicSlots": 0} if is_partitionable(ad) else {}
    return classads.changed(ad, {**{name: int(amount) for name, amount in whole.items()}, **slots, "State": "Unclaimed", "Activity": "Idle"})


def all_of(ad: "Ad", resource: str) -> float:
    """How much of a resource a slot has in all."""
    found = classads.number(ad, f"TotalSlot{resource}") if is_partitionable(ad) else None
    return found if found is not None else classads.number(ad, resource) or 0


def offered(ad: "Ad", resource: str) -> float:
    """The same, as far as its owner lends it."""
    limit = classads.number(ad, f"WowLimit{'Processors' if resource == 'Cpus' else resource}")
    return all_of(ad, resource) if limit is None else min(limit, all_of(ad, resource))


def users(ad: "Ad") -> list[str]:
    """Whose jobs run there: of the slots that were parted off, or of the slot itself."""
    if is_partitionable(ad):
        return classads.texts(ad, "ChildRemoteUser")
    user = classads.text(ad, "RemoteUser")
    return [user] if user else []


def distinct(machines: "list[Ad]", name: str) -> list[str]:
    """The texts that an attribute has in the pool, a few of them."""
    return sorted({value for ad in machines if (value := classads.text(ad, name))})[:MOST_VALUES]
