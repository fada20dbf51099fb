"""How many claims of this queue were refused: the negotiator matched a job with a machine, and that machine would not have it, since it had changed its mind, was
taken, or was started anew meanwhile. HTCondor counts that nowhere; its schedd writes a line for each into its log, which is read on from where it was read to."""
import os
import re

LOG = "/var/log/condor/SchedLog"
OLD = ".old"
"""What the log of before is called after its own name; there is one (MAX_NUM_DEFAULT_LOG)."""
LINE = re.compile(rb"^[0-9/]+ [0-9:.]+ (?:\([^)\n]*\) )*Request was NOT accepted for claim ", re.MULTILINE)
"""HTCondor 23.9.6, dc_startd.cpp, ClaimStartdMsg::readMsg. A machine that gives no answer is another line, and no refusal."""
MOST = 1 << 20
"""Bytes that are read at a time: four times what a log has."""


class Refusals:
    """count: refused claims since it was made; what the log had before is not counted."""

    def __init__(self, log: str = LOG) -> None:
        self._log = log
        self._file, self._read = place(log) or (0, 0)
        self.count = 0

    def look(self) -> int:
        """Reads what is new; returns the count."""
        now = place(self._log)
        if now is None:
            return self.count
        if now[0] != self._file:
            # The rest of the one before, if it is still there, then all of the new one.
            former = place(self._log + OLD)
            if former is not None and former[0] == self._file:
                self._take(self._log + OLD)
            self._file, self._read = now[0], 0
        if now[1] < self._read:
            self._read = 0
        if now[1] > self._read:
            self._take(self._log)
        return self.count

    def _take(self, path: str) -> None:
        """Counts in whole lines; the rest of one is read when its end is there."""
        try:
            with open(path, "rb") as file:
                file.seek(self._read)
                whole, end, _ = file.read(MOST).rpartition(b"\n")
        except OSError:
            return  # it was put away at this very moment
        self.count += len(LINE.findall(whole + end))
        self._read += len(whole) + len(end)


def place(path: str) -> tuple[int, int] | None:
    """(inode, size) of a file; None where there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_size
