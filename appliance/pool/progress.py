"""Says what happens, each line with the seconds since the beginning."""

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

    def plain(self, text=""):
        """Prints text as it is: tables, a job's output."""
        print(text, file=self._stream, flush=True)
