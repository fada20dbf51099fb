"""A machine that offers more slots than ever were accounts by hand: each job runs in an account of its own, which the fence knows, in slots above the 33rd too."""

import slots
from pool import ZONE
from tally import must
from waiting import until

COUNT = 36
"""Slots: more than the 32 accounts of jobs that machines once had."""
CROWD = """executable = crowd.sh
output = crowd.$(Process).out
log = crowd.log
request_cpus = 1
request_memory = 1
request_disk = 1M
requirements = TARGET.Machine == "beta.{zone}"
queue {count}
"""
PROGRAM = """#!/bin/sh
id -un
id -u
sleep 600
"""
WHO = "cat /var/lib/wow/execute/*/_condor_stdout"


def run(tally, pool):
    """alice's jobs on beta, which keeps its own slots afterwards."""
    alpha, beta = pool.alpha, pool.beta
    slots.offer(beta, COUNT, memory=COUNT * 256)
    try:
        until(lambda: {said.partition(".")[0] for said in pool.ads("-startd", "TotalCpus", "-constraint", f'Machine == "beta.{ZONE}"')}, lambda found: str(COUNT) in found,
              "beta has its slots", pause=0.5)
        with tally.case(f"of {COUNT} jobs at once on a machine each has an account of its own, that of its slot's number, and the fence knows them all"):
            alpha.sh("cat > crowd.sh && chmod 755 crowd.sh", "alice", text_in=PROGRAM)
            alpha.sh("cat > crowd.sub && condor_submit -terse crowd.sub", "alice", text_in=CROWD.format(zone=ZONE, count=COUNT))
            until(lambda: alpha.sh("grep -c '^001 ' crowd.log || :", "alice").strip(), lambda count: count == str(COUNT), "all run", pause=1.0)
            said = until(lambda: beta.sh(WHO).split(), lambda words: len(words) == 2 * COUNT, "all say who they are", pause=0.5)[0]
            names, numbers = sorted(said[::2]), set(said[1::2])
            must(names == sorted(f"wowjob{number}" for number in range(1, COUNT + 1)), f"they are {names}")
            fence = beta.run("nft", "list", "set", "inet", "wow", "own_slot").stdout
            known = {beta.sh(f"id -u {name}").strip() for name in names}
            must(known == numbers and all(f"{number} . " in fence or f'"wowjob{index}" . ' in fence for index, number in enumerate(sorted(numbers), 1)), fence)
    finally:
        alpha.sh("condor_rm -all", "alice")
        until(lambda: alpha.sh("condor_q -af ClusterId", "alice").strip(), lambda left: not left, "the jobs are gone")
        slots.offer_own(beta)
        pool.listed([machine.name for machine in pool.workers])
