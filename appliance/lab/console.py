"""Reads a machine's serial log as it grows and picks out the lines by which the machine tells how far it is.

`WOW: STEP key=value ... t=SECONDS` (docs/reference/machine.md); what an error line says stands in it as a sentence.
"""

import re
import time
from dataclasses import dataclass

PANIC = "panic"
"""The step of a kernel that gave up."""
_LINE = re.compile(r"WOW: (\w+)(?: (.*))?$")
_LOGIN = re.compile(r"\S+ login:")
_PANIC = re.compile(r"(?<!end )Kernel panic - not syncing: (.*)")
_PAIR = re.compile(r"(\w[\w-]*)=(\"[^\"]*\"|\S+)")


@dataclass(frozen=True)
class Step:
    """One step of a machine: its name, its values, the whole text, and when the lab read it (seconds since 1970)."""

    name: str
    values: dict
    text: str
    seen: float


class Console:
    """The steps of one machine since it was switched on."""

    def __init__(self, path, clock=time.time):
        self.path = path
        self.steps = []
        self._clock = clock
        self._offset = 0
        self._rest = b""
        self._greeted = False

    def poll(self):
        """Reads what the log gained since the last call and returns the new steps."""
        try:
            with open(self.path, "rb") as file:
                file.seek(self._offset)
                gained = file.read()
        except FileNotFoundError:
            return []
        self._offset += len(gained)
        *lines, self._rest = (self._rest + gained).split(b"\n")
        found = [step for line in lines if (step := self._step(line)) is not None]
        if not self._greeted and _LOGIN.search(self._rest.decode("utf-8", "replace")):
            self._greeted = True
            found.append(Step("login", {}, "", self._clock()))
        self.steps += found
        return found

    def _step(self, line):
        said = line.decode("utf-8", "replace").strip()
        if match := _PANIC.search(said):
            return Step(PANIC, {}, match.group(1), self._clock())
        match = _LINE.search(said)
        if match is None:
            return None
        text = match.group(2) or ""
        values = {key: value.strip('"') for key, value in _PAIR.findall(text)}
        return Step(match.group(1), values, text, self._clock())

    def last(self, name):
        """The latest step of that name, or None."""
        return next((step for step in reversed(self.steps) if step.name == name), None)

    def tail(self, count=15):
        """The last lines of the log, without control characters."""
        try:
            with open(self.path, "rb") as file:
                text = file.read().decode("utf-8", "replace")
        except FileNotFoundError:
            return []
        clean = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|[^\n\t\x20-\x7e\u00a0-\uffff]", "", text)
        return [line for line in clean.split("\n") if line.strip()][-count:]
