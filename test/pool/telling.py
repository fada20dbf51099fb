"""What a machine tells the pool of itself, how much that costs, and what it keeps of HTCondor's words."""

import time

from pool import ZONE
from tally import must
from waiting import until

GOAL = 100
"""Bytes a second from an idle machine of a large pool to its manager."""
QUICK, ROUNDS, LONGEST = 5, 5, 300
COUNTER = "add table inet told; add chain inet told out { type filter hook output priority 300; }; add rule inet told out oifname wow0 tcp dport 9618 counter"


def run(tally, pool):
    """alpha's ad."""
    alpha = pool.alpha
    with tally.case("a machine's ad says which WOW it runs, whose it is, when it started, and how it gets to the manager"):
        said = pool.manager.run("condor_status", f"slot1@alpha.{ZONE}", "-af", "WowVersion", "WowOwner", "WowBoot", "WowPathToManager", "WowNat").stdout.strip()
        found = said.split()
        must(found[:3] == ["0.1.0", "Ada", "of"] and "undefined" not in found[:5], said)
        alpha.run("/usr/bin/python3", "-I", "-S", "/usr/lib/wow/node/main.py", "pace")
        until(lambda: pool.manager.run("condor_status", f"slot1@alpha.{ZONE}", "-af", "WowPathToManager").stdout.strip(), lambda path: path == "direct",
              "the ad says that the path is direct", 60)
    with tally.case("no machine offers to fetch files of the world, which its fence forbids"):
        must(set(pool.ads("-startd", "HasFileTransferPluginMethods")) == {"undefined"}, "some do")
    with tally.case("what HTCondor keeps of its logs is bounded"):
        bounds = alpha.run("condor_config_val", "-dump", "MAX_DEFAULT_LOG", "MAX_NUM_DEFAULT_LOG").stdout
        must("256 Kb" in bounds, bounds)
    with tally.case(f"an idle machine of a large pool sends its manager no more than {GOAL} bytes a second"):
        # All its ads, sent every QUICK seconds, are counted; in a large pool they are sent every LONGEST.
        alpha.sh(f"sed -i 's/^\\([A-Z_]*INTERVAL\\) = .*/\\1 = {QUICK}/' /run/wow/condor-pace.conf; condor_reconfig > /dev/null")
        alpha.run("nft", COUNTER)
        time.sleep(ROUNDS * QUICK)
        counted = alpha.run("nft", "list", "chain", "inet", "told", "out").stdout.split("bytes ")[1].split()[0]
        a_second = int(counted) / ROUNDS / LONGEST
        print(f"     {int(counted) / ROUNDS / 1000:.1f} kB for all its ads, {a_second:.0f} B/s", flush=True)
        alpha.run("nft", "delete", "table", "inet", "told")
        alpha.run("/usr/bin/python3", "-I", "-S", "/usr/lib/wow/node/main.py", "pace")
        must(0 < a_second <= GOAL, f"it sends {a_second:.0f} B/s")
