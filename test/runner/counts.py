"""How many checks passed and failed, read from what each kind of stage leaves behind. None means: no count to be found."""

import pathlib
import re
import xml.etree.ElementTree as ElementTree
from typing import NamedTuple, Optional

LAST_LINE = re.compile(r"(\d+) passed, (\d+) failed")
UNITTEST_RAN = re.compile(r"^Ran (\d+) tests? in ", re.MULTILINE)
UNITTEST_BAD = re.compile(r"^FAILED \((.*)\)$", re.MULTILINE)
UNITTEST_SKIPPED = re.compile(r"\bskipped=(\d+)")
MESSAGE_LINES = 12
TRX = "{http://microsoft.com/schemas/VisualStudio/TeamTest/2010}"


class Count(NamedTuple):
    passed: int
    failed: int

    def __add__(self, other):
        return Count(self.passed + other.passed, self.failed + other.failed)

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed"


def from_last_line(log: str) -> Optional[Count]:
    """The protocol of the end-to-end stages: the last line that is not blank is `N passed, N failed`, alone."""
    lines = log.rstrip().splitlines()
    match = LAST_LINE.fullmatch(lines[-1].strip()) if lines else None
    return Count(int(match[1]), int(match[2])) if match else None


def from_unittest(log: str) -> Optional[Count]:
    """Sums the summaries of `python3 -m unittest`. A skipped test counts as failed: the house skips none."""
    ran = sum(int(number) for number in UNITTEST_RAN.findall(log))
    if not ran:
        return None
    bad = sum(int(number) for part in UNITTEST_BAD.findall(log) for number in re.findall(r"(?:failures|errors)=(\d+)", part))
    bad += sum(int(number) for number in UNITTEST_SKIPPED.findall(log))
    return Count(ran - bad, bad)


def from_trx(path: pathlib.Path) -> Optional[Count]:
    """The result file of `dotnet test`. Whatever did not pass counts as failed, skipped tests too."""
    if not path.is_file():
        return None
    counters = ElementTree.parse(path).find(f"{TRX}ResultSummary/{TRX}Counters")
    if counters is None or not int(counters.get("total", "0")):
        return None
    total, passed = int(counters.get("total")), int(counters.get("passed"))
    return Count(passed, total - passed)


def failed_in_trx(path: pathlib.Path) -> list:
    """The tests that did not pass, each with the head of its message."""
    if not path.is_file():
        return []
    lines = []
    for result in ElementTree.parse(path).iter(f"{TRX}UnitTestResult"):
        if result.get("outcome") != "Passed":
            message = (result.findtext(f".//{TRX}Message") or "").strip().splitlines()
            lines += [f"x {result.get('testName')}", *(f"    {line}" for line in message[:MESSAGE_LINES])]
    return lines
