"""beta's line is cut for 700 s while it runs jobs of alpha's: its router drops what comes and goes, and all cards keep their carrier. Half of the jobs end meanwhile.
None is lost, none begins anew, and beta comes back as who it was."""

import time

import probe
import sites
import steal
from network import inside
from shell import run as command
from tally import must

CUT = 700.0
"""Seconds."""
JOBS = 4
BEGINS, AFTER = 60, 60
"""Seconds that all jobs may take to begin, and that the longer ones go on after the cut."""
HEALS = 400.0
"""Seconds after the cut within which TCP tries again and all output is there: it waits up to two minutes from one try to the next (RFC 6298)."""
RULES = """table inet cut {
  chain in { type filter hook prerouting priority raw; iifname "wan0" counter drop; }
  chain out { type filter hook postrouting priority raw; oifname "wan0" counter drop; }
}
"""
OWN = "/etc/condor/config.d/90-severed.conf"
OFFER = f"printf 'NUM_CPUS = {JOBS}\\n' > {OWN} && condor_restart -startd"
OFFER_OWN = f"rm -f {OWN} && condor_restart -startd"
SUBMIT = """rm -f severed.* && cat > severed.sub <<'END'
executable = /bin/sh
arguments = "-c 'sleep $(seconds); echo slept $(seconds)'"
output = severed.$(Process).out
log = severed.log
should_transfer_files = yes
transfer_executable = false
request_memory = 32
requirements = regexp("^beta", TARGET.Machine)
queue seconds in (%s)
END
condor_submit -terse severed.sub
"""
ANEW = ("004", "007", "009", "012", "024")
"""Events of a job's log: evicted, its shadow failed, removed, held, not reconnected. 001 says that it runs and 005 that it ended."""


def run(tally, lab):
    """The pool of the story."""
    alice = lab.login("alpha", "alice")
    # A shell that sleeps takes next to nothing: beta may run more of them than it has processors.
    probe.root("beta", OFFER)
    try:
        tell(tally, alice)
    finally:
        probe.root("beta", OFFER_OWN)


def tell(tally, alice):
    """All of it, in this order."""
    lengths = [BEGINS + int(CUT // 2 if number % 2 else CUT + AFTER) for number in range(JOBS)]
    with tally.case(f"{JOBS} jobs of alice on alpha run on beta at once"):
        probe.until(lambda: alice.run("condor_status -af Machine TotalCpus", check=False).stdout.splitlines(),
                    lambda found: any(line.startswith("beta") and float(line.split()[1]) == JOBS for line in found), "pool", "beta does not offer its slots")
        alice.run(SUBMIT % " ".join(map(str, lengths)))
        probe.until(lambda: count(alice, "001"), lambda running: running == JOBS, "pool", "not all of them start")
    if count(alice, "001") != JOBS:
        return
    before = probe.joined_status("beta")
    with tally.case(f"beta is cut off for {CUT:.0f} s: all jobs end, none is lost and none begins anew"):
        must(not count(alice, "005"), "the first has ended already")
        sever(CUT)
        since = time.monotonic()
        ended = ends(alice, AFTER + BEGINS + HEALS)
        print(f"     {ended} of {JOBS} had ended {time.monotonic() - since:.1f} s after the cut", flush=True)
        said = log(alice)
        must(ended == JOBS, f"{ended} ended:\n{said}")
        must(count(alice, "001") == JOBS and not any(count(alice, event) for event in ANEW), f"one began anew:\n{said}")
        for number, length in enumerate(lengths):
            output = alice.run(f"cat severed.{number}.out").stdout.strip()
            must(output == f"slept {length}", f"job {number} says {output!r}")
    with tally.case("beta has the address and the certificate that it had, and its ipopd ran all the time"):
        after = probe.joined_status("beta")
        must((after["address"], after["certificate"]["serial"]) == (before["address"], before["certificate"]["serial"]), f"it was {before}, it is {after}")
        must(after["uptime_s"] > CUT, "ipopd was started anew")


def log(alice):
    """The jobs' log; each event begins a line with its number."""
    return "\n" + alice.run("cat severed.log").stdout


def count(alice, event):
    """How many events of a kind the log has."""
    return log(alice).count(f"\n{event} ")


def sever(seconds):
    """Cuts beta's line for so long. AssertionError where nothing was dropped on it."""
    nft = inside(sites.BETA.namespace, "nft")
    command(*nft, "-f", "-", text=RULES)
    try:
        time.sleep(seconds)
        said = command(*nft, "list", "table", "inet", "cut").stdout
        lost = [int(line.split("packets ")[1].split()[0]) for line in said.splitlines() if "packets " in line]
        must(len(lost) == 2 and all(lost), f"the cut dropped {lost} packets: it was none")
    finally:
        command(*nft, "delete", "table", "inet", "cut")


def ends(alice, within):
    """How many jobs have ended once all have, or after so many seconds."""
    limit = steal.now() + within
    while (ended := count(alice, "005")) < JOBS and steal.now() < limit:
        time.sleep(1)
    return ended
