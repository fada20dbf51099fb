"""Runs one command in a process group of its own, with its output in a file, a limit on its time, and signs of life."""

import os
import pathlib
import signal
import subprocess
import time
from typing import NamedTuple

GRACE_SECONDS = 15
SIGN_OF_LIFE_SECONDS = 60


class Ended(NamedTuple):
    code: int
    timed_out: bool
    seconds: float


def tail(path: pathlib.Path, lines: int) -> list:
    """The last lines of a log that are not blank."""
    text = path.read_text(encoding="utf-8", errors="replace")
    return [line for line in text.splitlines() if line.strip()][-lines:]


def run(command: list, log: pathlib.Path, limit: float, cwd: pathlib.Path, say=print, environment=None) -> Ended:
    """Runs a command until it ends or its seconds are used up; then its whole group gets SIGTERM, so that traps can clean up,
    and SIGKILL some seconds later. Interrupting the caller does the same."""
    started = time.monotonic()
    with log.open("ab") as output:
        child = subprocess.Popen(
            command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            start_new_session=True, env=environment)
    try:
        while True:
            left = limit - (time.monotonic() - started)
            if left <= 0:
                end_group(child)
                return Ended(child.returncode, True, time.monotonic() - started)
            try:
                code = child.wait(min(left, SIGN_OF_LIFE_SECONDS))
                return Ended(code, False, time.monotonic() - started)
            except subprocess.TimeoutExpired:
                if time.monotonic() - started < limit:
                    last = tail(log, 1) or ["(no output yet)"]
                    say(f"    {time.monotonic() - started:5.0f} s: {last[0].strip()[:120]}")
    except BaseException:
        end_group(child)
        raise


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
