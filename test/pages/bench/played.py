"""What is measured, on the stage's machines: a machine's own page, and the pool's in a pool that is played in."""

import json
import random
import re
import time

import hostile
import pools
from tally import must
from volunteers import begin
from waiting import until

MACHINES, PARTS, QUEUES, PEOPLE = 1000, 10, 200, 5
"""Machines, jobs on each, queues, which stand on every fifth of them, and people of each."""
STATUS = """#!/bin/sh
exec cat /run/played/ads
"""
RENEWED = 11
"""Seconds after which a view has another snapshot made."""


def node(house, modules, rounds):
    """beta's page: the program is there, or is started by who asks."""
    del modules
    asleep, awake = [], []
    for _ in range(rounds):
        house.beta.sh("systemctl stop wow-web.service")
        processes = house.beta.sh("pgrep -c -u wow-web; :").strip()
        asleep.append(round(hostile.first_byte(house), 4))
        awake.append(round(hostile.first_byte(house), 4))
    return {"asleep": asleep, "awake": awake, "processes": int(processes)}


def pool(house, modules, rounds):
    """The pool's page on the manager."""
    manager = house.manager
    until(lambda: manager.sh("systemctl is-active wow-pool.service; :").strip(), lambda said: said == "active", "wow-pool runs")
    before = resident(manager, "wow-pool")["now"]
    # Not in /tmp, for wow-pool has one of its own.
    manager.sh("mkdir /run/played && cat > /run/played/ads", text_in=ads())
    # What systemd and HTCondor's own programs ask each other goes past this.
    manager.sh("cat > /run/played/status && chmod 755 /run/played/status && mount --bind /run/played/status /usr/bin/condor_status", text_in=STATUS)
    manager.sh("systemctl restart wow-pool.service")
    until(lambda: manager.run("ss", "-Hlx", "src", pools.SOCKET).stdout, lambda said: pools.SOCKET in said, "wow-pool listens", 30)
    guest = pools.logged_in(house)
    text = guest.ask("/pool/machines")[2]
    must(f"1 to 50 of {MACHINES}." in text, re.sub("<[^>]*>", " ", text)[:3000])
    snapshots = []
    for _ in range(max(2, rounds // 3)):
        began, last = spent(manager, "wow-pool"), pools.stamp(manager)
        time.sleep(RENEWED)
        guest.ask("/pool/machines")
        until(lambda last=last: pools.stamp(manager), lambda tried, last=last: tried > last, "another snapshot is made", 30)
        snapshots.append(round(spent(manager, "wow-pool") - began, 3))
    files = sum(len(guest.ask(f"/{name}")[2].encode()) for name in ("page.css", "page.js", "icon.svg", "world.svg"))
    view, size = {}, {}
    for path in pools.PATHS:
        began = spent(manager, "wow-web")
        for _ in range(2 * rounds):
            status, _, text = guest.ask(path)
            must(status == 200, path)
        view[path] = round((spent(manager, "wow-web") - began) / (2 * rounds) * 1000, 2)
        size[path] = round((len(text.encode()) + files) / 1000, 1)
    first, again = looks(house, modules, rounds)
    web = resident(manager, "wow-web")
    return {"view_ms": view, "kb": size, "memory": web, "first": first, "again": again, "snapshot": snapshots,
            "wow_pool": {"before": before, "most": resident(manager, "wow-pool")["most"]}}


def looks(house, modules, rounds):
    """{page: seconds until a browser has loaded it} of one that comes for the first time, and when it loads it again."""
    first, again = {path: [] for path in pools.PATHS}, {path: [] for path in pools.PATHS}
    page = begin(house, modules)
    for _ in range(max(2, rounds // 3)):
        for path in pools.PATHS:
            page.begin()
            pools.enter(page, house)
            for kept in (first, again):
                kept[path].append(round(page.timed(url=f"{pools.PAGE.rstrip('/')}{path}") / 1000, 3))
    page.close()
    return first, again


def ads():
    """What condor_status prints of such a pool."""
    chance, now, found = random.Random(1), int(time.time()), []
    for number in range(MACHINES):
        machine = {"MyType": "Machine", "Machine": f"machine{number}.pool.internal", "WowOwner": f"Owner {number % 300} of lab {number % 30}", "WowVersion": "0.1.0",
                   "WowPathToManager": chance.choice(("direct", "direct", "relay", "ring")), "WowPlace": f"{chance.randrange(-60, 80)} {chance.randrange(-179, 181)}",
                   "DaemonStartTime": now - chance.randrange(10 ** 6)}
        found.append({**machine, "Name": f"slot1@machine{number}.pool.internal", "State": "Unclaimed", "Activity": "Idle", "Cpus": 2, "PartitionableSlot": True,
                      "SlotType": "Partitionable", "TotalSlotCpus": PARTS + 2, "TotalSlotMemory": 16000, "TotalSlotDisk": 10 ** 8, "Memory": 2000, "Disk": 10 ** 6})
        found += [{**machine, "Name": f"slot1_{part}@machine{number}.pool.internal", "State": "Claimed", "Activity": "Busy", "Cpus": 1, "SlotType": "Dynamic", "Memory": 1000,
                   "Disk": 10 ** 6, "RemoteOwner": f"person{part % PEOPLE}@machine{number % QUEUES * 5}.pool.internal"} for part in range(PARTS)]
    each = MACHINES * PARTS // QUEUES // PEOPLE
    for number in range(QUEUES):
        jobs = ";".join(f"person{person}|project {number % 40}|{each}|{chance.randrange(30)}|{chance.randrange(3)}" for person in range(PEOPLE))
        found.append({"MyType": "Scheduler", "Machine": f"machine{number * 5}.pool.internal", "WowJobs": jobs, "WowHeld": "1:3,34:2", "WowRefused": 0, "DaemonStartTime": now - 1000,
                      "WowOldest": f"{number}.0|person0|project {number % 40}|{now - chance.randrange(10 ** 5)}|16|1000|1000|no match found", "WowRuns": f"{now}"})
        found += [{"MyType": "Submitter", "Name": f"person{person}@machine{number * 5}.pool.internal", "IdleJobs": 15, "RunningJobs": each, "HeldJobs": 1} for person in range(PEOPLE)]
    found.append({"MyType": "Negotiator", "LastNegotiationCycleEnd0": now, "LastNegotiationCycleDuration0": 1, "LastNegotiationCycleMatches0": 3})
    return "[\n" + "\n,\n".join(json.dumps(ad, indent=2) for ad in found) + "\n]\n"


def spent(machine, name):
    """Seconds of a processor that a program has taken, without what it started."""
    ticks = machine.sh(f"cut -d ' ' -f 14,15 /proc/$(systemctl show -P MainPID {name}.service)/stat").split()
    return sum(map(int, ticks)) / 100


def resident(machine, name):
    """Megabytes of a program: in all now, by shares, and the most in all that it had."""
    said = machine.sh(f"pid=$(systemctl show -P MainPID {name}.service); awk '/^(Rss|Pss):/ {{ sum[$1] = $2 }} END {{ print sum[\"Rss:\"], sum[\"Pss:\"] }}' "
                      "/proc/$pid/smaps_rollup; awk '/^VmHWM/ { print $2 }' /proc/$pid/status").split()
    now, pss, most = (round(int(number) / 1000, 1) for number in said)
    return {"now": now, "pss": pss, "most": most}
