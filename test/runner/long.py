"""The last result of each part of `make test-long`, in docs/test-long.json: which commit, on what machine, what it came to, its figures.

A part that is run again replaces its own entry and no other one, so a run of some parts is worth as much as one of all.
"""

import datetime
import json
import os
import pathlib
import re
import statistics
import subprocess
from typing import Callable

from runner.counts import Count
from runner.lanes import Result

NAME = "docs/test-long.json"
NOT_RUN = {"verdict": "not run"}
VERDICTS = ("passed", "failed", "not run")
KEYS = {"verdict", "commit", "clean", "machine", "seconds", "passed", "failed", "why", "figures"}
FIGURE_KEYS = {"figure", "goal", "reached", "met"}
FIGURE_LINE = re.compile(r"^figure: (.+): (\S+ ?\S*)$", re.MULTILINE)
COMMIT = re.compile(r"[0-9a-f]{40}")


class Malformed(Exception):
    """What is wrong with the file."""


def figure(name: str, reached, goal: str = "", met=None) -> dict:
    """One figure, as text with its unit, so that every source's look alike."""
    return {"figure": name, "goal": goal, "reached": reached, "met": met}


def from_sim(path: pathlib.Path) -> list:
    """The figures of sim.json, and what the run took of the processors, by which it is judged on a machine that others use, too."""
    said = json.loads(path.read_text(encoding="utf-8"))
    taken, most = said["processor_s"], said["processor_limit_s"]
    return [
        *(figure(f"{one['scenario']}, {one['nodes']:,} nodes: {one['figure']}", None if one["reached"] is None else f"{one['reached']:g} {one['unit']}".strip(),
                 one["goal"], one["met"])
          for one in said["figures"]),
        figure("processor time of the run", f"{taken:g} s", f"<= {most:g}" if most else "", taken <= most if most else None)]


def from_grid(path: pathlib.Path) -> list:
    """The figures of the grid's JSON."""
    return [
        figure(one["name"].strip(), one["reached"], one["goal"].strip("-"), one["met"]) for one in json.loads(path.read_text(encoding="utf-8"))["figures"]]


def from_bench(path: pathlib.Path) -> list:
    """What bench.json is to reach beside the peers, then medians of ipopd's own figures over its rounds."""
    said = json.loads(path.read_text(encoding="utf-8"))
    rounds = [one["wow"] for one in said["rounds"]]
    numbers = {name for one in rounds for name, value in one.items() if isinstance(value, (int, float))}
    return [
        *(figure(one["figure"], one["reached"], one["goal"], one["met"]) for one in said["goals"]),
        *(figure(name, f"{statistics.median(one[name] for one in rounds if name in one):g}") for name in sorted(numbers))]


def from_parts(path: pathlib.Path) -> list:
    """The figures of a bench.json that was measured in parts: the pool's, the image's."""
    return [figure(one["figure"], one["reached"], one["goal"], one["met"]) for one in json.loads(path.read_text(encoding="utf-8"))["figures"]]


def from_log(log: str) -> list:
    """The lines `figure: NAME: VALUE UNIT` of a log."""
    return [figure(name, reached.strip()) for name, reached in FIGURE_LINE.findall(log)]


def goals(figures: Callable[[], list]) -> Callable[[str], Count | None]:
    """The count of a stage that prints figures: the goals that were kept and those that were not."""
    def count(_: str) -> Count | None:
        try:
            met = [one["met"] for one in figures() if one["met"] is not None]
        except (OSError, ValueError, KeyError):
            return None
        return Count(met.count(True), met.count(False))
    return count


def with_goals(count: Callable[[str], Count | None], figures: Callable[[], list]) -> Callable[[str], Count | None]:
    """The count of a stage that counts cases and measures, too: its cases, and its goals."""
    def both(log: str) -> Count | None:
        cases, kept = count(log), goals(figures)(log)
        return None if cases is None or kept is None else cases + kept
    return both


def seed(today: datetime.date) -> str:
    """A number that is another one each day, and that anybody can repeat."""
    return f"{today:%Y%m%d}"


def machine() -> dict:
    """What figures depend on."""
    model = next((line.partition(":")[2].strip() for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="ascii").splitlines()
                  if line.startswith("model name")), "unknown")
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {"model": model, "processors": os.cpu_count(), "memory_gib": round(memory / 2**30)}


