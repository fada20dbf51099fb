"""The text of the page on the console: from what is known to lines of plain ASCII, each short enough for a screen of 80 columns. Nothing is asked here.

Names come from strangers: of each nothing is left that a terminal obeys or that shows as something else than it is (control characters, marks of direction,
letters of other alphabets), and it has a bound."""
import time

from wow.computer import words as computer
from wow.lib import console, control
from wow.limits import hours, month
from wow.stops import drained, holding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from wow.lib.answers import Status
    from wow.pause.state import Pause
    from wow.slots.running import Job

WIDTH, ROWS = 79, 22
"""Columns and rows. A terminal that has written its last column stands beyond it, so that one stays free; the last three rows are the script's, for keys."""
LONGEST_NAME, LONGEST_PROJECT = 44, 16
JOBS, FINDINGS, FINDING_ROWS = 4, 3, 3
"""What is shown of each at most, and rows of a finding."""
WORKS, PAUSED = "works", "paused"
INDENT = 9


class Facts:
    """What is known. status: what ipopd said last, None if it said nothing yet; asked: when, Unix time; trouble: why it says nothing now. findings: (what is
    wrong, what to do) of the doctor, None before its first look; looked: when that was. web: where a browser reaches the machine, ssh: the command that logs in
    there, both empty where nothing does. limits: what its owner lends, empty where that is all. developed: the module that is developed in this start, if any."""

    __slots__ = ("now", "pool", "role", "status", "asked", "trouble", "condor", "agent", "pause", "jobs", "findings", "looked", "web", "ssh", "developed", "limits")

    def __init__(self, now: float, pool: str, role: str) -> None:
        self.now, self.pool, self.role = now, pool, role
        self.status: Status | None = None
        self.asked, self.trouble = 0.0, ""
        self.condor, self.agent = True, True
        self.pause: Pause | None = None
        self.jobs: Sequence[Job] = ()
        self.findings: list[tuple[str, str]] | None = None
        self.looked = 0.0
        self.web = self.ssh = self.developed = self.limits = ""


def lines(facts: Facts) -> list[str]:
    """The page."""
    time.tzset()  # the zone may have been set since this program began
    found = [_ends(f"WOW  pool {clean(facts.pool)}", named(facts.now)), "", *_machine(facts), ""]
    found += [*_runs(facts), ""]
    # As much of each finding as there is room for.
    wrongs = (_wrong(facts, rows) for rows in range(FINDING_ROWS, 0, -1))
    found += next((rows for rows in wrongs if len(found) + len(rows) <= ROWS), [])
    return [line[:WIDTH].rstrip() for line in found[:ROWS]]


def mode(facts: Facts) -> str:
    """What the key P goes by."""
    return PAUSED if facts.pause and facts.pause.who not in holding.BY_ITSELF else WORKS


def clean(text: str, longest: int = LONGEST_NAME) -> str:
    """A stranger's text as it may stand on a screen."""
    shown = console.ascii_only(text[:longest * 4])
    return shown if len(shown) <= longest else shown[:longest - 3] + "..."


def clock(moment: float) -> str:
    """The time of day in the machine's zone, whose name stands in the first row."""
    parts = time.localtime(moment)
    return f"{parts.tm_hour:02}:{parts.tm_min:02}"


def named(moment: float) -> str:
    """The same with the zone's short name at that time."""
    return f"{clock(moment)} {time.localtime(moment).tm_zone}"


def day(moment: float, now: float) -> str:
    """The time of day, and the day where that is another one."""
    parts, today = time.localtime(moment), time.localtime(now)
    return clock(moment) if parts[:3] == today[:3] else f"{parts.tm_year}-{parts.tm_mon:02}-{parts.tm_mday:02} {clock(moment)}"


def state(facts: Facts) -> str:
    """The machine's state in a sentence."""
    if facts.developed:
        return f"Module {clean(facts.developed)} is developed here: no job runs."
    if facts.pause:
        return _paused(facts.pause, facts.now)
    if keeps := _outside(facts.status, facts.role):
        return keeps
    if not facts.condor:
        return "It is in its pool, and HTCondor, which brings the jobs, does not run."
    if facts.role == "manager":
        return "It is a manager of its pool: it brings jobs and machines together."
    if facts.role == "login":
        return "It is in its pool: people send jobs from here, and none run here."
    if not facts.jobs:
        return "It is in its pool, and waits for jobs."
    return f"It works: {len(facts.jobs)} job{'' if len(facts.jobs) == 1 else 's'} of its pool run{'s' if len(facts.jobs) == 1 else ''} here."


