"""Runs of `wow pool` that are killed at a moment, for tests of what the next run makes of it."""

import contextlib
import os
import signal
from unittest import mock

from pool import programs


def die():
    """Ends this process as a power cut does."""
    os.kill(os.getpid(), signal.SIGKILL)


def killed(case, run, moment, *calls):
    """Runs it in a process that kills itself at a step, by its name, or after so many programs and calls of os by these names. Whether it was killed.
    run() gives the exit code; run(reached=..) has reached(name) called at each step."""
    child = os.fork()
    if not child:
        code = 99
        try:
            code = _run(run, moment, calls)
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    case.assertTrue(os.WIFSIGNALED(status) or os.waitstatus_to_exitcode(status) == 0)
    return os.WIFSIGNALED(status)


def _run(run, moment, calls):
    if isinstance(moment, str):
        return run(reached=lambda name: die() if name == moment else None)
    left = [moment]

    def counted(real):
        def call(*words, **how):
            result = real(*words, **how)
            left[0] -= 1
            if not left[0]:
                die()
            return result
        return call
    with contextlib.ExitStack() as patches:
        patches.enter_context(mock.patch.object(programs, "run", counted(programs.run)))
        for name in calls:
            patches.enter_context(mock.patch.object(os, name, counted(getattr(os, name))))
        return run()
