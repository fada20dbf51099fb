"""Counts a capture's packets by kind and lists those that should not be there."""

from collections import Counter
from dataclasses import dataclass, field

from frames import parse
from pcap import read


@dataclass
class Verdict:
    """What a capture holds: packets by kind, the time of each kind's first, and the forbidden ones in words."""

    path: str
    kinds: Counter = field(default_factory=Counter)
    first: dict = field(default_factory=dict)
    violations: list = field(default_factory=list)

    @property
    def packets(self):
        """How many packets the capture holds."""
        return sum(self.kinds.values())


def judge(path, classify):
    """Reads a capture and asks classify(packet, time) for each packet's kind; None means that it is forbidden."""
    verdict = Verdict(path)
    for record in read(path):
        packet = parse(record.frame)
        kind = classify(packet, record.time)
        if kind is None:
            kind = "FORBIDDEN"
            verdict.violations.append(f"packet {record.number} at {record.time:.3f}: {packet}, {record.length} bytes")
        verdict.kinds[kind] += 1
        verdict.first.setdefault(kind, record.time)
    return verdict
