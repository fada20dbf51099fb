"""What a machine gave, by project and day; and projects that its owner refuses: their jobs are given back and come no more, whatever the machine goes through."""

import json
import time

from jobs import KEEPS, SAVES, UNTIL_TOLD, Job, tell
from looking import events, starts
from pool import ZONE
from tally import must
from waiting import until

POLLED = 12.0
"""Seconds until HTCondor has taken up what it was told, and another cycle has matched."""
PROJECT, OTHER, STRANGE = "storm surge", "genome", "  <B>a%x;   ü "
CLEANED = "?b?a?x? ?"
"""The strange one, in small letters, as this machine shows it: ü is two bytes for its queue, and one letter here."""
BURNS = "while :; do :; done"
BURN = 5
"""Seconds of a processor that the first job has at least."""

MANY = "x" * 500
FILLS = (("ProjectName", f'"{MANY}"', "200 characters"), ("ConcurrencyLimits", f'strcat("{MANY}", "")', "400 characters"),
         *((name, f'"{MANY}"', "leave them out") for name in ("NiceUser", "ExecutableSize", "ImageSize")), ("WorkingCM", '"a"', "leave WorkingCM out"))
"""Words of a job that would stand in its slot's ad, or get it the machine as a whole, and what is said of them."""
SIZES = ("MemoryUsage", "ResidentSetSize", "ProportionalSetSizeKb", "DiskUsage", "ScratchDirFileCount")
"""What HTCondor's startd copies into its slot's ad if nothing is said."""
EXPRESSIONS = {"ProjectName": f'substr("a {MANY}", 0, 1)', "ConcurrencyLimits": f'ifThenElse(JobStatus == 2, "{MANY}", "licence")',
               **{name: f'ifThenElse(true, {value}, "{MANY}")' for name, value in (("NiceUser", "true"), ("ExecutableSize", 7), ("ImageSize", 10))}}
VALUES = 'ProjectName = "a"\nConcurrencyLimits = "licence"\nNiceUser = true\nExecutableSize = 7\nImageSize = 10'
"""Long words that come to short ones, and those."""


def of(project):
    """The line of a submit file that names a project."""
    return f'+ProjectName = "{project}"'


def run(tally, pool):
    """Jobs of alice on beta. Leaves the pool as it was."""
    alpha, beta = pool.alpha, pool.beta
    here = f"beta.{ZONE}"
    before = given(beta)
    job = Job(alpha, "alice", BURNS, on=here, more=of(PROJECT)).started()
    with tally.case("a starter notes the project of its job, and the pages show it"):
        until(lambda: beta.sh("cat /run/wow/begun/*; :"), lambda said: PROJECT in said.splitlines(), "it is noted")
        until(lambda: beta.sh("cat /run/wow/page"), lambda said: f"alice@alpha.{ZONE}, {PROJECT}" in said, "the screen's page shows it")
    with tally.case("what a job had of the processor is its project's, and is kept when wow-jobs or the machine is stopped"):
        until(lambda: max(beta.slots.values(), default=0), lambda spent: spent > BURN * 1e6, "it burns")
        time.sleep(6)
        beta.run("systemctl", "restart", "wow-jobs.service")
        found = given(beta)
        had, jobs = project(found, PROJECT), project(before, PROJECT)
        must(had[0] - jobs[0] >= BURN / 3600 * 0.9 and had[1] - jobs[1] == 1, f"{before} {found}")
        must(found["sent_bytes"] > before["sent_bytes"] and found["received_bytes"] > before["received_bytes"], f"{before} {found}")
        must(PROJECT in beta.sh("wow given", "bob"), "it is not told to people")
    job.remove()
    with tally.case("of two jobs on one claim each one's own project is shown"):
        whole = f"request_cpus = {beta.sh('condor_config_val DETECTED_CPUS_LIMIT').strip()}"
        had = claims(beta)
        beta.sh("rm -f /run/wow/begun/20*")  # of jobs that ended
        first = Job(alpha, "alice", UNTIL_TOLD, on=here, more=f"{of(PROJECT)}\n{whole}\nhold = true")
        second = Job(alpha, "alice", BURNS, on=here, more=f"{of(OTHER)}\n{whole}\nhold = true")
        alpha.sh(f"condor_release {first.number} {second.number}", "alice")
        until(lambda: noted(beta), lambda said: said == {PROJECT}, "the first one's is noted")
        tell(beta)
        first.wait()
        second.started()
        until(lambda: noted(beta), lambda said: said == {OTHER}, "the second one's is noted")
        second.remove()
        must(claims(beta) == had + 1, "each had a claim of its own, which proves nothing")
    with tally.case("a queue takes no word of a job that would fill its slot's ad, neither with the job nor later"):
        job = Job(alpha, "alice", "sleep 1", more="hold = true\nconcurrency_limits = licence:2")
        for name, value, why in FILLS:
            said = alpha.sh(f"condor_submit {job.name}.sub -append '+{name} = {value}' 2>&1 || :", "alice")
            must(why in said and "submitted" not in said, said)
            said = alpha.sh(f"condor_qedit {job.number} {name} '{value}' 2>&1 || :", "alice")
            must(f'immutable attribute "{name}"' in said, said)
        job.remove()
        job = Job(alpha, "alice", "sleep 1", more="hold = true\n" + "\n".join(f"+{name} = {value}" for name, value in EXPRESSIONS.items()))
        kept = alpha.sh(f"condor_q {job.number} -l", "alice").splitlines()
        must(set(VALUES.splitlines()) <= set(kept), "\n".join(line[:99] for line in kept if line.partition(" ")[0] in EXPRESSIONS))
        job.remove()
    with tally.case("what a job says of its size stands in no ad of its slot"):
        job = Job(alpha, "alice", BURNS, on=here, more="\n".join(f'+{name} = ifThenElse(true, 7, "{MANY}")' for name in SIZES)).started()
        said = until(lambda: alpha.sh("condor_status -any -long -constraint 'RemoteUser =!= undefined'"), bool, "the slot tells of itself")[0]
        must(MANY not in said and "slot1_1@" in said, said)
        job.remove()
    refusals(tally, pool, alpha, beta, here)


