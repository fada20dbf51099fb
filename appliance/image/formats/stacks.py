"""The list of layers on a system's disk, and which modules of one system another has not: a machine that got it would lose them."""

import tools
from partitions import SYSTEM, named

FILE = "/stacks/A.conf"
"""In the partition WOWSYS."""
OTHER = "/stacks/B.conf"
"""There, too, once the pool has sent the machine another system (docs/decisions/0074)."""
SECTOR = 512
MOST = 1 << 20
"""Bytes of what debugfs may say: a list is smaller by far, and a file of zeros that claims to be one takes no room on a disk."""


def lines(text):
    """The words of each line of a list that says something."""
    return [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def rows(text):
    """[kind, name, file, size, digest] of each line that has as much."""
    return [row for row in lines(text) if len(row) == 5]


def modules(text):
    """The names of the modules of a list."""
    return [name for kind, name, *_ in rows(text) if kind == "module"]


def missing(was, new):
    """The modules of one list that another has not."""
    there = modules(new)
    return [name for name in modules(was) if name not in there]


def find(raw, table):
    """The list on a raw disk with these partitions, as sfdisk's JSON has them; None where there is none that can be read."""
    system = named(table, SYSTEM)
    if system is None:
        return None
    said, _ = asked(raw.with_name(f"{raw.name}?offset={system['start'] * SECTOR}"), f"cat {FILE}")
    return said if rows(said) else None


def asked(system, request):
    """(what debugfs says to one request, what is wrong or None). system: WOWSYS, or a disk with ?offset= behind its name. debugfs ends with 0 whatever happens, and
    takes a request apart at blanks, so it runs where that lies. What a disk lost may be bytes of any kind, and is text here all the same."""
    said, errors, code = tools.heard("debugfs", "-R", request, system.name, most=MOST, cwd=system.parent)
    if code is None:
        return "", f"{request.split()[-1]} is none that this release reads: it is larger than {MOST >> 20} MiB"
    wrong = [line for line in errors.decode("latin-1").splitlines() if not line.startswith("debugfs ")]
    return said.decode("latin-1"), wrong[0] if wrong else "debugfs failed" if code else None
