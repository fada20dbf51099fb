"""What a module adds to files that many packages share, as data. Whole files would hide what base and other modules write into them."""
import os

from wow.lib import files
from wow.module import accounts, alternatives, dpkg

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    class Fragments(TypedDict):
        """fragments.json of a module."""
        packages: dict[str, str]
        extended_states: dict[str, str]
        diversions: list[str]
        triggers: dict[str, list[str]]
        lines: dict[str, list[str]]
        accounts: dict[str, list[str]]
        alternatives: list[alternatives.Choice]
        chosen: dict[str, str]

DPKG = "var/lib/dpkg"
STATES = "var/lib/apt/extended_states"
LINES = ("etc/shells", "etc/subgid", "etc/subuid", f"{DPKG}/statoverride", "var/lib/shells.state", "var/lib/ucf/hashfile", "var/lib/ucf/registry")
"""Files of which each line is an entry of its own."""
WHOLE = (f"{DPKG}/status", f"{DPKG}/diversions", *LINES, *(f"etc/{name}" for name in accounts.TABLES))
"""Shared files of which each module may have a part, beside STATES and those of triggers."""
NO_INTEREST = ("Lock", "Unincorp")
"""What stands among the triggers and is none."""


def text(root: str, path: str) -> str:
    """A file of a root; "" where there is none."""
    return files.read(f"{root}/{path}")


def folder(root: str, path: str) -> dict[str, str]:
    """{name: text} of a folder's files."""
    place = f"{root}/{path}"
    return {name: files.read(f"{place}/{name}") for name in (os.listdir(place) if os.path.isdir(place) else ())}


def links(root: str) -> dict[str, str]:
    """{name: where it leads} of /etc/alternatives."""
    place = f"{root}/etc/alternatives"
    return {name: os.readlink(f"{place}/{name}") for name in (os.listdir(place) if os.path.isdir(place) else ()) if os.path.islink(f"{place}/{name}")}


def read(lower: str, merged: str, beside: "dict[str, Fragments] | None" = None, own: "dict[str, Fragments] | None" = None,
         people: dict[str, int] | None = None) -> "tuple[Fragments, list[str]]":
    """(what the merged root has and the lower has not, sentences on what cannot be published). beside: the fragments of other modules that the merged root
    has, and the lower has not; they are not this one's. own: those of this one as it was published before, where the merged root has them. people: as
    accounts.added has them."""
    others = beside or {}
    known = join(lower, others, own)
    was = {path: known.get(path, text(lower, path)) for path in WHOLE}
    packages, wrong = dpkg.added(was[f"{DPKG}/status"], text(merged, f"{DPKG}/status"))
    if pending(merged):
        wrong.append("dpkg has triggers to run yet. Run them: dpkg --configure --pending")
    found, more = accounts.added({name: was[f"etc/{name}"] for name in accounts.TABLES}, {name: text(merged, f"etc/{name}") for name in accounts.TABLES},
                                 people)
    below, choices = (folder(root, f"{DPKG}/alternatives") for root in (lower, merged))
    new = {name: one for name, one in folder(merged, f"{DPKG}/triggers").items() if name not in NO_INTEREST}
    return {
        "packages": packages,
        "extended_states": {name: stanza for name, stanza in sorted(dpkg.stanzas(text(merged, STATES)).items()) if name in packages},
        "diversions": sorted(set(dpkg.records(text(merged, f"{DPKG}/diversions"))) - set(dpkg.records(was[f"{DPKG}/diversions"]))),
        "triggers": _gained({name: known.get(f"{DPKG}/triggers/{name}", text(lower, f"{DPKG}/triggers/{name}")) for name in new}, new),
        "lines": _gained(was, {path: text(merged, path) for path in LINES}),
        "accounts": found,
        "alternatives": [one for one in alternatives.added(below, choices) if not any(one in each["alternatives"] for each in others.values())],
        "chosen": {name: path for name, path in alternatives.chosen(below, choices, links(merged)).items() if all(name not in one["chosen"] for one in others.values())},
    }, wrong + more


def pending(root: str) -> bool:
    """Whether dpkg has triggers to run."""
    return bool(text(root, f"{DPKG}/triggers/Unincorp").strip())


def _gained(old: dict[str, str], new: dict[str, str]) -> dict[str, list[str]]:
    """{file: lines that it has and had not}, without files that gained none."""
    gained = {name: sorted(set(one.splitlines()) - set(old.get(name, "").splitlines())) for name, one in sorted(new.items())}
    return {name: one for name, one in gained.items() if one}


def link_paths(merged: str) -> set[str]:
    """The paths that alternatives make links."""
    return {path for one in folder(merged, f"{DPKG}/alternatives").values() for path in alternatives.Group(one).links()}


def shared(more: "dict[str, Fragments]") -> list[str]:
    """The paths of the files that `join` reads, and may change. more: {module: its fragments}."""
    triggers = {name for one in more.values() for name in one["triggers"]}
    return [*WHOLE, STATES, *(f"{DPKG}/triggers/{name}" for name in sorted({"File", *triggers}))]


def join(lower: str, more: "dict[str, Fragments]", beside: "dict[str, Fragments] | None" = None) -> dict[str, str]:
    """{path: text} of the shared files with what the modules add; only those that change. more: {module: its fragments}, bottom first; beside: those of
    modules whose accounts have their numbers, and which add nothing. WowError where two cannot be."""
    made = {f"{DPKG}/status": dpkg.join(text(lower, f"{DPKG}/status"), {name: one["packages"] for name, one in more.items()})}
    states = dpkg.stanzas(text(lower, STATES))
    for one in more.values():
        states |= {name: stanza for name, stanza in one["extended_states"].items() if name not in states}
    made[STATES] = dpkg.text_of(states)
    diverted = dpkg.records(text(lower, f"{DPKG}/diversions"))
    made[f"{DPKG}/diversions"] = "".join(f"{one}\n" for one in [*diverted, *sorted({one for each in more.values() for one in each["diversions"]} - set(diverted))])
    wanted: dict[str, set[str]] = {}
    for each in more.values():
        for path, lines in [*((f"{DPKG}/triggers/{name}", lines) for name, lines in each["triggers"].items()), *each["lines"].items()]:
            wanted.setdefault(path, set()).update(lines)
    for path, gained in wanted.items():
        have = text(lower, path).splitlines()
        made[path] = "".join(f"{line}\n" for line in [*have, *sorted(gained - set(have))])
    tables = accounts.join({name: text(lower, f"etc/{name}") for name in accounts.TABLES}, {name: one["accounts"] for name, one in more.items()},
                           {name: one["accounts"] for name, one in (beside or {}).items()})
    made |= {f"etc/{name}": table for name, table in tables.items()}
    return {path: one for path, one in made.items() if sorted(one.split("\n")) != sorted(text(lower, path).split("\n"))}
