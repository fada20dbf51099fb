"""The scientist's job: the tutorial module's, submitted five times by alice on alpha, kept off alpha itself."""

import json
import time

import steal
from shell import LabError

TUTORIAL = "/usr/share/wow/tutorial"
"""Where the module puts the sample job (modules/tutorial)."""

COUNT = 5
LOOK = 20
"""Seconds that a look at the jobs' log waits for their end in the guest."""

SUBMIT = """
set -eu
rm -rf tutorial && cp -r {source} tutorial && cd tutorial
condor_submit -terse -append 'requirements = (TARGET.Machine != "'"$(condor_config_val FULL_HOSTNAME)"'")' tutorial.sub
"""


def submit(alice):
    """Submits the jobs and returns the cluster's number."""
    said = alice.run(SUBMIT.format(source=TUTORIAL)).stdout.strip()
    try:
        first, last = said.split(" - ")
        cluster = int(first.split(".")[0])
        count = int(last.split(".")[1]) + 1
    except ValueError:
        raise LabError(f"condor_submit said: {said}", "alpha", "jobs") from None
    if count != COUNT:
        raise LabError(f"tutorial.sub queues {count} jobs, wanted {COUNT}", "alpha", "jobs")
    return cluster


def wait(alice, cluster, timeout):
    """Waits until all jobs of the cluster are done; if they are not in time, says why they wait."""
    limit = steal.now() + timeout
    while alice.run(f"condor_wait -wait {LOOK} tutorial/tutorial.log {cluster}", check=False).returncode != 0:
        if steal.now() < limit:
            continue
        why = alice.run(f"condor_q -nobatch {cluster}; condor_q -better-analyze {cluster}.0 | tail -n 20", check=False).stdout
        raise LabError(f"the jobs are not done after {timeout:.0f} s:\n{why}", "alpha", "jobs")


def results(alice, cluster, patience=20):
    """The finished jobs: [{job, host, output, ...}], each with the machine that HTCondor says did the work."""
    attributes = "ProcId LastRemoteHost QDate JobCurrentStartDate CompletionDate ExitCode"
    limit = steal.now() + patience
    while True:
        ads = json.loads(alice.run(f"condor_history {cluster} -json -attributes {attributes.replace(' ', ',')}").stdout or "[]")
        if len(ads) == COUNT or steal.now() > limit:
            break
        time.sleep(1)
    if len(ads) != COUNT:
        raise LabError(f"condor_history knows {len(ads)} of {COUNT} jobs", "alpha", "jobs")
    return [_result(alice, ad) for ad in sorted(ads, key=lambda ad: ad["ProcId"])]


def _result(alice, ad):
    number = ad["ProcId"]
    return {
        "job": number,
        "host": ad["LastRemoteHost"].split("@")[-1].split(".")[0],
        "exit": ad.get("ExitCode"),
        "submitted": ad["QDate"],
        "started": ad["JobCurrentStartDate"],
        "completed": ad["CompletionDate"],
        "output": alice.run(f"cat tutorial/tutorial.{number}.out").stdout,
    }


def check(jobs, not_on):
    """Complaints about the results, empty if all is well: every job ended with 0, elsewhere, and its output names its machine."""
    wrong = []
    for job in jobs:
        if job["exit"] != 0:
            wrong.append(f"job {job['job']} ended with {job['exit']}")
        if job["host"] == not_on:
            wrong.append(f"job {job['job']} ran on {not_on}, which its requirements forbid")
        if job["host"] not in job["output"]:
            wrong.append(f"job {job['job']}: its output does not name {job['host']}, the machine that did the work")
    return wrong
