"""Who people and machines are for HTCondor in an open pool: by their account on their own machine, and by nothing that they say of themselves."""

from jobs import Job
from pool import ADMIN, ZONE
from tally import must
from waiting import until

CLAIMED = {"_CONDOR_SEC_CLIENT_AUTHENTICATION_METHODS": "CLAIMTOBE", "_CONDOR_SEC_DEFAULT_AUTHENTICATION_METHODS": "CLAIMTOBE"}
LEVELS = ("READ", "WRITE", "DAEMON", "ADMINISTRATOR")
PLACE = ("PublicClaimId", "LastPublicClaimId", "RemoteHost")
"""Words of a job by which its queue knows its machine and its shadow."""
ALICE = f"alice@alpha.{ZONE}"
FORGED = """MyType = "Submitter"
Name = "{name}"
Machine = "{machine}.{zone}"
ScheddName = "{machine}.{zone}"
MyAddress = "<{address}:9618?sock=schedd>"
IdleJobs = 1000
RunningJobs = 0
"""
PLAIN = """executable = /bin/true
hold = true
{line}
queue
"""


def run(tally, pool):
    """A member's root on beta, who may configure HTCondor's tools there as they like, and people on alpha."""
    alpha, beta, manager = pool.alpha, pool.beta, pool.manager
    schedd = f"alpha.{ZONE}"
    with tally.case("who claims to be root, condor or alice may do nothing at another machine's queue"):
        must("READ" in levels(alpha, schedd), "nobody may, which proves nothing")
        for name in ("root", "condor", "alice", f"alice@{schedd}", f"condor@{schedd}"):
            may = levels(beta, schedd, name)
            must(not may, f"{name} may {may}")
    with tally.case("nor may root of another machine take jobs out of a queue or read it"):
        mine = Job(alpha, "alice", "sleep 300", on="nowhere")
        claim = " ".join(f"{key}={value}" for key, value in {**CLAIMED, "_CONDOR_SEC_CLAIMTOBE_USER": "root"}.items())
        said = beta.sh(f"{claim} condor_rm -name {schedd} {mine.number} 2>&1; {claim} condor_q -name {schedd} -all -af Cmd 2>&1; :")
        must(mine.name not in said, f"it reads the queue: {said}")
        must(alpha.sh(f"condor_q {mine.number} -af JobStatus", "alice").strip() == "1", f"the job is not idle any more: {said}")
        mine.remove()
    with tally.case("people are of their machine: alice on alpha is not alice on beta"):
        jobs = {machine.name: Job(machine, "alice", "sleep 300", on="nowhere") for machine in (alpha, beta)}
        wanted = {f"alice@{name}.{ZONE}" for name in jobs}
        until(lambda: set(pool.ads("-submitters", "Name")), lambda names: wanted <= names, f"the manager lists {wanted}")
        for job in jobs.values():
            job.remove()
    with tally.case("a submitter's ad with another machine's name, or with none, is not taken"):
        for name in (f"mallory@alpha.{ZONE}", f"mallory@{ZONE}", "mallory", f"mallory@beta.{ZONE}.x", f"mallory@xbeta.{ZONE}"):
            advertise(beta, name)
        advertise(beta, f"honest@beta.{ZONE}")
        names = until(lambda: pool.ads("-submitters", "Name"), lambda names: f"honest@beta.{ZONE}" in names, "an honest one is taken")[0]
        must(not [name for name in names if "mallory" in name], f"they are {names}")
    with tally.case("a job counts for who submits it, whatever it says of itself"):
        for line, is_taken in (("accounting_group_user = bob", False), ('+AccountingGroup = "bob"', False), (f'+AccountingGroup = "bob@beta.{ZONE}"', False),
                               ("accounting_group = group_a\naccounting_group_user = alice", False), ('+AccountingGroup = "a.alice"', False),
                               ("accounting_group_user = alice", True), ("nice_user = true", True),
                               *((f'+{name} = "<10.128.0.9:9618>#1#2#..."', False) for name in PLACE)):
            alpha.sh("cat > share.sub", "alice", text_in=PLAIN.format(line=line))
            said = alpha.sh("condor_submit share.sub 2>&1; :", "alice")
            must(("submitted to cluster" in said) == is_taken, f"{line}: {said}")
        number = alpha.sh("condor_q -af ClusterId | head -n 1", "alice").strip()
        said = alpha.sh(f"""condor_qedit {number} AccountingGroup '"bob"' 2>&1; condor_q {number} -af AccountingGroup""", "alice", check=False)
        must('"bob"' not in said.splitlines()[-1] and said.split()[-1] != "bob", said)
        alpha.sh("condor_rm -all", "alice")
    with tally.case("where a job runs and by which claim is the queue's to say: nobody gives an own job the place of another's, nor takes its own away"):
        hers, his = (Job(alpha, person, "sleep 300", on=f"beta.{ZONE}").started() for person in ("alice", "bob"))
        before = place(alpha, his)
        must(before[0].startswith("<") and before[0] != place(alpha, hers)[0], f"the queue says {before} of his, {place(alpha, hers)} of hers")
        for name, value in zip(PLACE, place(alpha, hers)):
            for wanted in (f'"{value}"', "undefined"):
                said = alpha.sh(f"condor_qedit {his.number} {name} '{wanted}' 2>&1; :", "bob")
                must("Failed to set" in said, said)
        must(place(alpha, his) == before, f"{before} became {place(alpha, his)}")
        for job in (hers, his):
            job.remove()
        ended = Job(alpha, "bob", "true", on=f"beta.{ZONE}")
        ended.result()
        until(lambda: alpha.sh(f"condor_history {ended.number} -limit 1 -af LastPublicClaimId"), lambda said: said.startswith("<"),
              "the queue says by which claim one ran", 30)
    with tally.case("an account of a slot may do nothing at its own machine's queue, even where the fence is down"):
        beta.sh("nft insert rule inet wow slot_lo accept")
        try:
            submit = beta.sh("cd /tmp && printf 'executable = /bin/true\\nuniverse = scheduler\\nqueue\\n' > job.sub && "
                             "setpriv --reuid wowjob1 --clear-groups condor_submit job.sub 2>&1; condor_q -all -af Owner; :")
            must("submitted" not in submit and "wowjob" not in submit, submit)
            must("Permission denied" in submit or "DENIED" in submit or "not authorized" in submit.lower() or "Authoriz" in submit, f"not for that reason: {submit}")
        finally:
            handle = beta.sh("nft -a list chain inet wow slot_lo | sed -n 's/^\\t\\taccept # handle //p'").split()[0]
            beta.sh(f"nft delete rule inet wow slot_lo handle {handle}")
    with tally.case("all see the pool: machines from everywhere, priorities too"):
        # The negotiator has a priority of who had a slot.
        Job(alpha, "alice", "true").result()
        for machine in (alpha, manager):
            must(len(set(machine.sh("condor_status -af Machine", "bob").split())) == len(pool.workers), f"{machine.name} does not see all machines")
            until(lambda machine=machine: machine.sh("condor_userprio -all 2>&1; :", "bob"), lambda said: "alice@alpha" in said, f"{machine.name} sees priorities", pause=1.0)
    with tally.case("the pool's administrator gives shares on the manager, and nobody else does"):
        for person, given, expected in ((ADMIN, 77, "77.00"), ("bob", 55, "77.00"), (ADMIN, 1000, "1000.00")):
            manager.sh(f"condor_userprio -setfactor {ALICE} {given} 2>&1; :", person)
            until(lambda: pool.factor(ALICE), lambda found, expected=expected: found == expected, f"the factor is {expected} after {person}", pause=1.0)


def place(machine, job):
    """What the queue says of PLACE."""
    return machine.sh(f"condor_q {job.number} -allusers -af {' '.join(PLACE)}").split()


def levels(machine, schedd, name=None):
    """What root of a machine may do at a schedd, who claims a name if there is one."""
    claim = {} if name is None else {**CLAIMED, "_CONDOR_SEC_CLAIMTOBE_USER": name}
    settings = " ".join(f"{key}='{value}'" for key, value in claim.items())
    said = machine.sh(f"{settings} condor_ping -type schedd -name {schedd} -table {' '.join(LEVELS)} 2>&1; :")
    found = {line.split()[0]: "ALLOW" in line for line in said.splitlines() if line.split()[:1] and line.split()[0] in LEVELS}
    must(set(found) == set(LEVELS), said)
    return [level for level, may in found.items() if may]


def advertise(machine, name):
    """Sends the manager a submitter's ad, as root of a machine."""
    machine.sh("cat > /tmp/forged", text_in=FORGED.format(name=name, machine=machine.name, zone=ZONE, address=machine.address))
    machine.sh("condor_advertise UPDATE_SUBMITTOR_AD /tmp/forged 2>&1; :")
