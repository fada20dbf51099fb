"""Names what no machine of the pool has."""
from wow.lib import table
from wow.why import matching
from wow.why.answer import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wow.why.facts import Condition, Match

KILO = 1024
UNITS = {"Memory": ("memory", 1), "Disk": ("disk", 0), "Cpus": ("processors", None), "GPUs": ("GPUs", None)}
"""What people call a resource, and in which power of 1024 bytes HTCondor counts it less 1: kB for disk, MB for memory."""
NAMES = ("kB", "MB", "GB", "TB")
ADDED = (
    (("HasFileTransferPluginMethods",), "The pool's machines fetch nothing from the web.",
     "Bring the file along: list it in transfer_input_files by its name, and submit the job anew.", "no machine fetches from the web"),
    (("HasContainer", "HasDocker", "HasSingularity", "HasSIF", "HasSandboxImage"), "The pool's machines run no containers.",
     "Leave container_image (docker_image) out, bring the program along, and submit the job anew.", "no machine runs containers"),
    (("TARGET.Arch ==",), "No machine of the pool has the kind of processor that the job asks for; condor_submit asks for that of its own machine.",
     'Submit it anew with: requirements = TARGET.Arch == "X86_64" (or "aarch64"), and a program for that.', "no machine has this kind of processor"))
"""Attributes that condor_submit adds to the requirements by itself, for what machines of a pool lack. They are explained by the line of the submit file that they
come from, for its writer did not write them."""
LONGEST = 200
"""Characters of a condition that are shown; its owner may write any number."""


def unmet(match: "Match") -> Answer:
    """The least set of conditions that no machine meets at once: mostly one."""
    least = smallest(match)
    if len(least) > 1:
        return conflict(match, least)
    at = least[0]
    condition = match["conditions"][at]
    if condition["resource"] and condition["wanted"] is not None:
        return short(match, condition)
    if condition["of"] == "machine":
        return refused(match, condition)
    name, wanted = equal(condition["text"])
    if name == "Machine":
        return Answer("no-such-machine", f"Its requirements name the machine {wanted}, which is not in the pool now.",
                      "Look who is there with: condor_status -compact.", f"{wanted} is not in the pool")
    for attributes, text, todo, brief in ADDED:
        if any(one.lower() in condition["text"].lower() for one in attributes):
            return Answer("requirement", text, todo, brief)
    has = match["values"].get(name, [])
    there = f"; what there is: {', '.join(has)}" if has else ""
    return Answer("requirement", f"No machine meets {quoted(condition['text'])} of its requirements{there}.", "Change the requirements.",
                  f"no machine meets {quoted(condition['text']).strip('`')}")


def smallest(match: "Match") -> list[int]:
    """The numbers of the conditions of a least set that no machine meets at once. What can be left out is left out, from the last on, so that of two that say
    the same the job's own stays."""
    every = range(len(match["conditions"]))
    misses = [{at for at in every if not machine["met"][at]} for machine in match["machines"]]
    alone = next((at for at in every if all(at in missed for missed in misses)), None)
    if alone is not None:
        return [alone]
    kept = list(every)
    for at in reversed(every):
        # Each machine must miss another one of those that are kept.
        if {at} not in misses:
            kept.remove(at)
            for missed in misses:
                missed.discard(at)
    return kept


def refused(match: "Match", condition: "Condition") -> Answer:
    """Machines have what the job wants, and their own rules keep it off."""
    wanted = [at for at, one in enumerate(match["conditions"]) if one["of"] == "job"]
    count = sum(all(machine["met"][at] for at in wanted) for machine in match["machines"])
    who = "One machine has what it wants, but by its own rules it takes" if count == 1 else f"{count} machines have what it wants, but by their own rules they take"
    rule = "START is false" if condition["text"] in matching.NEVER else quoted(condition["text"])
    return Answer("refused", f"{who} no such job now ({rule}).", "Wait, or ask the pool's administrator.", "the machines' rules refuse it")


def short(match: "Match", condition: "Condition") -> Answer:
    """No machine has as much of a resource."""
    resource, wanted = condition["resource"], condition["wanted"] or 0
    largest = max(match["machines"], key=lambda machine: machine["offers"][resource])
    most = largest["offers"][resource]
    what = so_much(resource, wanted)
    has = f"the largest has {amount(resource, most)}, on {largest['host']}" if most else "none has any"
    literal = f"Request{resource}" not in condition["text"]
    return Answer("too-much", f"No machine has {what}; {has}.", "Lower it in the requirements." if literal else f"Lower request_{resource.lower()}.",
                  f"no machine has {what}")


def conflict(match: "Match", least: list[int]) -> Answer:
    """Each condition is met somewhere, and nowhere all of them."""
    parts = [f"{says(match['conditions'][at])} ({sum(machine['met'][at] for machine in match['machines'])} of {len(match['machines'])})" for at in least]
    return Answer("nowhere-together", f"No machine meets at once: {'; '.join(parts)}.", "Ask for less, or change the requirements.",
                  "no machine meets all that it wants")


def says(condition: "Condition") -> str:
    """A condition in few words."""
    resource, wanted = condition["resource"], condition["wanted"]
    return so_much(resource, wanted) if resource and wanted is not None else quoted(condition["text"])


def quoted(text: str) -> str:
    """A condition as it is shown."""
    shown = table.printable(text)
    return f"`{shown if len(shown) <= LONGEST else shown[:LONGEST] + '...'}`"


def so_much(resource: str, wanted: float) -> str:
    """An amount with its name: 3.6 GB of memory, 4 processors, 1 GPU."""
    name, power = UNITS[resource]
    if power is None:
        return f"{wanted:.0f} {name.removesuffix('s') if wanted == 1 else name}"
    return f"{amount(resource, wanted)} of {name}"


def amount(resource: str, value: float) -> str:
    """So much of a resource for people: 3.6 GB. HTCondor counts by 1024."""
    power = UNITS[resource][1]
    if power is None:
        return f"{value:.0f}"
    while value >= KILO and power < len(NAMES) - 1:
        value, power = value / KILO, power + 1
    return f"{value:.1f}".removesuffix(".0") + f" {NAMES[power]}"


def equal(text: str) -> tuple[str, str]:
    """(attribute, value) of a condition like TARGET.Machine == "beta"; two empty texts if it is none."""
    name, operator, value = text.removeprefix("TARGET.").partition("==")
    if not operator:
        name, operator, value = text.removeprefix("TARGET.").partition("=?=")
    value = value.strip()
    if not operator or len(value) < 2 or value[0] != '"' or '"' in value[1:-1]:
        return "", ""
    return name.strip(), value[1:-1]
