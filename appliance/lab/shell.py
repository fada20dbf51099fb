"""Runs other programs; a failure names the program and shows what it said."""

import contextlib
import os
import shutil
import subprocess
import time


class LabError(Exception):
    """What went wrong, where, and what to do, in words for the person who typed `make wow`."""

    def __init__(self, what, machine=None, step=None):
        super().__init__(what)
        self.machine = machine
        self.step = step


def run(*command, text=None, timeout=60, check=True):
    """Runs a command to its end and returns the CompletedProcess; raises LabError if it fails and check is set."""
    try:
        done = subprocess.run([str(word) for word in command], input=text, capture_output=True, text=True, timeout=timeout,
                              check=False, stdin=None if text is not None else subprocess.DEVNULL)
    except FileNotFoundError:
        raise LabError(f"{command[0]} is not installed: see test/packages.txt, or type `make setup`") from None
    except subprocess.TimeoutExpired:
        raise LabError(f"`{' '.join(map(str, command))}` did not end within {timeout} s") from None
    if check and done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip())[-2000:]
        raise LabError(f"`{' '.join(map(str, command))}` ended with {done.returncode}: {said}")
    return done


def start(*command, log):
    """Starts a command in the background, its output in the file log; returns the Popen. Its session goes before others, or gives way to them, as that of the caller:
    where the kernel shares the processors among sessions, that is not handed on (sched(7), "The autogroup feature")."""
    with open(log, "ab") as out:
        process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                   start_new_session=True)
    # No such file: the kernel shares among processes. No permission: nobody but root goes before others.
    with contextlib.suppress(OSError):
        with open("/proc/self/autogroup", encoding="ascii") as own, open(f"/proc/{process.pid}/autogroup", "w", encoding="ascii") as its:
            its.write(own.read().split()[-1])
    return process


def served(*command, log, says, what, patience=60.0):
    """Starts a command in the background, its output in the file log, which is begun anew; returns the Popen once it says that it does its work. what: what it is, for
    the LabError where it does not."""
    if os.path.exists(log):
        os.remove(log)
    process = start(*command, log=log)
    limit = time.monotonic() + patience
    while True:
        has_ended = process.poll() is not None
        with open(log, encoding="utf-8", errors="replace") as file:
            said = file.read()
        if says in said and not has_ended:
            return process
        if has_ended or time.monotonic() > limit:
            raise LabError(f"{what}; {log} says: {said.strip()[-500:] or 'nothing'}")
        time.sleep(0.05)


def need(*programs):
    """Raises LabError naming every program that is not on this machine; /usr/sbin counts."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    missing = [name for name in programs if shutil.which(name, path=path) is None]
    if missing:
        raise LabError(f"not installed: {' '.join(missing)}; `make setup` installs what test/packages.txt lists")
