"""Counts cases; a case that fails is told at once, with the log lines that explain it, and the run goes on."""

import contextlib
import sys
import threading
import time
import traceback


class Case:
    """What is known of a case once its block has ended."""

    passed = False


def traced(error):
    """What an error says, and then where it was raised: whoever sees one line of a failure sees why."""
    return "".join([*traceback.format_exception_only(error), *traceback.format_exception(error)]).splitlines()


class Tally:
    """passed and failed grow; explain(error), which may be replaced, gives lines of text for an error. Several threads may have a case each."""

    def __init__(self, explain=traced, stream=sys.stdout):
        self.passed = 0
        self.failed = 0
        self.explain = explain
        self._stream = stream
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def case(self, name, explain=None):
        """One case: it passes if its block raises nothing. It gives a Case, by which those cases are left out that need this one: by `failed` a fault of any other
        case would leave them out, too. explain: of this case alone."""
        begin, case = time.monotonic(), Case()
        try:
            yield case
        except Exception as error:  # every kind of trouble is this case's failure, not the end of the run
            why = self._why(explain or self.explain, error)
            with self._lock:
                self.failed += 1
                self._print("\n     ".join([f"FAIL {name} ({time.monotonic() - begin:.1f} s)", *why]))
        else:
            case.passed = True
            with self._lock:
                self.passed += 1
                self._print(f"ok   {name} ({time.monotonic() - begin:.1f} s)")

    @contextlib.contextmanager
    def part(self, name):
        """Cases that belong together. What is raised outside of them is one failure more, and what comes after the part is told all the same."""
        try:
            yield
        except Exception as error:  # as in a case
            with self.case(f"{name}: what is between its cases"):
                raise error

    @staticmethod
    def _why(explain, error):
        """A machine that hangs explains nothing, and the case is told all the same."""
        try:
            return explain(error) or traced(error)
        except Exception as worse:
            return [*traced(error), *traced(worse)]

    def _print(self, text):
        print(text, file=self._stream, flush=True)

    def close(self):
        """Prints the last line and returns the exit code."""
        self._print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0


def must(condition, what):
    """A check whose failure says what was found."""
    if not condition:
        raise AssertionError(what)
