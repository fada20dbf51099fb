"""What the jobs of this machine have taken, as the kernel's control groups count it."""
import os
import re

from wow.lib import files, paths
from wow.slots import freeze

SLOT = re.compile(r"slot1_([0-9]{1,3})(?![0-9])")
"""In the name of a slot's control group."""


class Use:
    """What a job has taken: seconds of a processor, bytes of memory; None where it is not known."""

    __slots__ = ("processor", "memory")

    def __init__(self, processor: float | None, memory: int | None) -> None:
        self.processor, self.memory = processor, memory


def look() -> dict[int, Use]:
    """What the jobs of each slot's account have taken, as the kernel counts it."""
    found = {}
    for group in freeze.slots():
        if slot := SLOT.search(os.path.basename(group)):
            found[paths.FIRST_JOB_UID + int(slot[1]) - 1] = Use(_processor(f"{group}/cpu.stat"), _number(f"{group}/memory.current"))
    return found


def _processor(path: str) -> float | None:
    words = _text(path).split()
    try:
        return int(words[words.index("usage_usec") + 1]) / 1e6
    except (ValueError, IndexError):
        return None


def _number(path: str) -> int | None:
    said = _text(path).strip()
    return int(said) if said.isascii() and said.isdigit() else None


def _text(path: str) -> str:
    try:
        return files.read(path)
    except OSError:
        return ""
