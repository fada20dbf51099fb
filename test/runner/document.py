"""What README, docs/performance.md and docs/reference take from files: each stands between two comments, of which the first names it and its file.

`test/figures --write` makes them anew; a test fails where the document and the files differ.
"""

import json
import pathlib
import re
import statistics
import textwrap

from contract import agent, authority, console, constants, control, files, hardware, programs, settings
from contract.markdown import WHOLE_WORDS, WIDTH

TIMES = "docs/performance/times.txt"
WOW = "docs/performance/wow.json"
REPORT = "build/out/wow/report.json"
RUN = "docs/performance/wow-run.txt"
BENCH = "docs/performance/bench.json"
POOL = "docs/performance/pool.json"
IMAGE = "docs/performance/image.json"
PAGES = "docs/performance/pages.json"
SIM = "docs/performance/sim.json"
GRID = "test/netns/grid/last.json"
LONG = "docs/test-long.json"
PLACE = re.compile(r"(<!-- table (\S+), [^\n]*-->\n).*?(\n<!-- end of table -->)", re.DOTALL)
STAGE_LINE = re.compile(r"^(\S+) +(?:\S+ +)?(\d+) +(\d+) +([\d.]+) s(?: +([\d.]+) s)?$", re.MULTILINE)
FEW = 5
"""Rounds that have room in a line."""
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


def three_digits(number: float) -> str:
    """A figure as people read it: three digits that count, those of thousands apart."""
    rounded = float(f"{number:.3g}")
    return f"{rounded:,.0f}" if abs(rounded) >= 100 else f"{rounded:g}"


def grid(root: pathlib.Path) -> str:
    """The grid's figures, with their goals."""
    return rows(["figure", "to reach", "reached", "kept"],
                [[one["name"].strip(), one["goal"], one["reached"], kept(one["met"])] for one in loaded(root / GRID)["figures"]])


def times(root: pathlib.Path) -> str:
    """The ledger of the run that was kept: each stage's checks and seconds, and its processor time, if that was told; of which commit, on what."""
    if not (root / TIMES).exists():
        return NOTHING
    text = (root / TIMES).read_text(encoding="utf-8")
    ledger = rows(["stage", "passed", "failed", "took", "processor"], [
        [name, passed, failed, f"{float(seconds):.0f} s", f"{float(processor):.0f} s" if processor else "-"]
        for name, passed, failed, seconds, processor in STAGE_LINE.findall(text)])
    return f"{ledger}\n\n{of_what(text.splitlines()[0][2:] if text.startswith('# ') else '')}"


def of_what(origin: str) -> str:
    """The line below a table: which commit was measured, on what."""
    return f"Measured: {origin}." if origin else "The run did not say of which commit it is."


def wow(root: pathlib.Path) -> str:
    """What the last kept `make wow` reached."""
    if not (root / WOW).exists():
        return NOTHING
    found = loaded(root / WOW)
    table = rows(["figure", "at most", "reached", "kept"], [
        [one["figure"], f"{one['goal']:g}", "-" if one["reached"] is None else f"{one['reached']:g}", kept(one["met"])] for one in found["figures"]])
    return f"{table}\n\n{of_what(found['origin'])}"


def bench(root: pathlib.Path) -> str:
    """Medians of all rounds of the bench, under the names that the bench gives them."""
    found = loaded(root / BENCH)
    rounds, words = found["rounds"], found["words"]
    peers = list(rounds[0])

    def median(peer: str, name: str) -> str:
        values = [one[peer][name] for one in rounds if name in one[peer]]
        return f"{statistics.median(values):g}" if values else "-"
    return rows([f"median of {len(rounds)} rounds of {found['seconds']} s", *peers],
                [[words[name], *(median(peer, name) for peer in peers)] for name in words if any(name in one["wow"] for one in rounds)])


def bench_goals(root: pathlib.Path) -> str:
    """What ipopd is to reach beside its peers, with the figure of each round."""
    return rows(["figure", "to reach", "reached", "kept", "rounds"], [
        [one["figure"], one["goal"], one["reached"], kept(one["met"]), " ".join(f"{each:g}" for each in one["rounds"])]
        for one in loaded(root / BENCH)["goals"]])


def bench_origin(root: pathlib.Path) -> str:
    """What was measured, and on what."""
    found = loaded(root / BENCH)
    machine, origin = found["machine"], found.get("origin", {"words": "a build of the bench's own"})
    return f"{machine['model']} with {', '.join(machine['instructions'])}; seals by {machine['sealer']};\n{origin['words']}."


