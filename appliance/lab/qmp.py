"""Talks to a running QEMU by its machine protocol (QMP): power button, reset, plug pulled."""

import contextlib
import json
import socket

from shell import LabError


class Qmp:
    """One connection to a QMP socket."""

    def __init__(self, path, timeout=10):
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(timeout)
        self._socket.connect(path)
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
