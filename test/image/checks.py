"""Runs named checks and counts them. A check is a function that raises when something is wrong.

Those that share files run one after the other, in the order of their registration. Those that start machines have files of their own: each
runs beside whatever else runs, for a machine under emulation keeps one processor busy and no more. Those that look at one machine share its
start, and run one after the other. Of each kind there are some that take too long for every commit: `run --long` has these, and no others.
"""

import concurrent.futures
import functools
import os
import pathlib
import subprocess
import threading
import time
import traceback

CHECKS = []
MACHINE_CHECKS = []
LONG_SHARED_CHECKS = []
LONG_CHECKS = []
STARTS = []
BESIDE = 2
"""So many run at once."""
_NOTES = threading.local()


class Wrong(Exception):
    """What a check found."""


def check(function):
    """Registers a check; its name is the function's, with blanks."""
    CHECKS.append(function)
    return function


def machine_check(function):
    """Registers a check that starts machines and shares no file with any other check."""
    MACHINE_CHECKS.append(function)
    return function


def long_shared_check(function):
    """What `check` does, of one that takes too long for every commit."""
    LONG_SHARED_CHECKS.append(function)
    return function


def long_check(function):
    """What `machine_check` does, of one that takes too long for every commit."""
    LONG_CHECKS.append(function)
    return function


class Start:
    """A start of a machine that several checks look at, each for itself. `begin` starts it and returns it; that has answers(), whether it can
    be asked, and cut_power()."""

    def __init__(self, begin):
        self._begin = begin
        self._machine = None
        self.checks, self.long_checks = [], []
        STARTS.append(self)

    def check(self, function):
        """Registers a check, which is called with the machine, and comes after those that were registered before."""
        return self._registered(function, self.checks)

    def long_check(self, function):
        """The same of one that takes too long for every commit: `run --long` has a start of its own for these."""
        return self._registered(function, self.long_checks)

    def _registered(self, function, among):
        @functools.wraps(function)
        def looks():
            function(self._running())
        among.append(looks)
        return looks

    def _running(self):
        """The machine. A check gets another start where the one before it left a machine that does not answer, so that it does not fail for it."""
        if self._machine and not self._machine.answers():
            note("started anew, for the machine did not answer after the check before")
            self.end()
        self._machine = self._machine or self._begin()
        return self._machine

    def end(self):
        """Switches it off."""
        if self._machine:
            self._machine.cut_power()
        self._machine = None


def expect(condition, what):
    if not condition:
        raise Wrong(what)


def note(text):
    """Lines that stand below the verdict of the check that runs in this thread."""
    _NOTES.lines += [f"       {line}" for line in str(text).splitlines()]


def spent(seconds):
    """Processor time of a machine of the check that runs in this thread."""
    _NOTES.processor = getattr(_NOTES, "processor", 0.0) + seconds


class Command(subprocess.Popen):
    """A command whose processor time, and that of what it waited for, is counted for the check that runs in this thread, when it has ended."""

    def wait(self, timeout=None):
        if timeout is None and self.returncode is None:
            # It is there until somebody asks how it ended.
            os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
            after_name = pathlib.Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
            _NOTES.commands = getattr(_NOTES, "commands", 0.0) + sum(map(int, after_name[11:15])) / os.sysconf("SC_CLK_TCK")
        return super().wait(timeout)


def completed(*command, **options):
    """(exit code, output, error output) of a command; options: of Popen."""
    with Command([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options) as done:
        said = done.communicate()
    return done.returncode, *said


def run(*command, fails=False):
    """Runs a command and returns its output; with fails=True it must end with an error."""
    code, *said = completed(*command)
    text = "".join(said)
    expect((code != 0) == fails, f"{' '.join(map(str, command))} ended with {code}: {text[-400:]}")
    return text


def run_all(words=(), long=False):
    """Runs every check whose name holds one of the words (without words every one), prints one line for each, and returns how many failed.

    With `long` those that take too long for every commit, and no others.
    """
    def chosen(functions):
        return [one for one in functions if not words or any(word in one.__name__ for word in words)]

    shared, alone = (LONG_SHARED_CHECKS, LONG_CHECKS) if long else (CHECKS, MACHINE_CHECKS)
    started = [(chosen(start.long_checks if long else start.checks), start.end) for start in STARTS]
    groups = [(chosen(shared), None), *started, *(([one], None) for one in chosen(alone))]
    with concurrent.futures.ThreadPoolExecutor(BESIDE) as pool:
        verdicts = [passed for group in pool.map(_run_each, groups) for passed in group]
    failed = verdicts.count(False)
    print(f"{len(verdicts) - failed} passed, {failed} failed", flush=True)
    return failed


def _run_each(group):
    functions, end = group
    return [_passes(function, end if function is functions[-1] else None) for function in functions]


def _passes(function, end=None):
    """Whether a check passes. end: called after it, so that what that takes stands with it."""
    started, own = time.monotonic(), time.thread_time()
    _NOTES.lines, _NOTES.processor, _NOTES.commands = [], 0.0, 0.0
    verdict = "ok    "
    try:
        try:
            function()
        finally:
            if end:
                end()
    except Exception as error:  # a check that crashes is a check that failed
        verdict = "FAILED"
        noted, _NOTES.lines = _NOTES.lines, []
        # First, for whoever lists what failed shows one line of each.
        note(error if isinstance(error, Wrong) else f"{type(error).__name__}: {error}\n{traceback.format_exc()}")
        _NOTES.lines += noted
    machines = f", {_NOTES.processor:.1f} s of these for its machines" if _NOTES.processor else ""
    took = f"{time.monotonic() - started:.1f} s; {time.thread_time() - own + _NOTES.commands + _NOTES.processor:.1f} s of processor{machines}"
    print("\n".join([f"{verdict} {function.__name__.replace('_', ' ')} ({took})", *_NOTES.lines]), flush=True)
    return verdict != "FAILED"
