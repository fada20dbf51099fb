"""Runs named checks one after the other and counts them. A check is a function that raises when something is wrong."""

import subprocess
import time
import traceback

CHECKS = []


class Wrong(Exception):
    """What a check found."""


def check(function):
    """Registers a check; its name is the function's, with blanks."""
    CHECKS.append(function)
    return function


def expect(condition, what):
    if not condition:
        raise Wrong(what)


def run(*command, fails=False):
    """Runs a command and returns its output; with fails=True it must end with an error."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    text = done.stdout + done.stderr
    expect((done.returncode != 0) == fails, f"{' '.join(map(str, command))} ended with {done.returncode}: {text[-400:]}")
    return text


def run_all():
    """Runs every check and prints one line for each; returns how many failed."""
    failed = 0
    for function in CHECKS:
        started = time.monotonic()
        name = function.__name__.replace("_", " ")
        try:
            function()
            verdict = "ok    "
        except Exception as error:  # a check that crashes is a check that failed
            failed += 1
            verdict = "FAILED"
            print(f"       {error}" if isinstance(error, Wrong) else traceback.format_exc(), flush=True)
        print(f"{verdict} {name} ({time.monotonic() - started:.1f} s)", flush=True)
    print(f"{len(CHECKS) - failed} passed, {failed} failed", flush=True)
    return failed
