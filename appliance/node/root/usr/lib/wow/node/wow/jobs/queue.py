"""The queue of this machine: which jobs are on which machines, and how they are taken back from there.

A job is put on hold with a reason, its shadow is ended, and the job is released: its log tells why, and it is matched anew at once. A shadow that is ended
alone is started again for the same claim, and tries for 14 s to reach who is gone (HTCondor 23.9.6, test/pool). That of a job that somebody removed or held
is ended alone: the schedd then does what was asked for (Scheduler::check_zombie), which it does no sooner."""
import os
import signal

from wow.condor import ads, collector
from wow.jobs.patience import Advertised, Job
from wow.jobs.shadows import is_job
from wow.lib import system
from wow.lib.errors import WowError

SUBCODE = 5757
"""HoldReasonSubCode by which jobs that we hold are known from those that people hold."""
OURS = f"JobStatus == 5 && HoldReasonSubCode =?= {SUBCODE}"
COMPLETED, RUNNING = 4, (2, 6, 7)
PLACED = f"({' || '.join(f'JobStatus == {state}' for state in RUNNING)} || CurrentHosts > 0 && JobStatus != {COMPLETED}) && !({OURS})"
"""True of a job that runs, and of one that somebody removed or held, or released after that, while its shadow still waits for its machine."""
OF_A_JOB = ("ClusterId", "ProcId", "PublicClaimId", "RemoteHost", "WowPatience", "JobStatus")
OF_AN_ENDED_JOB = ("ClusterId", "ProcId", "LastPublicClaimId")
OF_A_STARTD = ("Machine", "DaemonStartTime", "LastHeardFrom", "State", "PublicClaimId")
AT_WORK = ("Claimed", "Preempting")
"""States of a slot that has a claim. It says by which in the first alone (HTCondor, Resource.cpp)."""
QUICK = 20.0
"""Seconds that a question may take."""
YOUNG = 30.0
"""Seconds for which a shadow's job may not be told as running yet."""
OR, LONGEST = " || ", 100_000
"""Bytes of a constraint: Linux gives a program no argument of more than 128 KiB (execve(2))."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterable, Iterator

    from wow.jobs.shadows import Shadow


def placed(default: float) -> list[Job]:
    """The jobs that are on a machine; none, too, where the queue does not answer. default: seconds that one waits for its machine that says nothing of it."""
    return _placed(default)[1]


def _placed(default: float) -> tuple[bool, list[Job]]:
    """Whether the queue answers, and the same."""
    code, said = system.run(["condor_q", "-allusers", "-constraint", PLACED, "-json", "-attributes", ",".join(OF_A_JOB)], timeout=QUICK)
    return code == 0, [job for ad in ads.objects(said) if (job := parse(ad, default))] if code == 0 else []


def parse(ad: "dict[str, Any]", default: float) -> Job | None:
    """A job from its ad; None for one without a claim. The claim's public half is <ADDRESS:PORT?...>#BIRTH#NUMBER#..."""
    cluster, process, claim, host, minutes, status = (ad.get(name) for name in OF_A_JOB)
    if not (isinstance(cluster, int) and isinstance(process, int) and isinstance(host, str) and isinstance(claim, str)):
        return None
    if not claim.startswith("<") or claim.count("#") < 2 or '"' in claim or "\\" in claim:
        return None
    birth = claim.split("#")[1]
    patience = minutes * 60.0 if isinstance(minutes, (int, float)) and not isinstance(minutes, bool) else default
    return Job(f"{cluster}.{process}", host.rpartition("@")[2], address_of(claim), claim, birth, patience, status in RUNNING)


def address_of(claim: str) -> str:
    """The machine of a claim, by its public half."""
    return claim[1:].partition(":")[0]


def find(unknown: "Iterable[Shadow]") -> bool:
    """Notes the machines and claims of shadows by the queue alone; whether it answered."""
    answers, every = _placed(0.0)
    return learn(unknown, every if answers else None)


