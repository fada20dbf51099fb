"""An administrator publishes the course's three modules to the running pool: what they cost a machine that has them, in memory."""

import os
import pathlib

import probe
import published
from login import ADMIN
from memory import used_mib
from shell import run as run_program
from tally import must

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULES = ("tutorial", "exercises", "desktop")
MOST = 135
"""MiB that an idle machine with three modules and their glue may use; with the image's one module 130 (appliance/lab/figures.py)."""


def run(tally, lab):
    """beta is started anew, and has them then."""
    carol = lab.login("manager", ADMIN)
    with tally.case(f"beta, started anew with R, Octave, a desktop and their glue, is back in the pool and uses no more than {MOST} MiB while it is idle"):
        before = used()
        # Of Debian's packages, which the host's archive has: minutes, where they are not kept from an earlier run.
        run_program(ROOT / "appliance/image/stack", "-o", os.path.join(lab.folder, "stack"), *(ROOT / "modules" / name for name in MODULES), timeout=1800)
        published.copy(carol, lab.folder)
        probe.root("beta", "wow computer set restart no")
        lab.say(carol.run("wow-ca publish stack", timeout=900).stdout.strip())
        probe.until(lambda: probe.root("beta", "wow status"), lambda said: f"with the next start: {', '.join(MODULES)}" in said, "pool", "beta does not have them")
        count = published.starts(lab, "beta")
        probe.root("beta", "systemctl --no-block reboot")
        published.back(lab, "beta", count)
        probe.until(lambda: probe.root("beta", "cat /run/layers/home/stacks/good"), lambda listed: "glue " in listed, "ready", "the stack is not found good")
        layers = probe.root("beta", "grep -c ' squashfs ' /proc/mounts").strip()
        must(layers == "6", f"{layers} layers are there: base, node, three modules and the glue were asked for")
        after = probe.until(used, lambda mib: mib <= MOST, "ready", f"beta uses more; before it was {before} MiB")
        lab.say(f"beta, idle: {before} MiB with the image's module, {after} MiB with three and their glue")
        carol.run("wow-ca publish --none")


def used():
    """MiB."""
    return used_mib(probe.root("beta", "cat /proc/meminfo"))
