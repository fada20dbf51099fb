#!/usr/bin/python3
"""Runs a folder's unit tests as `python3 -m unittest discover -s FOLDER` does. A test that hangs fails with the line where it stood, and those after it are run. A
thread that a test leaves behind and that does not end is a failure, too. The slowest are named at the end.

unit.py FOLDER [PATTERN]
"""

import contextlib
import faulthandler
import functools
import os
import pathlib
import signal
import sys
import threading
import time
import unittest

TEST = str(pathlib.Path(__file__).resolve().parents[1])
if TEST not in sys.path:
    sys.path.insert(0, TEST)

from netns.pressure import Clock  # noqa: E402

SECONDS = 300.0
"""How long one test may take on a quiet machine. The longest takes a quarter of it."""
LOOK_SECONDS = 5.0
"""How often that is looked at."""
AGAIN_SECONDS = 30.0
"""How long a test that was ended has to fail, which takes a moment. One that waits again meanwhile is ended again after that."""
NOT_INTERRUPTED_SECONDS = 3600.0
"""After that the run ends, with where all threads stood: what hangs is no Python."""
SLOW_SECONDS, SLOWEST = 2.0, 10
"""Of the tests that take so long, the slowest are named, so many."""
LEFT_SECONDS = 30.0
"""How long threads that tests left behind have to end."""


class Hangs(Exception):
    """A test took longer than SECONDS."""


@contextlib.contextmanager
def _no_signals():
    """A thread that begins meanwhile takes no signals, from its first moment on: they are for the main thread, which a test may have block them for a while."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Watch:
    """Ends what hangs: it is raised in the main thread, whatever that waits for. By a signal of a thread's and not a timer's, for there is one timer, which what is
    tested may use."""

    def __init__(self):
        self._clock, self._began = Clock(), None
        signal.signal(signal.SIGUSR2, self._end)
        with _no_signals():
            threading.Thread(target=self._look, args=(threading.get_ident(),), daemon=True).start()

    def begins(self) -> None:
        """Something begins now: tests are looked for, a class is made ready, a test runs."""
        self._began = self._clock.now()
        with _no_signals():
            faulthandler.dump_traceback_later(NOT_INTERRUPTED_SECONDS, exit=True)

    def ends(self) -> None:
        """Nothing is watched from now on."""
        self._began = None

    def _look(self, runs: int) -> None:
        while not threading.Event().wait(LOOK_SECONDS):
            if self._is_over():
                signal.pthread_kill(runs, signal.SIGUSR2)

    def _is_over(self) -> bool:
        began = self._began
        return began is not None and self._clock.now() - began >= SECONDS

    def _end(self, *_) -> None:
        # Looked at once more, for another test may have begun since.
        if self._is_over():
            self._began = self._clock.now() - SECONDS + AGAIN_SECONDS
            raise Hangs(f"no end after {SECONDS:.0f} s of a quiet machine")


class Result(unittest.TextTestResult):
    """Has each test watched, and notes the slow ones."""

    def __init__(self, watch, *arguments, **named):
        super().__init__(*arguments, **named)
        self._watch, self._started = watch, 0.0
        self.slow: list = []

    def startTest(self, test):
        super().startTest(test)
        self._watch.begins()
        self._started = time.monotonic()

    def stopTest(self, test):
        if (took := time.monotonic() - self._started) >= SLOW_SECONDS:
            self.slow.append((took, test.id()))
        # What comes between two tests.
        self._watch.begins()
        super().stopTest(test)


def play(found) -> unittest.TestResult:
    """Runs the tests that `found` finds; what fails is printed as unittest prints it."""
    watch = Watch()
    watch.begins()
    result = unittest.TextTestRunner(resultclass=functools.partial(Result, watch)).run(found())
    watch.ends()
    for took, name in sorted(result.slow, reverse=True)[:SLOWEST]:
        sys.stderr.write(f"{took:6.1f} s {name}\n")
    return result


def end(code: int) -> None:
    """Ends this program. The interpreter would wait for threads for ever."""
    until = time.monotonic() + LEFT_SECONDS
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join(max(0, until - time.monotonic()))
            if thread.is_alive():
                faulthandler.dump_traceback()
                sys.stderr.write(f"{thread.name}, which a test left behind, does not end; above is where it stands\n")
                sys.stderr.flush()
                os._exit(1)
    sys.exit(code)


def main(words: list) -> None:
    """Ends with code 1 when a test failed or there was none."""
    folder, pattern = words[0], words[1] if len(words) > 1 else "test*.py"
    result = play(lambda: unittest.TestLoader().discover(folder, pattern))
    end(0 if result.wasSuccessful() and result.testsRun else 1)


if __name__ == "__main__":
    sys.path[1] = ""  # as unittest has it: not this folder, whose modules are none of the tests'
    main(sys.argv[1:])
