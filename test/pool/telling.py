"""What a machine tells the pool of itself, how much that costs, and what it keeps of HTCondor's words."""

import json
import re

import layers
from pool import OWNER, ZONE
from tally import must
from waiting import until

GOAL = 100
"""Bytes a second from an idle machine of a large pool to its manager."""
QUICK, ROUNDS, LONGEST = 5, 5, 300
COUNTER = "add table inet told; add chain inet told out { type filter hook output priority 300; }; add rule inet told out oifname wow0 tcp dport 9618 counter"


def run(tally, pool):
    """alpha's ad."""
    alpha = pool.alpha
    with tally.case("a machine's ad says its version, layers, owner, NAT, start and path to the manager, each as it is"):
        alpha.run("/usr/bin/python3", "-I", "-S", "/usr/lib/wow/node/main.py", "pace")
        until(lambda: wrong(told(pool, "alpha"), alpha), lambda found: not found, "alpha's ad tells what is so; {attribute: (what it says, what is so)}")
    with tally.case("the queue's ad, which is the last one as HTCondor ends there, says whose the machine is, too"):
        until(lambda: pool.manager.run("condor_status", "-schedd", f"alpha.{ZONE}", "-af", "WowOwner").stdout.strip(), lambda said: said == OWNER, "alpha's queue says so")
    with tally.case("no machine offers to fetch files of the world, which its fence forbids"):
        must(set(pool.ads("-startd", "HasFileTransferPluginMethods")) == {"undefined"}, "some do")
    with tally.case("what HTCondor keeps of its logs is bounded"):
        bounds = alpha.run("condor_config_val", "-dump", "MAX_DEFAULT_LOG", "MAX_NUM_DEFAULT_LOG").stdout
        must("256 Kb" in bounds, bounds)
    with tally.case(f"an idle machine of a large pool sends its manager no more than {GOAL} bytes a second"):
        # All its ads, sent every QUICK seconds, are counted, ROUNDS or more times; in a large pool they are sent every LONGEST.
        alpha.sh(f"sed -i 's/^\\([A-Z_]*INTERVAL\\) = .*/\\1 = {QUICK}/' /run/wow/condor-pace.conf; condor_reconfig > /dev/null")
        alpha.run("nft", COUNTER)
        begun = sent(pool)
        rounds = until(lambda: sent(pool) - begun, lambda count: count >= ROUNDS, "alpha tells of itself", pause=1.0)[0]
        counted = int(alpha.run("nft", "list", "chain", "inet", "told", "out").stdout.split("bytes ")[1].split()[0])
        a_second = counted / rounds / LONGEST
        print(f"     {counted / rounds / 1000:.1f} kB for all its ads, {a_second:.0f} B/s", flush=True)
        alpha.run("nft", "delete", "table", "inet", "told")
        alpha.run("/usr/bin/python3", "-I", "-S", "/usr/lib/wow/node/main.py", "pace")
        must(0 < a_second <= GOAL, f"it sends {a_second:.0f} B/s")


def sent(pool):
    """How many ads of its slots alpha has sent since its startd began, as it counts them."""
    return int(pool.manager.run("condor_status", f"slot1@alpha.{ZONE}", "-af", "UpdateSequenceNumber").stdout)


def told(pool, name):
    """What of WOW the manager has in the ad of a machine: {attribute: value}."""
    said = json.loads(pool.manager.run("condor_status", f"slot1@{name}.{ZONE}", "-json").stdout or "[{}]")
    return {attribute: value for attribute, value in said[0].items() if attribute.startswith("Wow")}


def wrong(ad, machine):
    """What an ad says that is not so of its machine: {attribute: (what it says, what is so)}."""
    so = {"WowVersion": re.search('VERSION = "(.+)"', (layers.NODE / "lib/version.py").read_text(encoding="utf-8"))[1],
          "WowStack": ".".join(line.split()[4][:8] for line in layers.stack().splitlines() if not line.startswith("#")),
          "WowModules": ",".join(line.split()[1] for line in layers.stack().splitlines() if line.startswith("module ")) or None,
          "WowOwner": OWNER, "WowNat": machine.ask("status")["nat"]["kind"], "WowPathToManager": "direct",
          "WowBoot": int(re.search(r"^btime (\d+)$", machine.run("cat", "/proc/stat").stdout, re.MULTILINE)[1])}
    # The kernel works the moment of its start out of the clock, which moves a little.
    same = {name: isinstance(ad.get(name), int) and abs(ad[name] - value) <= 2 if name == "WowBoot" else ad.get(name) == value for name, value in so.items()}
    return {name: (ad.get(name), value) for name, value in so.items() if not same[name]}
