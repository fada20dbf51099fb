"""A thread whose trouble is not lost."""

import threading


class Worker(threading.Thread):
    """Runs work(); what ended it before its time is raised again where it is waited for."""

    def __init__(self, work):
        super().__init__(daemon=True)
        self._work = work
        self._trouble = None

    def run(self):
        """In the thread."""
        try:
            self._work()
        except BaseException as error:  # raised by finish(), in the thread that waits
            self._trouble = error

    def finish(self):
        """Returns when the work is done."""
        self.join()
        if self._trouble is not None:
            raise self._trouble
