"""What its owner lends of a machine, by the image's own kernel: a share of the processor holds at once for what stands where HTCondor has its jobs. That HTCondor
goes by the other limits is tried in test/pool, on kernels that may count no processor time by control groups."""

from checks import expect, note
from firmware import SECURE

SECONDS = 3
"""Thirty of the periods of 100 ms in which the kernel grants a share: what one of them has too much or too little is two percent of a processor."""
GROUP = "/sys/fs/cgroup/system.slice/condor.service/htcondor"
BEGIN = f"""mkdir -p {GROUP}/burns
for above in /sys/fs/cgroup /sys/fs/cgroup/system.slice {GROUP.rpartition("/")[0]}; do echo +cpu > $above/cgroup.subtree_control; done
sh -c 'echo $$ > {GROUP}/burns/cgroup.procs; while :; do :; done' < /dev/null > /dev/null 2>&1 &"""
END = f"echo 1 > {GROUP}/burns/cgroup.kill"
"""What burns processor time, in control groups as HTCondor makes them, and its end."""
BURNT = f"""used() {{ awk '/^usage_usec/ {{print $2}}' {GROUP}/burns/cpu.stat; }}
hundredths() {{ cut -d " " -f 1 /proc/uptime | tr -d .; }}
sleep 1; before=$(used); begin=$(hundredths); sleep {SECONDS}; echo $((($(used) - before) / 100 / ($(hundredths) - begin)))"""
"""Percent of a processor that it uses, by the kernel's own count and clock."""
LIMIT = "runuser -u alice -- wow limit"
MUCH, TRIES = 65, 20
"""Percent that it has where nothing keeps it off, once the machine has started; so often that is looked for."""


def quiet(machine):
    """What it uses in a moment in which the machine does little else; at most what it ever used."""
    most = 0
    for _ in range(TRIES):
        most = max(most, int(machine.ask(BURNT)))
        if most > MUCH:
            break
    return most


@SECURE.long_check
def a_share_of_the_processor_holds_at_once_for_what_runs_and_is_given_back_at_once(machine):
    machine.ask(BEGIN)
    try:
        whole = quiet(machine)
        said = machine.ask(f"{LIMIT} set percent 50")
        half = int(machine.ask(BURNT))
        machine.ask(f"{LIMIT} set percent 20%")
        fifth = int(machine.ask(BURNT))
        machine.ask(f"{LIMIT} clear")
        again = quiet(machine)
        note(f"{whole} % of a processor without a limit, {half} % with 50, {fifth} % with 20, {again} % without again")
        expect("50 % of one processor" in said and "does not hold" not in said and "when the next job begins" not in said, said)
        expect(whole > MUCH and 0 < half < 56 and 0 < fifth < 26 and again > MUCH, f"{whole}, {half}, {fifth}, {again}")
        expect(machine.ask(f"cat {GROUP}/cpu.max") == "max 100000", "the limit is left")
    finally:
        machine.ask(END)