def learn(shadows: "Iterable[Shadow]", every: "list[Job] | None") -> bool:
    """Notes each shadow's claim, and its machine where no connection has told it; whether all that was asked answered. One that was handed a second job is known by its
    first, which has ended; both ran by the same claim. every: all jobs that are on a machine; None where the queue does not answer. What could not be told then, or by
    a tool that failed, is asked again."""
    claims, answers = {job.number: job.claim for job in every or ()}, every is not None
    unknown = [shadow for shadow in shadows if shadow.claim is None]
    for tool in (["condor_q", "-allusers"], ["condor_history"]):
        # A job that has ended may stay in the queue for a while.
        for lot in lots(is_number(number) for number in sorted({shadow.job for shadow in unknown if is_job(shadow.job)} - claims.keys())):
            # One that has all of them reads the history no further.
            code, found = _claims([*tool, "-limit", str(len(lot))], lot)
            claims, answers = claims | found, answers and code == 0
    for shadow in unknown:
        if (claim := claims.get(shadow.job)) or (answers and shadow.age >= YOUNG):
            shadow.claim = claim or ""
            shadow.address = shadow.address or address_of(shadow.claim)
    return answers


def _claims(command: list[str], conditions: list[str]) -> tuple[int, dict[str, str]]:
    """The exit code of a tool of HTCondor, and the claims by which jobs ran last, as far as it tells."""
    # What waits to run again tells of its former claim.
    wanted = f"JobStatus == {COMPLETED} && ({either(conditions)})"
    code, said = system.run([*command, "-constraint", wanted, "-json", "-attributes", ",".join(OF_AN_ENDED_JOB)], timeout=QUICK)
    found = (tuple(ad.get(name) for name in OF_AN_ENDED_JOB) for ad in ads.objects(said))
    return code, {f"{cluster}.{process}": claim for cluster, process, claim in found if isinstance(claim, str) and claim.startswith("<")}


def lots(conditions: "Iterable[str]") -> "Iterator[list[str]]":
    """These conditions in lots of which each is short enough for a constraint."""
    lot: list[str] = []
    length = 0
    for condition in conditions:
        if lot and length + len(condition) > LONGEST:
            yield lot
            lot, length = [], 0
        lot.append(condition)
        length += len(condition) + len(OR)
    if lot:
        yield lot


def either(conditions: list[str]) -> str:
    """True where one of them is."""
    return OR.join(conditions)


def advertised(jobs: "Iterable[Job]") -> dict[str, Advertised] | None:
    """What the collector has of the startds that run these jobs, by address; None where it does not answer."""
    addresses = {job.host: job.address for job in jobs}
    found: dict[str, Advertised] = {}
    for lot in lots(f'Machine == "{host}"' for host in sorted(addresses) if '"' not in host and "\\" not in host):
        code, said = collector.ask(["-constraint", either(lot), "-json", "-attributes", ",".join(OF_A_STARTD)], QUICK)
        if code:
            return None
        found |= {addresses[host]: ad for host, ad in newest(ads.objects(said)).items() if host in addresses}
    return found


def newest(found: "Iterable[dict[str, Any]]") -> dict[str, Advertised]:
    """These ads of startds, by machine; an address is no key, for a startd that was started while the machine was busy has none in its ads for a minute. Of
    a machine with several slots the ad that was heard last counts: those of slots that a startd had before it was started anew stay for minutes."""
    last: dict[str, tuple[int, int]] = {}
    claims: dict[str, set[str]] = {}
    silent: set[str] = set()
    for host, birth, heard, state, claim in (tuple(ad.get(name) for name in OF_A_STARTD) for ad in found):
        if not isinstance(host, str):
            continue
        if isinstance(claim, str):
            claims.setdefault(host, set()).add(claim)
        elif state in AT_WORK:
            silent.add(host)
        if isinstance(birth, int) and isinstance(heard, int) and (host not in last or heard > last[host][1]):
            last[host] = birth, heard
    return {host: Advertised(str(birth), str(heard), None if host in silent else claims.get(host, set())) for host, (birth, heard) in last.items()}


