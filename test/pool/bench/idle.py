"""What an idle machine and the manager send each other over the overlay, by the kernel's counters on the tap, at the pace that machines of a pool of a thousand
have (wow-pace). HTCondor's daemons are real ones; nobody submits anything meanwhile."""

import time

MACHINES, SLOTS = 1000, 1
"""The pool whose pace it is."""
INTERVALS, LONGEST = 2, 300
"""So many intervals are counted, each of so many seconds: every ad comes once in each."""
SETTLES = 60.0
"""Seconds after the change of pace, which has all daemons tell of themselves at once."""
PACE = """import sys
sys.path.insert(0, "/usr/lib/wow/node")
from wow.condor import pace
from wow.config import facts
from wow.lib import control, files
pace.write(pace.machine_ad(facts.read(), control.status(), control.peers()), {slots})
print(pace.kept(files.read(pace.FILE)))
"""
OUT, IN = "out", "in"
COUNTERS = """table inet idle {{
  chain out {{ type filter hook output priority 300; oifname "wow0" ip daddr {manager} counter; }}
  chain in {{ type filter hook prerouting priority -300; iifname "wow0" ip saddr {manager} counter; }}
}}
"""


def measure(pool, asked):
    """{seconds: counted, interval: of the pace, sends, hears: bytes a second, packets: a minute, both ways}; None each where so long was not waited."""
    if asked.short:
        return {"seconds": 0, "interval": None, "sends": None, "hears": None, "packets": None}
    alpha = pool.alpha
    alpha.run("systemctl", "stop", "wow-pace.timer")
    interval = int(alpha.run("python3", "-I", "-S", "-c", PACE.format(slots=MACHINES * SLOTS)).stdout)
    alpha.run("condor_reconfig")
    time.sleep(SETTLES)
    alpha.run("nft", "-f", "-", text_in=COUNTERS.format(manager=pool.manager.address))
    begun = time.monotonic()
    time.sleep(INTERVALS * LONGEST)
    counted, took = {chain: counter(alpha, chain) for chain in (OUT, IN)}, time.monotonic() - begun
    alpha.run("nft", "delete", "table", "inet", "idle")
    alpha.run("systemctl", "start", "wow-pace.timer", "wow-pace.service")
    return {"seconds": round(took), "interval": interval, "sends": round(counted[OUT][1] / took, 1), "hears": round(counted[IN][1] / took, 1),
            "packets": round(60 * (counted[OUT][0] + counted[IN][0]) / took, 1)}


def counter(machine, chain):
    """(packets, bytes) that a chain has counted, with their IP headers."""
    words = machine.run("nft", "list", "chain", "inet", "idle", chain).stdout.split()
    return tuple(int(words[words.index(word) + 1]) for word in ("packets", "bytes"))
