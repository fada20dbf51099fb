"""Explains jobs of this machine's queue, all that wait with one question to the manager."""
from wow.why import classads, decide, gather, matching
from wow.why.gather import IDLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wow.why.answer import Answer
    from wow.why.classads import Ad
    from wow.why.facts import Job, Match, Pool


class Explained:
    """A job with its answer. match: what was tried for a job that waits."""

    __slots__ = ("job", "answer", "match")

    def __init__(self, job: "Job", answer: "Answer", match: "Match | None") -> None:
        self.job, self.answer, self.match = job, answer, match

    def facts(self) -> dict[str, object]:
        """For programs."""
        return {
            "job": self.job["number"], "owner": self.job["owner"], "batch": self.job["batch"], "state": decide.STATES.get(self.job["status"], "unknown"),
            "since_s": round(self.job["since"]), "host": self.job["host"] or None, "code": self.answer.code, "text": self.answer.text,
            "todo": self.answer.todo, "machines": counts(self.match) if self.match else None}


def counts(match: "Match") -> dict[str, int]:
    """How many machines there are, would do, and are free."""
    machines = match["machines"]
    groups = {
        "in_pool": machines, "would_do": [machine for machine in machines if all(machine["met"])],
        "free": [machine for machine in machines if machine["free"]]}
    return {name: len({machine["host"] for machine in group}) for name, group in groups.items()}


class Explainer:
    """Explains by what the manager said when it was first needed; `forget` has it asked again."""

    def __init__(self) -> None:
        self._ads: "list[Ad] | None" = None
        self._pool: "Pool | None" = None
        self._is_known = False
        self._matches: dict[tuple[str, str], Match] = {}

    def forget(self) -> None:
        """Has the manager asked again."""
        self._is_known = False
        self._matches.clear()

    def explain(self, ad: "Ad", before: int | None) -> Explained:
        """One job. before: how many of the same person's waiting jobs come before it; None where that is not known."""
        job = gather.job(ad)
        if job["status"] != IDLE:
            return Explained(job, decide.decide(job, None, None), None)
        self._know()
        match = self._match(ad) if self._ads is not None else None
        return Explained(job, decide.decide(job, self._pool, match, before), match)

    def _know(self) -> None:
        if not self._is_known:
            self._ads = gather.pool(gather.own_name())
            self._pool = gather.summary(self._ads) if self._ads is not None else None
            self._is_known = True

    def _match(self, ad: "Ad") -> "Match":
        """Jobs that HTCondor matches as one (AutoClusterId) are tried once."""
        group = classads.source(ad, "AutoClusterId") or gather.job(ad)["number"]
        key = (group, classads.source(ad, "Requirements"))
        if key not in self._matches:
            self._matches[key] = matching.match(ad, gather.of_type(self._ads or [], "Machine"))
        return self._matches[key]


def more(found: list[Explained]) -> list[str]:
    """What to say below these jobs where there may be more."""
    many = len(found) >= gather.MOST
    return [f"Of so many jobs {gather.MOST} in each state are looked at here. All are counted by: condor_q -totals. One is asked for by its number: "
            f"wow why 12.{gather.MOST}"] if many else []


def ahead(jobs: "list[Ad]") -> dict[str, int]:
    """How many waiting jobs of the same person come before each waiting one of these: those of a higher priority, then those that came earlier. None is said where
    there may be others."""
    if sum(classads.number(ad, "JobStatus") == IDLE for ad in jobs) >= gather.MOST:
        return {}
    found: dict[str, int] = {}
    seen: dict[str, int] = {}
    for ad in sorted(jobs, key=order):
        job = gather.job(ad)
        if job["status"] == IDLE:
            found[job["number"]] = seen.get(job["user"], 0)
            seen[job["user"]] = found[job["number"]] + 1
    return found


def order(ad: "Ad") -> tuple[float, float, float]:
    """The order in which a queue's jobs are offered."""
    return (-(classads.number(ad, "JobPrio") or 0), classads.number(ad, "ClusterId") or 0, classads.number(ad, "ProcId") or 0)
