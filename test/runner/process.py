"""Runs one command in a process group of its own, with its output in a file, a limit on its time, and signs of life."""

import contextlib
import os
import pathlib
import signal
import subprocess
import threading
import time
from typing import NamedTuple

from netns.pressure import Clock

GRACE_SECONDS = 15
SIGN_OF_LIFE_SECONDS = 60
LOOK_SECONDS = 5
"""How soon a case that failed is told."""
AUTOGROUPS = pathlib.Path("/proc/sys/kernel/sched_autogroup_enabled")
STOP_SECONDS = 0.05
"""How soon a command's end is noticed, and by it that all is to end."""


class Ended(NamedTuple):
    """How a command ended. `processor`: seconds of processor time of it and of all descendants that were waited for; 0 if it had to be ended."""
    code: int
    timed_out: bool
    seconds: float
    processor: float


def tail(path: pathlib.Path, lines: int) -> list:
    """The last lines of a log that are not blank."""
    text = path.read_text(encoding="utf-8", errors="replace")
    return [line for line in text.splitlines() if line.strip()][-lines:]


def failures(path: pathlib.Path) -> list:
    """The cases of an end-to-end stage that failed, a list of lines each: its name behind `FAIL`, and what is indented below it."""
    found, is_inside = [], False
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        is_inside = line.startswith("FAIL") or (is_inside and line.startswith(" "))
        if line.startswith("FAIL"):
            found.append([line])
        elif is_inside:
            found[-1].append(line)
    return found


class Stopped(Exception):
    """The command was ended because all is to end."""


def run(command: list, log: pathlib.Path, limit: float, cwd: pathlib.Path, say=print, environment=None, stop=None, niceness=0) -> Ended:
    """Runs a command until it ends or its seconds are used up, of a clock that leaves out what a busy machine lacks; then its whole group gets SIGTERM, so that
    traps can clean up, and SIGKILL some seconds later. Interrupting the caller, or setting the event `stop` from another thread, does the same. niceness: see
    take_turn."""
    stop = stop or threading.Event()
    started = time.monotonic()
    known = len(failures(log)) if log.exists() else 0
    with log.open("ab") as output:
        child = subprocess.Popen(
            command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            start_new_session=True, env=environment)
    try:
        if niceness:
            take_turn(child.pid, niceness)
        return watch(child, log, started, limit, say, stop, known)
    except BaseException:
        end_group(child)
        raise


def take_turn(pid: int, niceness: int) -> None:
    """Has a session that has just begun give way to others or, below 0, go before them; only root may do that, and without it the session has the turn of all. Where
    the kernel shares the processors among sessions, the niceness of a process counts only within its own, and that of the session counts among them (sched(7), "The
    autogroup feature"); else each process has its own, and those that it starts the same."""
    with contextlib.suppress(PermissionError, ProcessLookupError):
        if AUTOGROUPS.exists() and AUTOGROUPS.read_text(encoding="ascii").strip() == "1":
            pathlib.Path(f"/proc/{pid}/autogroup").write_text(str(niceness), encoding="ascii")
        else:
            os.setpriority(os.PRIO_PROCESS, pid, niceness)


def watch(child: subprocess.Popen, log: pathlib.Path, started: float, limit: float, say, stop: threading.Event, known: int) -> Ended:
    """Waits for a child; says what failed soon after it did, for who sees no more than the end of the output of a run that somebody else ended, and from time to
    time what it wrote last. known: cases of the log that had failed before."""
    told = looked = 0.0
    clock = Clock()
    since = clock.now()
    while True:
        # wait4 of this child alone, for other lanes' children are this process's, too.
        ended, status, used = os.wait4(child.pid, os.WNOHANG)
        seconds = time.monotonic() - started
        if ended:
            child.returncode = os.waitstatus_to_exitcode(status)
            return Ended(child.returncode, False, seconds, used.ru_utime + used.ru_stime)
        if stop.is_set():
            raise Stopped
        if clock.now() - since >= limit:
            end_group(child)
            return Ended(child.returncode, True, time.monotonic() - started, 0.0)
        if seconds - looked >= LOOK_SECONDS:
            looked = seconds
            for case in failures(log)[known:]:
                known += 1
                for line in case[:2]:  # its name, and why
                    say(f"{seconds:5.0f} s: {line[:200]}")
        if seconds - told >= SIGN_OF_LIFE_SECONDS:
            told = seconds
            last = tail(log, 1) or ["(no output yet)"]
            say(f"{seconds:5.0f} s: {last[0].strip()[:120]}")
        stop.wait(STOP_SECONDS)


def end_group(child: subprocess.Popen) -> None:
    """Asks the child's process group to end, then makes it."""
    for number, patience in ((signal.SIGTERM, GRACE_SECONDS), (signal.SIGKILL, None)):
        try:
            os.killpg(child.pid, number)
        except ProcessLookupError:
            pass
        try:
            child.wait(patience)
        except subprocess.TimeoutExpired:
            continue
        if number == signal.SIGTERM and not group_is_alive(child.pid):
            return


def group_is_alive(group: int) -> bool:
    """Whether any process of the group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
