"""What the manager tells of the pool: who had how many core hours, who gave them, figures for Prometheus; to whom it tells that; and a machine that lies."""

import json
import re
import time

import promtool
from jobs import Job
from looking import own_kb
from pool import OWNER, ZONE
from tally import must
from waiting import until

PORT = 9619
ROUND = 5
"""Seconds from one look at the collector to the next; outside of this test they are 60."""
SHORT = """mkdir -p /run/systemd/system/wow-pool.service.d
printf '[Service]\\nEnvironment=WOW_POOL_ROUND={round}\\n' > /run/systemd/system/wow-pool.service.d/round.conf
systemctl daemon-reload
systemctl restart wow-pool.service
"""
WORK = 45
"""Seconds that alice's job runs."""
LIED_FOR, LIED_CORES = "bob@alpha", 64
LIE = """MyType = "Machine"
Name = "slot1_77@beta.{zone}"
Machine = "beta.{zone}"
MyAddress = "<{address}:9618?sock=startd>"
State = "Claimed"
Activity = "Busy"
Cpus = {cores}
RemoteOwner = "{person}.{zone}"
WowOwner = "<b>\\"x\\nwow_pool_slots 7"
WowVersion = "1\\"}} 1"
"""
ASK = """
import socket, sys
with socket.create_connection((sys.argv[1], int(sys.argv[2])), 120) as link:
    link.sendall(("GET " + sys.argv[3] + " HTTP/1.1\\r\\n" + sys.argv[4] + "\\r\\n\\r\\n").encode())
    print(link.makefile().read())
"""
TRIES = """#!/usr/bin/python3
import socket
try:
    socket.create_connection(("manager.{zone}", {port}), 60)
    print("open")
except OSError as error:
    print(type(error).__name__)
"""
REFUSES = "/etc/condor/config.d/90-refuses.conf"
REFUSE = """printf 'START = $(START) && (TARGET.WowRefused =!= true || LastHeardFrom =!= undefined)\\n' > {file}
condor_reconfig
"""
"""In the collector an ad has LastHeardFrom, at its own machine it has not: so the machine is matched with such a job, and refuses it."""