def take_back(lost: "list[tuple[Job, str]]", every: "list[Job]", shadows: "dict[int, Shadow]") -> set[int]:
    """Takes these jobs from their machines; `release` has them run again, once their shadows have ended: a job that is released sooner is held once more when
    its shadow ends. every: all that are on a machine, since its other jobs keep their shadows. The shadows to wait for: their own, and those that may be."""
    for reason in sorted({why for job, why in lost if job.runs}):
        jobs = [job for job, why in lost if job.runs and why == reason]
        for lot in lots(map(same_run, jobs)):
            code, said = system.run(["condor_hold", "-reason", reason, "-subcode", str(SUBCODE), "-constraint", either(lot)], timeout=QUICK)
            if code:
                print(f"condor_hold: {said}", flush=True)
        print(f"{', '.join(job.number for job in jobs)}: {reason}", flush=True)  # for the journal
    if stopped := [job.number for job, _ in lost if not job.runs]:
        print(f"{', '.join(stopped)}: removed or held, and no word of that comes from the machine any more", flush=True)
    try:
        learn(shadows.values(), every)
    except WowError as error:
        # Those on hold wait for the shadows that are known.
        print(error, flush=True)
    for number in to_end(shadows, [job for job, _ in lost], every):
        kill(number)
    return to_wait_for(shadows, [job for job, _ in lost])


def end(outlived: "Iterable[int]", shadows: "dict[int, Shadow]") -> bool:
    """Ends shadows that outlived the jobs that were taken back from their machines, once no job runs any more that one of them may have: it would ask for its job
    until the lease ends, and the job would wait for it as long. Whether it ended one."""
    answers, every = _placed(0.0)
    if not answers:
        return False
    running = [job for job in every if job.runs]
    claims = {job.claim for job in running}
    machines = unclear(shadows, running)
    found = [number for number in sorted(outlived)
             if (shadow := shadows.get(number)) and (shadow.claim not in claims if shadow.claim else shadow.address not in machines)]
    for number in found:
        kill(number)
    return bool(found)


def kill(shadow: int) -> None:
    """Ends a shadow; the schedd sees to its job."""
    try:
        os.kill(shadow, signal.SIGKILL)
    except ProcessLookupError:
        pass


def same_run(job: Job) -> str:
    """True of the job while it runs by the claim that was seen: HTCondor may have noticed by itself meanwhile, and have it run elsewhere."""
    return f'({is_number(job.number)} && PublicClaimId == "{job.claim}")'


def is_number(number: str) -> str:
    """True of the job of that number, CLUSTER.PROCESS."""
    cluster, _, process = number.partition(".")
    return f"ClusterId == {cluster} && ProcId == {process}"


def to_wait_for(shadows: "dict[int, Shadow]", lost: "list[Job]") -> set[int]:
    """Which shadows are of lost jobs, or may be: those on their machines whose claim can't be told."""
    claims, machines = {job.claim for job in lost}, {job.address for job in lost}
    return {number for number, shadow in shadows.items() if (shadow.claim in claims if shadow.claim else shadow.address in machines)}


def to_end(shadows: "dict[int, Shadow]", lost: "list[Job]", every: "list[Job]") -> list[int]:
    """Which of them to end. Where it can't be told whether one is of a lost job or of one that stays on that machine, it is left alone until that has ended (`end`)."""
    gone = {job.number for job in lost}
    shared = unclear(shadows, [job for job in every if job.runs and job.number not in gone])
    return [number for number in sorted(to_wait_for(shadows, lost)) if shadows[number].claim or shadows[number].address not in shared]


def unclear(shadows: "dict[int, Shadow]", jobs: "list[Job]") -> set[str]:
    """The machines of these jobs of which no shadow is known."""
    known = {shadow.claim for shadow in shadows.values()}
    return {job.address for job in jobs if job.claim not in known}


def advertise() -> None:
    """Has all daemons of this machine send their ads: that is what they do first when they are configured anew."""
    system.run(["condor_reconfig"], timeout=QUICK)


def release() -> bool:
    """Has what we hold run again; also what a former run of us left held. Whether the queue says that there is nothing of that: condor_release does
    not tell a failure from no job."""
    code, said = system.run(["condor_q", "-allusers", "-limit", "1", "-constraint", OURS, "-af", "ClusterId"], timeout=QUICK)
    if code == 0 and any(map(str.isdigit, said.split())):
        system.run(["condor_release", "-constraint", OURS], timeout=QUICK)
        return False
    return code == 0
