"""What a process uses, by /proc (proc(5))."""

import os
import pathlib

TICK = os.sysconf("SC_CLK_TCK")


def processor(process):
    """Seconds of processor time so far."""
    fields = pathlib.Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return sum(int(field) for field in fields[11:13]) / TICK


def wakes(process):
    """How often each of its threads has waited, by thread number."""
    return {task.name: _number(task / "status", "voluntary_ctxt_switches") for task in pathlib.Path(f"/proc/{process}/task").iterdir()}


def resident(process):
    """Bytes of its memory that are in RAM."""
    return _number(pathlib.Path(f"/proc/{process}/status"), "VmRSS") * 1024


def _number(file, name):
    return next(int(line.split()[1]) for line in file.read_text(encoding="ascii").splitlines() if line.startswith(name + ":"))