def by_parts(path: pathlib.Path) -> str:
    """Figures of a bench whose parts are run one by one, with the figure of each round and at which commit."""
    def rounds(numbers: list) -> str:
        return " ".join(f"{each:g}" for each in numbers) if len(numbers) <= FEW else f"{len(numbers)} from {min(numbers):g} to {max(numbers):g}"
    return rows(["figure", "to reach", "reached", "kept", "rounds", "commit"], [
        [one["figure"], one["goal"], one["reached"], kept(one["met"]), rounds(one["rounds"]), one["commit"]] for one in loaded(path)["figures"]])


def pool(root: pathlib.Path) -> str:
    """What a pool of machines reached in the last kept `make bench-pool`."""
    return by_parts(root / POOL)


def image(root: pathlib.Path) -> str:
    """What the image reached in the last kept `make bench-image`."""
    return by_parts(root / IMAGE) if (root / IMAGE).exists() else NOTHING


def pages(root: pathlib.Path) -> str:
    """What the web pages reached in the last kept `make bench-pages`."""
    return by_parts(root / PAGES) if (root / PAGES).exists() else NOTHING


def sim(root: pathlib.Path) -> str:
    """The figures of the simulator's scenarios that have a goal; the file has the others, too."""
    return rows(["scenario", "nodes", "figure", "to reach", "reached", "kept"], [
        [one["scenario"], f"{one['nodes']:,}", one["figure"], one["goal"], "-" if one["reached"] is None else f"{three_digits(one['reached'])} {one['unit']}".strip(),
         kept(one["met"])] for one in loaded(root / SIM)["figures"] if one["goal"]])


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


def run(root: pathlib.Path) -> str:
    """The end of the last kept `make wow`, as it was printed, but for lines that are too long."""
    return "\n".join(f"    {part}" for line in (root / RUN).read_text(encoding="utf-8").splitlines() for part in folded(line))


def folded(line: str) -> list:
    """A line of a terminal in as many as the document's width takes, each further one four blanks in."""
    inset = " " * (len(line) - len(line.lstrip()))
    return textwrap.wrap(line, WIDTH - 4, subsequent_indent=inset + "    ", **WHOLE_WORDS) or [line]


def controllers(root: pathlib.Path) -> str:
    """Disk controllers that the machine drives, and whether a test starts from one."""
    return rows(["controller of disks", "driver", "tried"], hardware.lines(hardware.controllers(root)))


def cards(root: pathlib.Path) -> str:
    """Network cards that it drives, and whether a test has one."""
    return rows(["network card", "driver", "tried"], hardware.lines(hardware.cards(root)))


DOCUMENTS = {
    "README.md": {"run": run},
    "docs/hypervisors.md": {"controllers": controllers, "cards": cards},
    "docs/reference/agent.md": {"agent": agent.reference},
    "docs/reference/authority.md": {"authority": authority.reference},
    "docs/reference/control.md": {"control": control.reference},
    "docs/reference/machine.md": {
        "exits": programs.exits, "statuses": programs.statuses, "files": files.reference, "constants": constants.reference, "console": console.reference},
    "docs/reference/ipopd.md": {"settings": lambda root: settings.reference(root, settings.DAEMON), "kinds": lambda root: settings.kinds(root, settings.DAEMON)},
    "docs/reference/pool.md": {"settings": lambda root: settings.reference(root, settings.POOL), "kinds": lambda root: settings.kinds(root, settings.POOL)},
    "docs/performance.md": {
        "grid": grid, "times": times, "wow": wow, "sim": sim, "bench": bench, "bench-goals": bench_goals, "bench-origin": bench_origin, "pool": pool,
        "image": image, "pages": pages, "long": long_parts, "long-figures": long_figures}}
"""Which document has which tables, each with what makes it."""


def written(root: pathlib.Path, name: str, text: str) -> str:
    """The document with all its tables as the files say. What follows a table's second comment stays."""
    asked, tables = [found for _, found, _ in PLACE.findall(text)], DOCUMENTS[name]
    if set(asked) != set(tables):
        raise Unknown(f"{name} asks for the tables {asked}, and there are {sorted(tables)}")
    return PLACE.sub(lambda place: place[1] + tables[place[2]](root) + place[3], text)


def keep(root: pathlib.Path) -> list:
    """Copies what the last runs left in build/out to where it is kept; returns what was copied."""
    copied = []
    for source, target in (("build/out/test/times.txt", TIMES), ("build/out/figures.json", WOW), ("build/out/sim/sim.json", SIM)):
        if (root / source).exists():
            (root / target).write_bytes((root / source).read_bytes())
            copied.append(target)
    report = root / REPORT
    if report.exists() and "run" in (told := loaded(report)):
        (root / RUN).write_text("\n".join(told["run"]) + "\n", encoding="utf-8")
        copied.append(RUN)
    return copied
