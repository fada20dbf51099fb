"""What its owner lends of a machine, by the image's own kernel: a share of the processor holds at once for what stands where HTCondor has its jobs. That HTCondor
goes by the other limits is tried in test/pool, on kernels that may count no processor time by control groups."""

from checks import expect, note
from firmware import SECURE

SECONDS = 3
"""Between two looks: thirty of the periods of 100 ms in which the kernel grants a share."""
GROUP = "/sys/fs/cgroup/system.slice/condor.service/htcondor"
BEGIN = f"""mkdir -p {GROUP}/burns
for above in /sys/fs/cgroup /sys/fs/cgroup/system.slice {GROUP.rpartition("/")[0]}; do echo +cpu > $above/cgroup.subtree_control; done
sh -c 'echo $$ > {GROUP}/burns/cgroup.procs; while :; do :; done' < /dev/null > /dev/null 2>&1 &"""
END = f"echo 1 > {GROUP}/burns/cgroup.kill"
"""What burns processor time, in control groups as HTCondor makes them, and its end."""
COUNT = f"""sleep {SECONDS}; awk '/^usage_usec/ {{print int($2 / 10000)}}' {GROUP}/burns/cpu.stat; cut -d " " -f 1 /proc/uptime | tr -d ."""
"""After a moment, in hundredths of a second: what it has used by now of a processor, and the time, by the kernel's own count and clock."""
LIMIT = "runuser -u alice -- wow limit"
MUCH, TRIES = 65, 100
"""Percent that it has where nothing keeps it off, once the machine has started; so often that is looked for, which on a busy computer is minutes later."""


def counted(machine):
    """(used, time) in hundredths of a second."""
    used, now = map(int, machine.ask(COUNT).split())
    return used, now


def quiet(machine):
    """Percent that it uses in a moment in which the machine does little else; at most what it ever used."""
    most, before = 0, counted(machine)
    for _ in range(TRIES):
        now = counted(machine)
        most, before = max(most, share(before, now)), now
        if most > MUCH:
            break
    return most


def held(machine, percent):
    """Percent that it uses from now on, once that is no more than a tenth above what it may, or after all tries. Where another program of this computer takes the
    processor away, the guest's clock goes on: the kernel counts that as used, some tenths of a second at once, and has it paid back in the periods that follow."""
    begin, found = counted(machine), 100
    for _ in range(TRIES):
        found = share(begin, counted(machine))
        if found <= percent * 1.1:
            break
    return found


def share(begin, end):
    """Percent of a processor between two counts."""
    return 100 * (end[0] - begin[0]) // (end[1] - begin[1])


@SECURE.long_check
def a_share_of_the_processor_holds_at_once_for_what_runs_and_is_given_back_at_once(machine):
    machine.ask(BEGIN)
    try:
        whole = quiet(machine)
        said = machine.ask(f"{LIMIT} set percent 50")
        half = held(machine, 50)
        machine.ask(f"{LIMIT} set percent 20%")
        fifth = held(machine, 20)
        machine.ask(f"{LIMIT} clear")
        again = quiet(machine)
        note(f"{whole} % of a processor without a limit, {half} % with 50, {fifth} % with 20, {again} % without again")
        expect("50 % of one processor" in said and "does not hold" not in said and "when the next job begins" not in said, said)
        expect(whole > MUCH and 0 < half <= 55 and 0 < fifth <= 22 and again > MUCH, f"{whole}, {half}, {fifth}, {again}")
        expect(machine.ask(f"cat {GROUP}/cpu.max") == "max 100000", "the limit is left")
    finally:
        machine.ask(END)
