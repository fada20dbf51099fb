"""Says what happens, each line with the seconds since the beginning."""

import contextlib
import sys
import time


class Progress:
    """Prints to a stream; the clock is injected for the tests."""

    def __init__(self, stream=sys.stdout, clock=time.monotonic):
        self._stream = stream
        self._clock = clock
        self._begin = clock()

    @property
    def elapsed(self):
        """Seconds since the beginning."""
        return self._clock() - self._begin

    def __call__(self, text):
        """Prints one line."""
        print(f"[{self.elapsed:6.1f} s] {text}", file=self._stream, flush=True)

    @contextlib.contextmanager
    def going(self, text):
        """Says what begins, and gives what is called with a percentage until it has ended: a terminal shows that, on a line of its own which goes again."""
        self(text)
        if not self._stream.isatty():
            yield lambda percent: None
            return
        try:
            yield lambda percent: print(f"\r{percent:10d} %", end="", file=self._stream, flush=True)
        finally:
            print(f"\r{'':12}\r", end="", file=self._stream, flush=True)

    def plain(self, text=""):
        """Prints text as it is: tables, a job's output."""
        print(text, file=self._stream, flush=True)
