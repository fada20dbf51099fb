"""A machine that is shut down gives its jobs time for a checkpoint, and no more than it has."""

import time

from jobs import KEEPS, SAVES, Job
from pool import ZONE
from tally import must
from waiting import until

DEAF = "trap '' TERM; : > ready; sleep 600 & wait; sleep 600"
NAMESAKE = "cp /usr/bin/sleep condor_startd && exec ./condor_startd 3000"
"""A person's program that is called as HTCondor's: nobody's business."""


def run(tally, pool):
    """Two jobs of alice on beta, of which one saves and one hears nothing; beta's HTCondor is stopped and started."""
    alpha, beta = pool.alpha, pool.beta
    namesake = beta.begin(["sh", "-c", f"cd ~bob && {NAMESAKE}"], "bob")
    until(lambda: beta.sh("pgrep -u bob condor_startd || :"), bool, "bob's program runs")
    saves = Job(alpha, "alice", SAVES, on=f"beta.{ZONE}", more=KEEPS).ready(beta)
    deaf = Job(alpha, "alice", DEAF, on=f"beta.{ZONE}").ready(beta)
    with tally.case("HTCondor stops in half a minute though a job hears nothing"):
        begin = time.monotonic()
        beta.run("systemctl", "stop", "condor.service")
        print(f"     it took {time.monotonic() - begin:.1f} s", flush=True)
        # After half a minute (TimeoutStopSec) systemd kills what is left, and says so.
        must((said := beta.run("systemctl", "show", "-P", "Result", "condor.service").stdout.strip()) == "success", said)
        until(lambda: beta.sh("pgrep -u wowjob1,wowjob2 || :"), lambda left: not left, "no process of a job is left")
    with tally.case("the job that saves itself had time for it, and goes on from there"):
        deaf.remove()
        beta.run("systemctl", "start", "condor.service")
        said = saves.result()
        must(said.startswith("saved"), f"it began anew: {said}")
        must(namesake.poll() is None, "a person's program was ended for its name")
    namesake.kill()
    namesake.wait()
    pool.listed([machine.name for machine in pool.workers])
