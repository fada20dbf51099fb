"""beta's line to the world is thin, so its answer to a claim and its ads come in pieces over more than a second.

With HTCondor's own timeout of one second for each piece more than half of the claims are forgotten by the schedd and kept by the startd,
and the jobs wait: seen at 64 kbit/s with SCHEDD_TIMEOUT_MULTIPLIER unset in two of three claims. At that rate a fast machine's HTCondor and its
ads every few seconds alone can fill the line, with five seconds in the queue; so twice that."""

import probe
import sites
from network import inside
from shell import run as command
from tally import must

RATE = "128kbit"
CLAIMS = 4
LOST = {"alpha": ("SchedLog", "Response problem from startd when requesting claim"), "manager": ("CollectorLog", "by ClassAd (or timeout")}
"""What the logs of those who wait too short say, and where."""

ONE_JOB = """
rm -f thin.* && cat > thin.sub <<'END'
executable = /bin/hostname
transfer_executable = false
should_transfer_files = yes
transfer_output_files = ""
output = thin.out
log = thin.log
requirements = regexp("^beta", TARGET.Machine)
queue
END
condor_submit -terse thin.sub
"""


def run(tally, lab):
    """Jobs one after the other, each of which needs a claim of its own, behind a bottleneck in beta's router."""
    with tally.case(f"beta behind a line of {RATE}: {CLAIMS} claims, of which none is lost, and no ad either"):
        shaper = inside(sites.BETA.namespace, "tc", "qdisc")
        command(*shaper, "add", "dev", "wan0", "root", "tbf", "rate", RATE, "burst", "2000", "latency", "20s")
        try:
            alice = lab.login("alpha", "alice")
            for _ in range(CLAIMS):
                alice.run(ONE_JOB)
                probe.until(lambda: alice.run("cat thin.log").stdout, lambda log: "\n005 " in log, "pool", "the job does not end")
                must("beta" in alice.run("cat thin.out").stdout, "the output does not name beta")
        finally:
            command(*shaper, "delete", "dev", "wan0", "root")
        for name, (log, complaint) in LOST.items():
            found = probe.root(name, f"grep -F '{complaint}' /var/log/condor/{log} || true")
            must(not found, f"{log} of {name}:\n{found}")
