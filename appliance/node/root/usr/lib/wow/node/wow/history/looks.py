"""When what the pool page shows is made anew: by who looks, and for all who look within some seconds. So it is for a manager's snapshot (page.py) and for another
machine's copy of it (page_copy.py). It lies in a file; who connects to the socket is answered by one byte when the file may be read. Of who connects nothing is
read."""
import contextlib
import json
import socket
import threading
import time

from wow.lib import console, files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

FRESH = 10.0
"""Seconds for which one serves all who look."""
GOOD = 60.0
"""Seconds after which who looks waits for another one; sooner it is made after the answer."""
BREATH = 0.1
"""Seconds until a connection is taken again after the kernel could give none."""


class Looks:
    """file: where it lies; uptime: seconds since the machine started."""

    def __init__(self, file: str, uptime: "Callable[[], float]" = console.uptime) -> None:
        self._file, self._uptime = file, uptime
        self._tried = float("-inf")
        self._one, self._is_looking = threading.Lock(), False

    def age(self) -> float:
        """Seconds since the last look, whatever came of it."""
        return self._uptime() - self._tried

    def look(self) -> None:
        """Makes it. OSError: it cannot be written."""
        raise NotImplementedError

    def renew(self) -> None:
        """Makes it where the last one is some seconds old. Who comes meanwhile waits only where there is no good one."""
        if self.age() < FRESH or (self._is_looking and self.age() < GOOD):
            return
        with self._one:
            if self.age() >= FRESH:
                self._is_looking = True
                try:
                    self._look()
                finally:
                    self._is_looking = False

    def left(self) -> "dict[str, Any]":
        """What lies in the file, of an earlier run of the program, too; empty where nothing does."""
        try:
            told = json.loads(files.read(self._file))
            return told if isinstance(told, dict) else {}
        except (OSError, ValueError):
            return {}

    def serve(self, listener: socket.socket) -> None:
        """Until the listener is closed, or nobody has connected for its timeout."""
        while True:
            try:
                link, _ = listener.accept()
            except TimeoutError:
                return
            except OSError:
                if listener.fileno() < 0:
                    return
                time.sleep(BREATH)
                continue
            with link:
                if self.age() >= GOOD:
                    self.renew()
                with contextlib.suppress(OSError):  # who is gone does not get it
                    link.setblocking(False)
                    link.sendall(b"\n")
            self.renew()

    def _look(self) -> None:
        try:
            self.look()
        except OSError as error:
            self._tried = self._uptime()
            print(f"{self._file}: {error.strerror}", flush=True)  # for the journal