def claims(machine):
    """How many claims the machine's startd has given."""
    return int(machine.sh("grep -c 'Request accepted' /var/log/condor/StartLog || :"))


def noted(machine):
    """The projects of the jobs that run on a machine, as their starters noted them."""
    return set(machine.sh("for slot in /run/wow/begun/20*; do sed -n 4p $slot; done; :").splitlines())


def refusals(tally, pool, alpha, beta, here):
    """Of what the owner refuses."""
    saves = Job(alpha, "alice", SAVES, on=here, more=f"{of(PROJECT)}\n{KEEPS}").ready(beta)
    other = Job(alpha, "alice", BURNS, on=here, more=of(OTHER)).started()
    with tally.case("a project that is refused gets its job back, with time for its checkpoint; what runs of another goes on"):
        must(json.loads(beta.sh(f"wow refuse {PROJECT} --json", "bob")) == {"refused": [PROJECT]}, "it is not refused")
        until(lambda: events(saves, "004"), bool, "it is given back")
        must(alpha.sh(f"condor_q {saves.number} -af JobStatus", "alice").strip() == "1", "it does not wait")
        time.sleep(POLLED)
        must((starts(saves), starts(other), events(other, "004")) == (1, 1, 0), "it runs again, or the other was given back")
    other.remove()
    with tally.case("it stays refused when the machine loses its power, others run, and wow doctor has nothing against it"):
        beta.kill()
        beta.start()
        beta.wait()
        pool.listed([machine.name for machine in pool.workers])
        must("well" in Job(alpha, "alice", "echo well", on=here, more=of(OTHER)).result(), "another does not run")
        must("well" in Job(alpha, "alice", "echo well", on=here).result(), "one without a project does not run")
        must(starts(saves) == 1 and PROJECT in beta.sh("wow refuse", "alice"), "it is not refused any more")
        findings = {one["code"] for one in json.loads(beta.sh("wow doctor --json || :"))["findings"]}
        must("start-false" not in findings, f"{findings}")
    with tally.case("accepted again, its job goes on from its checkpoint"):
        beta.sh(f"wow accept '{PROJECT}'", "bob")
        must("saved" in saves.result(), "it began anew")
        must(beta.sh("wow refuse").strip() == "This machine refuses no project.", beta.sh("wow refuse"))
    with tally.case("whatever a stranger calls a project, it is refused by the name that is shown"):
        strange = Job(alpha, "alice", BURNS, on=here, more=of(STRANGE)).started()
        beta.sh(f"wow refuse '{CLEANED}'", "bob")
        until(lambda: events(strange, "004"), bool, "it is given back")
        time.sleep(POLLED)
        must(starts(strange) == 1, "it runs again")
        strange.remove()
        beta.sh(f"wow accept '{CLEANED}'", "bob")


def given(machine):
    """What `wow given` says."""
    return json.loads(machine.sh("wow given --json", "alice"))


def project(found, name):
    """(processor hours, jobs) of a project."""
    return next(((one["processor_hours"], one["jobs"]) for one in found["projects"] if one["name"] == name), (0, 0))
