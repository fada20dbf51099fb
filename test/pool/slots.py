"""How many slots a machine offers for a while."""

FILE = "/etc/condor/config.d/90-bench.conf"
ANEW = "condor_restart -startd"


def offer(machine, count, memory=None):
    """So many of one processor each, whatever it has, and so many MB of memory for all, if it is said."""
    more = "" if memory is None else f"MEMORY = {memory}\\n"
    machine.sh(f"printf 'NUM_CPUS = {count}\\n{more}' > {FILE}\n{ANEW}")


def offer_own(machine):
    """As many as it has processors, as ever."""
    machine.sh(f"rm {FILE}\n{ANEW}")
