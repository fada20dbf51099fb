"""A machine that is shut down gives its jobs time for a checkpoint, and no more than it has."""

import time

from jobs import Job
from pool import ZONE
from tally import must
from waiting import until

SAVES = """[ ! -e kept ] || { cat kept; exit 0; }
trap 'echo saved at second $((seconds)) > kept; exit 1' TERM
seconds=0
while [ $seconds -lt 600 ]; do sleep 1 & wait $!; seconds=$((seconds + 1)); done"""
DEAF = "trap '' TERM; sleep 600 & wait; sleep 600"
KEEPS = "when_to_transfer_output = ON_EXIT_OR_EVICT\ntransfer_output_files = kept"
NAMESAKE = "cp /usr/bin/sleep condor_startd && exec ./condor_startd 3000"
"""A person's program that is called as HTCondor's: nobody's business."""
ALL = 33
"""Seconds that all of HTCondor may take to stop, deaf jobs included."""


def run(tally, pool):
    """Two jobs of alice on beta, of which one saves and one hears nothing; beta's HTCondor is stopped and started."""
    alpha, beta = pool.alpha, pool.beta
    namesake = beta.begin(["sh", "-c", f"cd ~bob && {NAMESAKE}"], "bob")
    until(lambda: beta.sh("pgrep -u bob condor_startd || :"), bool, "bob's program runs", 10)
    saves = Job(alpha, "alice", SAVES, on=f"beta.{ZONE}", more=KEEPS).started()
    deaf = Job(alpha, "alice", DEAF, on=f"beta.{ZONE}").started()
    with tally.case("HTCondor stops in half a minute though a job hears nothing"):
        begin = time.monotonic()
        beta.run("systemctl", "stop", "condor.service", timeout=90)
        took = time.monotonic() - begin
        print(f"     it took {took:.1f} s", flush=True)
        must(took < ALL, f"it took {took:.1f} s")
        until(lambda: beta.sh("pgrep -u wowjob1,wowjob2 || :"), lambda left: not left, "no process of a job is left", 10)
    with tally.case("the job that saves itself had time for it, and goes on from there"):
        deaf.remove()
        beta.run("systemctl", "start", "condor.service")
        said = saves.result(90)
        must(said.startswith("saved at second"), f"it began anew: {said}")
        must(namesake.poll() is None, "a person's program was ended for its name")
    namesake.kill()
    namesake.wait()
    pool.listed([machine.name for machine in pool.workers])