def _outside(status: "Status | None", role: str) -> str:
    """What keeps the machine out of its pool, empty where nothing does."""
    if status is None:
        return "It is not known yet what the machine's network does."
    if not status["ring"]["joined"]:
        if any(warning["code"] == "twin" for warning in status["warnings"]):
            return "It is out of its pool: another machine has its key, a copy."
        return "It looks for its pool: nobody that it knows answers."
    if not status["address"]:
        return "It reached its pool, and waits for an address there."
    if status["open"] or status["certified"]:
        return ""
    # A manager asks nobody for one: join.wait_for_root.
    return "It has no valid certificate, and waits for one that is made by hand." if role == "manager" else "It has no valid certificate, and asks its pool's CA for one."


def _paused(pause: "Pause", now: float) -> str:
    until = "until P is pressed" if pause.until is None else f"until {day(pause.until, now)} {time.localtime(pause.until).tm_zone}"
    if pause.who == hours.WHO:
        return f"Outside of its owner's hours: no job runs {until}."
    if pause.who == month.WHO:
        return f"The month's share is used up: no job runs {until}."
    if pause.who == drained.WHO:
        return "The pool's administrator gives it no jobs; what runs goes on."
    if said := computer.SHORT.get(pause.who):
        return f"{said}: no job runs until that changes."
    what = "Paused: what runs goes on, none begins" if pause.finish else "Paused: jobs stand still, and none begin"
    return f"{what}, {until}."


def _machine(facts: Facts) -> list[str]:
    status = facts.status
    rows = []
    if status is not None:
        name = f"{status['host']}.{status['zone']}" if status["host"] else "none yet"
        rows.append(_row("name", clean(name, 64)))
        own = control.own_address(status)
        rows.append(_row("address", f"{clean(status['address'] or 'none yet')}  in the pool" + (f", {clean(own)}  on your own network" if own else "")))
        rows.append(_row("key", clean(status["node"], 64) + "  (its fingerprint)"))
        if status["open"]:
            rows.append(_row("", "An open pool: who has its pool.conf can send jobs and read all."))
    if facts.web:
        rows.append(_row("web", f"{clean(facts.web)}  in a browser; N shows a code for it"))
    if facts.ssh:
        rows.append(_row("login", f"{clean(facts.ssh)}  for people of the pool, each with a NAME"))
    if facts.trouble:
        rows.append(_row("network", f"ipopd does not answer{f'; this is of {named(facts.asked)}' if status else ''}. See: wow doctor"))
    if not facts.agent:
        rows.append(_row("keys", "wow-agent does not listen; keys do nothing. Start the machine again."))
    if facts.limits:
        rows.append(_row("limits", clean(facts.limits, WIDTH - INDENT)))
    return [*rows, _row("state", state(facts))]


def _runs(facts: Facts) -> list[str]:
    if facts.role != "worker" or facts.developed:
        return []
    if not facts.jobs:
        return [_row("runs", "no job")]
    shown = facts.jobs if len(facts.jobs) <= JOBS else facts.jobs[:JOBS - 1]
    rows = [f"{_whose(job):{LONGEST_NAME}}  since {day(job.since(facts.now), facts.now)}" for job in shown]
    if len(shown) < len(facts.jobs):
        rows.append(f"and {len(facts.jobs) - len(shown)} more")
    return [_row("" if at else "runs", row) for at, row in enumerate(rows)]


def _whose(job: "Job") -> str:
    """For whom it runs, and for which project."""
    project = f", {clean(job.project, LONGEST_PROJECT)}" if job.project else ""
    return clean(job.whom, LONGEST_NAME - len(project)) + project


def _wrong(facts: Facts, most: int) -> list[str]:
    if facts.findings is None:
        return [_row("wrong", "not looked at yet")]
    if not facts.findings:
        return [_row("wrong", f"nothing, as of {named(facts.looked)}")]
    rows = []
    for at, (what, todo) in enumerate(facts.findings[:FINDINGS]):
        wrapped = wrap(clean(f"{what} {todo}", WIDTH * FINDING_ROWS * 2), WIDTH - INDENT)
        if len(wrapped) > most:
            wrapped[most - 1] = wrapped[most - 1][:WIDTH - INDENT - 4] + " ..."
        rows += [_row("" if at or number else "wrong", part) for number, part in enumerate(wrapped[:most])]
    if (more := len(facts.findings) - FINDINGS) > 0:
        rows.append(_row("", f"and {more} more: wow doctor"))
    return rows


def wrap(text: str, width: int) -> list[str]:
    """A text's words in lines; a word that is longer than a line is cut."""
    found: list[str] = []
    for word in text.split():
        if found and len(found[-1]) + 1 + len(word) <= width:
            found[-1] += f" {word}"
        else:
            found.append(word[:width])
    return found


def _row(name: str, text: str) -> str:
    return f"{name:{INDENT}}{text}"


def _ends(left: str, right: str) -> str:
    return f"{left:{WIDTH - len(right)}}{right}"
