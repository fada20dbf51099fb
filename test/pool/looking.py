"""Looks into a running machine from outside, by /proc, so that a look starts no program there: programs take processor time from what is measured."""

import pathlib
import time

from waiting import until

SOON = 0.02
"""Seconds from one look to the next where the moment is measured."""
MATCHES = "/var/log/condor/MatchLog"


def text(machine, path):
    """A file of a machine; empty where there is none, or no machine yet."""
    try:
        return pathlib.Path(f"/proc/{machine.first}/root{path}").read_text(encoding="utf-8", errors="replace")
    except (OSError, AssertionError):
        return ""


def has(machine, path):
    """Whether a machine has a file."""
    try:
        return pathlib.Path(f"/proc/{machine.first}/root{path}").exists()
    except AssertionError:
        return False


def scratch(machine, name):
    """The files of a name in the folders of a machine's jobs."""
    return list(pathlib.Path(f"/proc/{machine.first}/root/var/lib/wow/execute").glob(f"*/{name}"))


def programs(machine):
    """(name, its folder in /proc) of what runs on a machine: what the kernel keeps of its name, of ours wow- and the word after main.py."""
    for folder in pathlib.Path(f"/proc/{machine.first}/root/proc").iterdir():
        if folder.name.isdigit():
            try:
                words = (folder / "cmdline").read_text(encoding="utf-8", errors="replace").split("\0")
                verb = next((after for word, after in zip(words, words[1:]) if word.endswith("/main.py")), None)
                yield f"wow-{verb}" if verb else (folder / "comm").read_text(encoding="utf-8").strip(), folder
            except (FileNotFoundError, ProcessLookupError):
                pass  # it has ended meanwhile


def is_matched(pool, job):
    """Whether a manager that is on has matched a job."""
    return any(f"Matched {job.number} " in text(machine, MATCHES) for machine in pool.managers if machine.is_on)


def own_kb(machine, unit):
    """kB that are private to a unit's first process (smaps_rollup, proc(5))."""
    number = machine.sh(f"systemctl show -P MainPID {unit}").strip()
    return sum(int(line.split()[1]) for line in machine.sh(f"cat /proc/{number}/smaps_rollup").splitlines() if line.startswith("Private_"))


def starts(job):
    """How often a job has begun to run, by its log."""
    return events(job, "001")


def events(job, event):
    """How often a job's log has an event, given by its three digits."""
    return ("\n" + text(job.machine, f"/home/{job.user}/{job.name}.log")).count(f"\n{event} (")


def seconds_until(true, what, limit, since):
    """Waits until it is true; seconds since then, of the clock that nobody sets."""
    until(true, bool, what, limit, pause=SOON)
    return time.monotonic() - since


def rounded(numbers):
    """As they are kept."""
    return [round(number, 2) for number in numbers]
