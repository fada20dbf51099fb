"""The tables of docs/performance.md that come from files: each stands between two comments, of which the first names it and its file.

`test/figures --write` makes them anew; a test fails where the document and the files differ.
"""

import json
import pathlib
import re
import statistics

NAME = "docs/performance.md"
TIMES = "docs/performance/times.txt"
BEFORE = "docs/performance/times-before.json"
WOW = "docs/performance/wow.json"
BENCH = "docs/performance/bench.json"
GRID = "test/netns/grid/last.json"
LONG = "docs/test-long.json"
PLACE = re.compile(r"(<!-- table (\S+), [^\n]*-->\n).*?(\n<!-- end of table -->)", re.DOTALL)
STAGE_LINE = re.compile(r"^(\S+) +(?:\S+ +)?(\d+) +(\d+) +([\d.]+) s$", re.MULTILINE)
NOTHING = "No run has been kept yet."


class Unknown(Exception):
    """The document asks for a table that nobody makes, or has none at all."""


def loaded(path: pathlib.Path):
    """A JSON file's content."""
    return json.loads(path.read_text(encoding="utf-8"))


def rows(head: list, lines: list) -> str:
    """A table in Markdown."""
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" if line != "-" else "|" + "---|" * len(head) for line in [head, "-", *lines])


def kept(met) -> str:
    """Whether a goal was kept, in a word."""
    return {True: "yes", False: "**no**", None: ""}[met]


def grid(root: pathlib.Path) -> str:
    """The grid's figures, with their goals."""
    return rows(["figure", "to reach", "reached", "kept"],
                [[one["name"].strip(), one["goal"], one["reached"], kept(one["met"])] for one in loaded(root / GRID)["figures"]])


def times(root: pathlib.Path) -> str:
    """The ledger: seconds of each stage before the lanes, if it was told then, and in the run that was kept."""
    before = loaded(root / BEFORE)["seconds"]
    found = STAGE_LINE.findall((root / TIMES).read_text(encoding="utf-8")) if (root / TIMES).exists() else []
    now = {name: (int(passed) + int(failed), seconds) for name, passed, failed, seconds in found}
    names = [name for name in now if name != "all"] + [name for name in before if name not in now and name != "all"] + ["all"]
    return rows(["stage", "checks", "before", "now"], [
        [name, now.get(name, ("-",))[0], f"{before[name]} s" if name in before else "-", f"{float(now[name][1]):.0f} s" if name in now else "-"]
        for name in names])


def wow(root: pathlib.Path) -> str:
    """What the last kept `make wow` reached."""
    if not (root / WOW).exists():
        return NOTHING
    return rows(["figure", "at most", "reached", "kept"], [
        [one["figure"], f"{one['goal']:g}", "-" if one["reached"] is None else f"{one['reached']:g}", kept(one["met"])] for one in loaded(root / WOW)])


def bench(root: pathlib.Path) -> str:
    """Medians of all rounds of the bench, under the names that its JSON has."""
    rounds = loaded(root / BENCH)["rounds"]
    peers = list(rounds[0])
    names = list(dict.fromkeys(name for one in rounds for peer in one.values() for name, value in peer.items() if isinstance(value, (int, float))))

    def median(peer: str, name: str) -> str:
        values = [one[peer][name] for one in rounds if isinstance(one.get(peer, {}).get(name), (int, float))]
        return f"{statistics.median(values):g}" if values else "-"
    return rows(["median of the rounds", *peers], [[name, *(median(peer, name) for peer in peers)] for name in names])


def long_parts(root: pathlib.Path) -> str:
    """What each part of `make test-long` came to, and at which commit."""
    lines = []
    for name, entry in loaded(root / LONG)["parts"].items():
        if entry["verdict"] == "not run":
            lines.append([name, "not run", "-", "-", "-"])
        else:
            lines.append([name, entry["verdict"], f"{entry['passed']} / {entry['failed']}", f"{entry['seconds']} s",
                          entry["commit"][:10] + ("" if entry["clean"] else " and changes")])
    return rows(["part", "verdict", "passed / failed", "took", "commit"], lines)


def long_figures(root: pathlib.Path) -> str:
    """Every figure that `make test-long` kept."""
    lines = [[name, one["figure"], one["goal"], one["reached"] or "-", kept(one["met"])]
             for name, entry in loaded(root / LONG)["parts"].items() for one in entry.get("figures", ())]
    return rows(["part", "figure", "to reach", "reached", "kept"], lines) if lines else NOTHING


TABLES = {"grid": grid, "times": times, "wow": wow, "bench": bench, "long": long_parts, "long-figures": long_figures}


def written(root: pathlib.Path, text: str) -> str:
    """The document with all tables as the files say. What follows a table's second comment stays."""
    asked = [name for _, name, _ in PLACE.findall(text)]
    if set(asked) - set(TABLES) or set(TABLES) - set(asked):
        raise Unknown(f"{NAME} asks for the tables {asked}, and there are {sorted(TABLES)}")
    return PLACE.sub(lambda place: place[1] + TABLES[place[2]](root) + place[3], text)


def keep(root: pathlib.Path) -> list:
    """Copies what the last runs left in build/out to where it is kept; returns what was copied."""
    copied = []
    for source, target in (("build/out/test/times.txt", TIMES), ("build/out/figures.json", WOW)):
        if (root / source).exists():
            (root / target).write_bytes((root / source).read_bytes())
            copied.append(target)
    return copied
