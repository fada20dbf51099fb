"""Reads pcap files (draft-ietf-opsawg-pcap): micro or nanoseconds, either byte order, linktype Ethernet."""

import struct
from dataclasses import dataclass

ETHERNET = 1
_MAGIC = {0xA1B2C3D4: 1e-6, 0xA1B23C4D: 1e-9}


@dataclass(frozen=True)
class Record:
    """One captured frame: its number in the file from 1, seconds since 1970, its bytes, and its length on the wire."""

    number: int
    time: float
    frame: bytes
    length: int


class PcapError(Exception):
    """The file is not a capture that this reader understands."""


def read(path):
    """Yields the file's records. A last record that is cut short (the writer was ended) is left out."""
    with open(path, "rb") as file:
        head = file.read(24)
        order, unit = _begin(head, path)
        number = 0
        while len(record := file.read(16)) == 16:
            seconds, fraction, kept, length = struct.unpack(order + "IIII", record)
            if kept > 262144 + 65536:
                raise PcapError(f"{path}: record {number + 1} claims {kept} bytes; the file is damaged")
            frame = file.read(kept)
            if len(frame) < kept:
                return
            number += 1
            yield Record(number, seconds + fraction * unit, frame, length)


def _begin(head, path):
    if len(head) < 24:
        raise PcapError(f"{path}: {len(head)} bytes are no pcap file; nothing was recorded")
    for order in "<>":
        magic, _, _, _, _, _, link = struct.unpack(order + "IHHiIII", head)
        if magic in _MAGIC:
            if link != ETHERNET:
                raise PcapError(f"{path}: linktype {link}, wanted {ETHERNET} (Ethernet)")
            return order, _MAGIC[magic]
    raise PcapError(f"{path}: no pcap file (begins with {head[:4].hex()})")
