"""The story that `make wow` tells: a pool comes up by itself and a stranger's machine does a scientist's work."""

import json
import os
import time

import direct
import job
import memory
import patience
import proof
import steal
from shell import LabError

TAP_CAPTURE = "/var/lib/wow/capture/wow0.pcap"
WORKERS = ("alpha", "beta")
EVERY = ("manager", *WORKERS)


def start_pool(lab):
    """Switches three machines on and waits until each says that it is in the pool."""
    lab.power_on(*EVERY)
    for step in ("ring", "address", "certificate", "pool", "ready"):
        lab.wait(step, *EVERY)


def pool_table(lab):
    """The pool's table once both workers' slots are in it."""
    limit = steal.now() + patience.seconds("table")
    alice = lab.login("alpha", "alice")
    alice.wait(patience.seconds("login"))
    while True:
        begin = time.monotonic()
        shown = alice.run("condor_status", check=False)
        if all(name in shown.stdout for name in WORKERS):
            return shown.stdout.rstrip()
        if steal.now() > limit:
            raise LabError(f"condor_status on alpha does not show {' and '.join(WORKERS)}:\n{shown.stdout}{shown.stderr}", "manager", "pool")
        time.sleep(patience.pause(time.monotonic() - begin))


def run_jobs(lab):
    """Alice's five jobs: submitted, done, fetched, checked."""
    alice = lab.login("alpha", "alice")
    begin = time.time()
    cluster = job.submit(alice)
    lab.say(f"alice on alpha submitted {job.COUNT} jobs (cluster {cluster}) that may not run on alpha")
    job.wait(alice, cluster, patience.seconds("jobs"))
    finished = time.time()
    jobs = job.results(alice, cluster)
    lab.say(f"all {job.COUNT} jobs done")
    wrong = job.check(jobs, not_on="alpha")
    if wrong:
        raise LabError("; ".join(wrong), "alpha", "jobs")
    ahead = clock_offset(lab, "alpha")
    lab.timeline.note("alpha", "match", min(found["started"] for found in jobs) - ahead)
    lab.timeline.note("alpha", "jobs", max(found["completed"] for found in jobs) - ahead)
    return jobs, finished - begin


def clock_offset(lab, name):
    """Seconds by which a machine's clock is ahead of ours; as exact as a login's round trip is short."""
    login = lab.login(name)
    login.run("true")
    before = time.time()
    there = float(login.run("date +%s.%N").stdout)
    return there - (before + time.time()) / 2


def guest_memory(lab):
    """MiB in use in each machine."""
    return {name: memory.used_mib(lab.login(name).run("cat /proc/meminfo").stdout) for name in EVERY}


def peers(lab):
    """What ipopd on alpha says of its peers, by host name."""
    said = lab.login("alpha", "alice").run("wow peers --json").stdout
    return {peer["host"] or peer["address"] or peer["node"]: peer for peer in json.loads(said)}


def ports(lab):
    """{address of its card: UDP port of the overlay} of all machines, as ipopd says."""
    return {lab.vms[name].machine.address: json.loads(lab.login(name).run("wow status --json").stdout)["udp"]["port"] for name in EVERY}


def direct_path(lab, overlay):
    """Seconds until alpha and beta, both up, talked straight through both NATs; LabError if they do not. overlay: what ports() says.

    Up means certified: before that a machine is a leaf, which has no business with other leaves.
    """
    path = peers(lab).get("beta", {}).get("path")
    if path != "direct":
        raise LabError(f"alpha's path to beta is {path or 'unknown'}, not direct", "alpha", "direct path")
    machines = [lab.vms[name].machine for name in WORKERS]
    pairs = [(lab.file(machine.name, "wan.pcap"), machine) for machine in machines]
    moment = direct.both_ways(*pairs, overlay)
    if moment is None:
        raise LabError("no datagram came straight from the other's NAT", "alpha", "direct path")
    both_up = max(lab.moment(name, "certificate") for name in WORKERS)
    return round(max(0.0, moment - both_up), 1)


def captures(lab, overlay):
    """Fetches the taps' captures, ends the recorders, judges all; LabError if anything is in them that should not be. overlay: what ports() says."""
    verdicts = {}
    for name in EVERY:
        path = lab.file(name, "tap.pcap")
        lab.login(name).fetch(TAP_CAPTURE, path)
        ahead = clock_offset(lab, name)
        verdicts[name + "-tap"] = verdict = proof.tap(lab, WORKERS, "manager", path, ahead)
        if "ESP" in verdict.first:
            lab.timeline.note(name, "esp", verdict.first["ESP"] - ahead)
    lab.stop_recording()
    for name in EVERY:
        verdicts[name + "-wan"] = proof.wan(lab.vms[name].machine, lab.file(name, "wan.pcap"), overlay)
    return verdicts


def sealed(verdicts):
    """LabError if a capture holds what it must not, or not what it must."""
    needed = {name + "-tap": ("ARP", "DHCP", "IKE", "ESP", "enrolment", "possession") for name in WORKERS}
    needed.update({name + "-wan": ("DHCP", "overlay") for name in EVERY})
    wrong = proof.complaints(verdicts, needed)
    if wrong:
        raise LabError("the wire was not sealed: " + "\n".join(wrong), wrong[0].split("-")[0], "capture")


def write(folder, name, what):
    """Writes an object as JSON into the folder; returns the path."""
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(what, file, indent=2)
        file.write("\n")
    return path
