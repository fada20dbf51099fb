"""Talks to a running QEMU by its machine protocol (QMP): power button, reset, plug pulled."""

import contextlib
import json
import socket
import time

from shell import LabError

LISTENS = 20
"""So often QEMU is asked, ten times a second, before it counts as one that does not listen."""


class Qmp:
    """One connection to a QMP socket."""

    def __init__(self, path, timeout=10):
        self._socket = connected(path, timeout)
        self._file = self._socket.makefile("rw", encoding="utf-8")
        self._file.readline()
        self.ask("qmp_capabilities")

    def ask(self, command, **arguments):
        """Sends a command and returns what it returned; events in between are skipped."""
        request = {"execute": command, "arguments": arguments} if arguments else {"execute": command}
        self._file.write(json.dumps(request) + "\n")
        self._file.flush()
        for line in self._file:
            answer = json.loads(line)
            if "return" in answer:
                return answer["return"]
            if "error" in answer:
                raise LabError(f"QEMU refused {command}: {answer['error'].get('desc')}")
        raise LabError(f"QEMU hung up on {command}")

    def close(self):
        """Closes the connection; the machine runs on. What was still to be said to one that is gone is of no use any more."""
        with contextlib.suppress(OSError):
            self._file.close()
        self._socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def connected(path, timeout):
    """A socket that leads there. QEMU's is a file a moment before QEMU listens: on a busy computer the two are not one."""
    for number in range(LISTENS):
        one = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        one.settimeout(timeout)
        try:
            one.connect(path)
            return one
        except OSError as error:
            one.close()
            if not isinstance(error, ConnectionRefusedError) or number == LISTENS - 1:
                raise
        time.sleep(0.1)
    raise AssertionError("the last try returns or raises")
