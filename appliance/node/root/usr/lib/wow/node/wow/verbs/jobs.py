"""wow jobs"""
import json
import os
import pwd
import sys
import time

from wow.lib import table
from wow.lib.verb import JSON, Given, Option, Verb
from wow.why import decide, explain, gather
from wow.why.explain import Explained, Explainer
from wow.why.gather import ENDED, HELD, IDLE, REMOVED, RUNNING, SUSPENDED, TRANSFERRING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wow.why.classads import Ad

ALL = Option("--all", "", "everybody's jobs of this machine, not yours alone")
WATCH = Option("--watch", "", "show them again every five seconds until none is left, or Ctrl-C ends it")
PAUSE = 5.0
"""Seconds from one look at the queue to the next."""
LOOKS = 12
"""The manager, which has to send all machines' ads, is asked at every twelfth look: once a minute."""
MOST_LINES = 40
MOST_HOSTS = 3
WIDEST = 90
"""Characters of a reason; `wow why` has all of it."""
CLEAR = "\033[H\033[2J"
"""Clears a terminal (ECMA-48)."""
ORDER = (HELD, RUNNING, SUSPENDED, TRANSFERRING, IDLE, ENDED, REMOVED)
"""What a person wants to see first."""


def run(given: Given) -> int:
    """Prints the jobs; with --watch again and again until there is none."""
    whose = "true" if given.has(ALL) else f'Owner == "{pwd.getpwuid(os.getuid()).pw_name}"'
    explainer, looks = Explainer(), 0
    while True:
        found = look(explainer, whose)
        show(found, given, gather.counts(whose) if len(found) >= gather.MOST else None)
        if not given.has(WATCH) or not found:
            return 0
        time.sleep(PAUSE)
        looks += 1
        if looks % LOOKS == 0:
            explainer.forget()


def look(explainer: Explainer, whose: str) -> list[Explained]:
    """The jobs with their answers, in the queue's order."""
    jobs: "list[Ad]" = sorted(gather.queue(whose), key=explain.order)
    before = explain.ahead(jobs)
    return [explainer.explain(ad, before.get(gather.job(ad)["number"])) for ad in jobs]


def show(found: list[Explained], given: Given, counts: dict[int, int] | None = None) -> None:
    """Prints them once. counts: of all jobs, where these may be some of them."""
    if given.has(JSON):
        print(json.dumps({"jobs": [one.facts() for one in found]}), flush=True)
    else:
        print((CLEAR if given.has(WATCH) and sys.stdout.isatty() else "") + "\n".join(lines(found, given.has(ALL), counts)), flush=True)


def lines(found: list[Explained], everybody: bool = False, counts: dict[int, int] | None = None) -> list[str]:
    """A line for each batch and state and reason."""
    if not found:
        return ["no jobs"]
    groups: dict[tuple[str, ...], list[Explained]] = {}
    for one in found:
        cluster = one.job["number"].partition(".")[0]
        groups.setdefault((cluster, one.job["batch"], str(one.job["status"]), one.answer.code, one.job["reason"]), []).append(one)
    ordered = sorted(groups.values(), key=lambda group: ORDER.index(group[0].job["status"]) if group[0].job["status"] in ORDER else 0)
    rows = [["job", *(["owner"] if everybody else []), "name", "state", "where", "since", "why"], *(row(group, everybody) for group in ordered[:MOST_LINES])]
    left = [] if len(ordered) <= MOST_LINES else [f"{len(ordered) - MOST_LINES} lines more: wow jobs --json"]
    return table.columns(rows) + left + [totals(found, counts), *explain.more(found)]


def row(group: list[Explained], everybody: bool) -> list[str]:
    """The line of jobs that are alike."""
    first = group[0]
    number = first.job["number"] if len(group) == 1 else f"{first.job['number']} +{len(group) - 1}"
    since = max(one.job["since"] for one in group)
    why = "" if first.job["status"] in (RUNNING, TRANSFERRING) else shortened(first.answer.short)
    return [number, *([first.job["owner"]] if everybody else []), first.job["batch"], decide.STATES.get(first.job["status"], "?"), where(group),
            table.duration(since), why]


def shortened(text: str) -> str:
    """A reason that fits a line."""
    return text if len(text) <= WIDEST else text[:WIDEST - 3].rstrip() + "..."


def where(group: list[Explained]) -> str:
    """The machines, with how many of the jobs each has."""
    if group[0].job["status"] not in (RUNNING, SUSPENDED, TRANSFERRING):
        return "-"
    counts: dict[str, int] = {}
    for one in group:
        counts[one.job["host"]] = counts.get(one.job["host"], 0) + 1
    names = sorted(counts, key=lambda host: (-counts[host], host))
    shown = [host + (f" ({counts[host]})" if counts[host] > 1 else "") for host in names[:MOST_HOSTS]]
    return ", ".join(shown) + (f" and {len(names) - MOST_HOSTS} more" if len(names) > MOST_HOSTS else "")


def totals(found: list[Explained], counts: dict[int, int] | None = None) -> str:
    """How many are in which state. counts: as the queue itself counts; these jobs are counted without."""
    counts = counts or {status: sum(one.job["status"] == status for one in found) for status in ORDER}
    every = sum(counts.values())
    known = {RUNNING: "run", IDLE: "wait", HELD: "held"}
    told = [f"{counts[status]} {word}" for status, word in known.items()]
    other = every - sum(counts[status] for status in known)
    return f"{every} job{'' if every == 1 else 's'}: {', '.join(told)}" + (f", {other} other" if other else "")


VERB = Verb("jobs", "", "your jobs on this machine: state, where each runs, since when, and in short why it waits", (ALL, WATCH, JSON), run)
