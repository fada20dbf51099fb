"""Ends whatever a lab left behind, found by the names of its namespaces: its processes live nowhere else."""

import os
import shutil
import signal
import time

from shell import run
from sites import EVERY, INTERNET

RUNTIME = "/run/wowlab"
"""Sockets of the running lab; short, because a socket's path may have 107 characters only."""


def namespaces():
    """The lab's namespaces that exist now."""
    ours = {machine.namespace for machine in EVERY} | {INTERNET}
    there = {line.split()[0] for line in run("ip", "netns", "list").stdout.splitlines() if line}
    return sorted(ours & there)


def processes(namespace):
    """Numbers of the processes that run in a namespace."""
    return [int(word) for word in run("ip", "netns", "pids", namespace, check=False).stdout.split()]


def end(pids, patience=5.0):
    """Asks processes to end, then makes them; returns when none is left or after patience seconds more."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        for pid in pids:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass
        limit = time.monotonic() + patience
        while time.monotonic() < limit:
            pids = [pid for pid in pids if alive(pid)]
            if not pids:
                return
            time.sleep(0.1)


def alive(pid):
    """Whether a process still runs; a zombie does not."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def stop():
    """Ends the lab's machines and servers and removes its networks; returns whether there was anything."""
    found = namespaces()
    for name in found:
        end(processes(name))
    for name in found:
        run("ip", "netns", "delete", name)
    shutil.rmtree(RUNTIME, ignore_errors=True)
    return bool(found)