def git(root: pathlib.Path, *arguments: str) -> subprocess.CompletedProcess:
    """git in the clone, which may belong to the user who called sudo."""
    return subprocess.run(
        ["git", "-c", "safe.directory=*", "-C", str(root), *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)


def origin(root: pathlib.Path) -> str:
    """Of which commit a run is, and on what machine, for people."""
    commit, changed = git(root, "rev-parse", "HEAD").stdout.strip()[:10], git(root, "status", "--porcelain", "--untracked-files=no").stdout
    on = machine()
    return f"{commit or 'no commit'}{' and changes' if changed.strip() else ''}, {on['model']}, {on['processors']} processors, {on['memory_gib']} GiB"


class Record:
    """Keeps what a run brings; the commit is that at its begin."""

    def __init__(self, root: pathlib.Path, names: list):
        self._path = root / NAME
        self._names = names
        self._commit = git(root, "rev-parse", "HEAD").stdout.strip()
        # What the run itself writes is no change of what is tested.
        changed = git(root, "status", "--porcelain", "--", ".", ":!docs", ":!test/netns/grid/last.json").stdout
        self._is_clean = not changed.strip()
        self._machine = machine()

    def add(self, name: str, result: Result, figures: list) -> None:
        """Replaces the entry of one part; parts that nobody has run are there as such."""
        known = read(self._path)["parts"] if self._path.exists() else {}
        known[name] = {
            "verdict": "failed" if result.why else "passed", "commit": self._commit, "clean": self._is_clean, "machine": self._machine,
            "seconds": round(result.seconds), "passed": result.count.passed, "failed": result.count.failed, "why": result.why, "figures": figures}
        parts = {part: known.get(part, NOT_RUN) for part in self._names}
        self._path.write_text(as_json(parts), encoding="utf-8")


def as_json(parts: dict) -> str:
    """One line a figure, so that two runs can be compared."""
    entries = []
    for name, entry in parts.items():
        head = json.dumps({key: value for key, value in entry.items() if key != "figures"})[1:-1]
        figures = ",\n".join("  " + json.dumps(one, ensure_ascii=False) for one in entry.get("figures", ()))
        entries.append(f"{json.dumps(name)}: {{{head}" + (f', "figures": [\n{figures}\n]}}' if figures else ', "figures": []}' if "figures" in entry else "}"))
    return '{"parts": {\n' + ",\n".join(entries) + "\n}}\n"


def read(path: pathlib.Path) -> dict:
    """The file, if it is what it should be; else Malformed."""
    try:
        whole = json.loads(path.read_text(encoding="utf-8"))
        for name, entry in whole["parts"].items():
            check(name, entry)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Malformed(f"{path.name}: {error}") from error
    return whole


def check(name: str, entry: dict) -> None:
    """Raises Malformed unless an entry has all that it should, and nothing that contradicts itself."""
    if entry["verdict"] not in VERDICTS:
        raise Malformed(f"{name}: no such verdict: {entry['verdict']}")
    if entry["verdict"] == "not run":
        return
    if set(entry) != KEYS or not COMMIT.fullmatch(entry["commit"]):
        raise Malformed(f"{name}: its keys are {sorted(entry)}, its commit is {entry.get('commit')}")
    if (entry["verdict"] == "passed") != (entry["why"] is None and not entry["failed"] and entry["passed"] > 0):
        raise Malformed(f"{name}: {entry['verdict']}, with {entry['passed']} passed, {entry['failed']} failed, why: {entry['why']}")
    for one in entry["figures"]:
        if set(one) != FIGURE_KEYS:
            raise Malformed(f"{name}: a figure's keys are {sorted(one)}")


def age(root: pathlib.Path, commit: str) -> int | None:
    """How many commits have been made since; None where there is no history to say it. Raises Malformed if it is no commit of this history."""
    if git(root, "rev-parse", "--is-shallow-repository").stdout.strip() != "false":
        return None
    if git(root, "merge-base", "--is-ancestor", commit, "HEAD").returncode:
        raise Malformed(f"{commit} is no commit that led to this one")
    return int(git(root, "rev-list", "--count", f"{commit}..HEAD").stdout)


def ages(root: pathlib.Path) -> list:
    """One line a part: what it came to, and how old that is."""
    lines = []
    for name, entry in read(root / NAME)["parts"].items():
        if entry["verdict"] == "not run":
            lines.append(f"{name}: not run")
            continue
        commits = age(root, entry["commit"])
        lines.append(f"{name}: {entry['verdict']}, {'of unknown age' if commits is None else f'{commits} commits old'}"
                     + ("" if entry["clean"] else ", with changes that were not committed"))
    return lines
