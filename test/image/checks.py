"""Runs named checks and counts them. A check is a function that raises when something is wrong.

Those that share files run one after the other, in the order of their registration. Those that start machines have files of their own: each
runs beside whatever else runs, for a machine under emulation keeps one processor busy and no more.
"""

import concurrent.futures
import subprocess
import threading
import time
import traceback

CHECKS = []
MACHINE_CHECKS = []
LONG_CHECKS = []
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


def long_check(function):
    """The same of one that takes too long for every commit."""
    LONG_CHECKS.append(function)
    return function


def expect(condition, what):
    if not condition:
        raise Wrong(what)


def note(text):
    """Lines that stand below the verdict of the check that runs in this thread."""
    _NOTES.lines += [f"       {line}" for line in str(text).splitlines()]


def spent(seconds):
    """Processor time of a machine of the check that runs in this thread."""
    _NOTES.processor = getattr(_NOTES, "processor", 0.0) + seconds


def run(*command, fails=False):
    """Runs a command and returns its output; with fails=True it must end with an error."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    text = done.stdout + done.stderr
    expect((done.returncode != 0) == fails, f"{' '.join(map(str, command))} ended with {done.returncode}: {text[-400:]}")
    return text


def run_all(words=(), long=False):
    """Runs every check whose name holds one of the words (without words every one), prints one line for each, and returns how many failed.

    With `long` those that take too long for every commit, and no others.
    """
    def chosen(functions):
        return [one for one in functions if not words or any(word in one.__name__ for word in words)]

    groups = [[one] for one in chosen(LONG_CHECKS)] if long else [chosen(CHECKS), *([one] for one in chosen(MACHINE_CHECKS))]
    with concurrent.futures.ThreadPoolExecutor(BESIDE) as pool:
        verdicts = [passed for group in pool.map(_run_each, groups) for passed in group]
    failed = verdicts.count(False)
    print(f"{len(verdicts) - failed} passed, {failed} failed", flush=True)
    return failed


def _run_each(functions):
    return [_passes(function) for function in functions]


def _passes(function):
    started = time.monotonic()
    _NOTES.lines, _NOTES.processor = [], 0.0
    verdict = "ok    "
    try:
        function()
    except Exception as error:  # a check that crashes is a check that failed
        verdict = "FAILED"
        noted, _NOTES.lines = _NOTES.lines, []
        # First, for whoever lists what failed shows one line of each.
        note(error if isinstance(error, Wrong) else f"{type(error).__name__}: {error}\n{traceback.format_exc()}")
        _NOTES.lines += noted
    machines = f"; {_NOTES.processor:.1f} s of processor for its machines" if _NOTES.processor else ""
    print("\n".join([f"{verdict} {function.__name__.replace('_', ' ')} ({time.monotonic() - started:.1f} s{machines})", *_NOTES.lines]), flush=True)
    return verdict != "FAILED"
