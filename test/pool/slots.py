"""How many slots a machine offers while it is measured."""

FILE = "/etc/condor/config.d/90-bench.conf"
ANEW = "condor_restart -startd"


def offer(machine, count):
    """So many of one processor each, whatever it has."""
    machine.sh(f"echo 'NUM_CPUS = {count}' > {FILE}\n{ANEW}")


def offer_own(machine):
    """As many as it has processors, as ever."""
    machine.sh(f"rm {FILE}\n{ANEW}")