def run(tally, pool):
    """alice's job on beta, beside which beta says that bob of alpha has sixty-four cores there."""
    alpha, beta, manager = pool.alpha, pool.beta, pool.manager
    manager.sh(SHORT.format(round=ROUND))
    secret = manager.run("wow", "history", "token").stdout.strip()
    with tally.case("figures and history are told to nobody without the token, on the manager's address alone"):
        until(lambda: get(alpha, manager, "/metrics", ""), lambda said: " 401 " in said[:20], "it answers")
        for page, shown in (("/metrics", "X: y"), ("/history", f"Authorization: Bearer {'0' * 64}")):
            said = get(alpha, manager, page, shown)
            must(" 401 " in said[:20] and "wow_pool" not in said and "person" not in said, said)
        must(f"{manager.address}:{PORT}" in manager.sh("ss -Hltn") and f"0.0.0.0:{PORT}" not in manager.sh("ss -Hltn"), "it listens elsewhere, too")
        must(manager.sh("stat -c '%U %a' /var/lib/wow/history").split() == ["root", "700"], "others read the file")
    with tally.case("a job does not reach them"):
        must(Job(alpha, "alice", TRIES.format(zone=ZONE, port=PORT), on=f"beta.{ZONE}").result().strip() == "ConnectionRefusedError", "it does")
    job = Job(alpha, "alice", f"sleep {WORK}", on=f"beta.{ZONE}", more='+ProjectName = "storm surge"').started()
    beta.sh("cat > /tmp/lie", text_in=LIE.format(zone=ZONE, address=beta.address, person=LIED_FOR, cores=LIED_CORES))
    held = Job(alpha, "bob", "sleep 600", on="nowhere")
    alpha.sh(f"condor_hold {held.number}", "bob")
    with tally.case("a real job gives its person, its project and its machine's owner its core seconds, once"):
        def lies():
            beta.sh("condor_advertise UPDATE_STARTD_AD /tmp/lie 2>&1; :")
            return metrics(alpha, manager, secret)['wow_pool_cores{state="Claimed"}']
        until(lies, lambda cores: cores >= LIED_CORES, "the lie is seen", pause=ROUND)
        until(lambda: (lies(), job.has("005")), lambda both: both[0] < LIED_CORES or both[1], "the job ends", pause=ROUND)
        must(lies() >= LIED_CORES, "the lie is not seen any more")
        # From the start of its shadow to its end. Both sides look every few seconds; that the sums are right to a look is shown in test/node.
        wall = float(alpha.sh(f"condor_history {job.number} -af RemoteWallClockTime"))
        told = until(lambda: history(alpha, secret), lambda told: seconds(told, "project", "storm surge") >= wall / 2, "the job's seconds are told", pause=2)[0]
        time.sleep(2 * ROUND)
        told = history(alpha, secret)
        print(f"     of {wall:.0f} s: {seconds(told, 'project', 'storm surge'):.0f} s", flush=True)
        must(wall >= WORK and seconds(told, "project", "storm surge") <= wall + 2 * ROUND, f"{told}")
        must([one["jobs"] for one in told["project"] if one["name"] == "storm surge"] == [1], f"{told}")
        must(min(seconds(told, "person", "alice@alpha"), seconds(told, "owner", OWNER)) >= wall / 2, f"{told}")
    with tally.case("a machine that says that it works for somebody whose queue says nothing counts nothing"):
        told = history(alpha, secret)
        must(LIED_FOR not in {one["name"] for one in told["person"]} and {one["name"] for one in told["owner"]} <= {OWNER, *pool.machines}, f"{told}")
        must(sum(one["core_hours"] for one in told["person"]) * 3600 < LIED_CORES * WORK / 4, f"{told}")
    with tally.case("there are figures for slots, jobs by person, matches, cycles, machines, held jobs by reason"):
        figures = until(lambda: metrics(alpha, manager, secret),
                        lambda found: found.get('wow_pool_held_jobs{reason="by a person"}') == 1 and time.time() - found["wow_pool_cycle_end_seconds"] < 60,
                        "the held job and a cycle of the last minute are told", pause=2)[0]
        must(figures['wow_pool_jobs{person="bob@alpha",state="held"}'] == 1 and figures["wow_pool_queues"] == len(pool.workers), f"{figures}")
        must(figures["wow_pool_matches_total"] >= 1, f"{figures}")
        must(sum(value for name, value in figures.items() if name.startswith('wow_pool_machines{version="0.1.0"')) >= len(pool.workers) - 1, f"{figures}")
        held.remove()
    with tally.case("claims that a machine refused after its match are counted, as the queue that asked tells"):
        beta.sh(REFUSE.format(file=REFUSES))
        refused = Job(alpha, "bob", "true", on=f"beta.{ZONE}", more="+WowRefused = true")
        figures = until(lambda: metrics(alpha, manager, secret), lambda found: found["wow_pool_refused_claims_total"] >= 1, "a refused claim is told", pause=2)[0]
        must(not refused.has("001") and "Request was NOT accepted for claim" in alpha.sh("cat /var/log/condor/SchedLog*"), f"it was not refused: {figures}")
        refused.remove()
        beta.sh(f"rm {REFUSES}; condor_reconfig")
    with tally.case("Prometheus' own parser has nothing against the figures"):
        page = get(alpha, manager, "/metrics", f"Authorization: Bearer {secret}").partition("\n\n")[2].rstrip("\n") + "\n"
        must("wow_pool_slots{" in page and not (said := promtool.complaints(page)), said if "wow_pool_slots{" in page else page)
    with tally.case("killed at any moment it comes back and knows what it knew"):
        before = history(alpha, secret)
        for _ in range(3):
            manager.sh("systemctl kill -s KILL wow-pool.service")
            until(lambda: manager.sh("systemctl is-active wow-pool; :").strip(), lambda said: said == "active", "it is back")
        after = until(lambda: history(alpha, secret, check=False), bool, "it answers")[0]
        must(seconds(after, "project", "storm surge") >= seconds(before, "project", "storm surge") > 0, f"{before}, {after}")
    with tally.case("it is small"):
        own = own_kb(manager, "wow-pool.service")
        print(f"     {own / 1000:.1f} MB of its own", flush=True)
        must(own < 16_000, f"{own} kB")


def get(machine, manager, page, shown):
    """The whole answer to somebody of a machine, who shows a line of a head."""
    return machine.run("runuser", "-u", "alice", "--", "python3", "-c", ASK, manager.address, str(PORT), page, shown or "X: y").stdout


def metrics(machine, manager, secret):
    """{series: value}; each line must be of Prometheus' format."""
    found = {}
    for line in get(machine, manager, "/metrics", f"Authorization: Bearer {secret}").partition("\n\n")[2].splitlines():
        match = re.fullmatch(r'(wow_pool_[a-z_]+(?:\{(?:[a-z]+="[^"\\\n]*",?)+\})?) ([0-9.e+-]+)', line)
        must(match or line.startswith("# ") or not line, f"no line of the format: {line}")
        if match:
            found[match[1]] = float(match[2])
    return found


def history(machine, secret, check=True):
    """What `wow history` tells alice of a machine, who has the token."""
    said = machine.sh("wow history --json --token -", "alice", text_in=secret + "\n", check=check)
    return json.loads(said) if said.startswith("{") else None


def seconds(told, kind, name):
    """Core seconds of a name."""
    return sum(one["core_hours"] * 3600 for one in told[kind] if one["name"] == name)
