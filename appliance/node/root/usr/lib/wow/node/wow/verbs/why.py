"""wow why"""
import json
import os
import pwd

from wow.lib.errors import WowError
from wow.lib.verb import JSON, Given, UsageError, Verb
from wow.why import decide, explain, gather
from wow.why.explain import Explained

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wow.why.classads import Ad

STUCK = f"(JobStatus == {gather.IDLE} || JobStatus == {gather.HELD} || JobStatus == {gather.SUSPENDED})"
"""Jobs of which a person asks why."""
PLACED = (gather.RUNNING, gather.TRANSFERRING, gather.SUSPENDED, gather.ENDED)
"""Jobs whose sentence names a machine."""
FEW = 3
"""So many jobs' turns are asked for one by one, which costs a question each; of more all that wait are looked at."""
NONE = "None of your jobs on this machine waits or is held. Those that run: wow jobs"


def run(given: Given) -> int:
    """Prints why; exit code 1 if there is no such job. Without a number it is for all jobs of the person that wait or are held."""
    if len(given.words) > 1:
        raise UsageError("name one job by its number, like 12 or 12.3, or none for all of yours that wait or are held")
    user = pwd.getpwuid(os.getuid()).pw_name
    found = explained(given.words[0]) if given.words else answers(gather.queue(f'Owner == "{user}" && {STUCK}'))
    if given.has(JSON):
        print(json.dumps({"jobs": [one.facts() for one in found]}))
    else:
        print("\n".join(lines(found, user) or [NONE]))
    return 0


def constraint(number: str) -> str:
    """HTCondor's constraint for CLUSTER or CLUSTER.PROCESS; UsageError for what is neither."""
    cluster, dot, process = number.partition(".")
    parts = [cluster, process] if dot else [cluster]
    if not all(part.isascii() and part.isdigit() and len(part) <= 9 for part in parts):
        raise UsageError(f"{number[:40]} is no job's number: it is like 12, or 12.3 for one job of several; `wow jobs` shows yours")
    return f"ClusterId == {int(cluster)}" + (f" && ProcId == {int(process)}" if dot else "")


def explained(number: str) -> list[Explained]:
    """The jobs of a number with their answers; WowError if the queue has none and had none lately."""
    wanted = constraint(number)
    jobs = gather.queue(wanted) or gather.history(wanted)
    if not jobs:
        raise WowError(f"this machine's queue has no job {number}, and had none that it remembers",
                       "Look what it has with: wow jobs, or condor_q -allusers. A job is known on the machine where it was submitted, and nowhere else")
    return answers(jobs)


def answers(jobs: "list[Ad]") -> list[Explained]:
    """Jobs with their answers, in the queue's order."""
    ordered = sorted(jobs, key=explain.order)
    idle = [ad for ad in ordered if gather.job(ad)["status"] == gather.IDLE]
    before: "dict[str, int | None]" = {}
    if len(idle) <= FEW:
        before.update((gather.job(ad)["number"], gather.ahead(ad)) for ad in idle)
    else:
        before.update(explain.ahead(gather.queue(f"JobStatus == {gather.IDLE}")))
    explainer = explain.Explainer()
    return [explainer.explain(ad, before.get(gather.job(ad)["number"])) for ad in ordered]


def lines(found: list[Explained], user: str) -> list[str]:
    """A line each for jobs that are in different states or for different reasons; those that are alike share one."""
    groups: dict[tuple[int, str, str, str], list[Explained]] = {}
    for one in found:
        groups.setdefault((one.job["status"], one.answer.code, one.job["reason"], one.job["exit"]), []).append(one)
    return [line(group, user) for group in groups.values()] + explain.more(found)


def line(group: list[Explained], user: str) -> str:
    """The line of jobs that are alike, with the first one's reason."""
    first = group[0]
    more = f" and {len(group) - 1} more" if len(group) > 1 else ""
    owner = f" of {first.job['owner']}" if first.job["owner"] != user else ""
    state = decide.STATES.get(first.job["status"], "is there")
    hosts = len({one.job["host"] for one in group}) if first.job["status"] in PLACED else 1
    spread = f", on {hosts} machines. Of the first" if hosts > 1 else ""
    return f"Job {first.job['number']}{more}{owner} {state}{spread}: {first.answer.sentence()}"


VERB = Verb("why", "[JOB]", "why a job waits, is held or runs: what is missing, how many machines would do, whose turn it is, and what to do; without a number all of "
            "yours that wait or are held", (JSON,), run)
