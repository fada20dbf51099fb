#!/usr/bin/python3
"""Takes out of the composite of the node's programs what only a debugger, a profiler or a tracer reads: docs/decisions/0076.

usage: composite.py COMPOSITE.r2r.dll      changes the file in place and prints the bytes of each table that it took out

Such a table is not named in the file's header any more, and its bytes are zeros, which a layer packs to nothing. All else stays where it was, as
addresses in the code want it. The format is ReadyToRun's: https://github.com/dotnet/runtime/blob/main/docs/design/coreclr/botr/readytorun-format.md
"""

import pathlib
import struct
import sys

TAKEN_OUT = {105: "DebugInfoTableNode", 114: "InliningInfoNode"}
"""Sections by ReadyToRun's number, with Crossgen2's name of what is in them: which address is which instruction of IL and where variables are; and
which method stands within which other one."""
COMPONENTS = 115
"""The section that leads to the headers of the composite's assemblies."""
EXPORT = b"RTR_HEADER"
SIGNATURE = b"RTR\0"


class CompositeError(Exception):
    """The file is not a composite as Crossgen2 10 writes it."""


class Image:
    """A PE32+ file in memory, read and written by relative virtual addresses (RVA)."""

    def __init__(self, data):
        self.data = bytearray(data)
        start = self.number("<I", 0x3C)
        if self.data[start:start + 4] != b"PE\0\0" or self.number("<H", start + 24) != 0x20B:
            raise CompositeError("it is no PE32+ file")
        sections, size = self.number("<H", start + 6), self.number("<H", start + 20)
        table = start + 24 + size
        self.sections = [self.fields("<4I", table + 40 * one + 8) for one in range(sections)]
        self.exports = self.number("<I", start + 24 + 112)

    def fields(self, form, at):
        """What stands at this place of the file, by struct's format."""
        try:
            return struct.unpack_from(form, self.data, at)
        except struct.error:
            raise CompositeError(f"it ends before byte {at}") from None

    def number(self, form, at):
        """One number at this place of the file."""
        return self.fields(form, at)[0]

    def place(self, rva, size=1):
        """The place in the file of `size` bytes at an RVA."""
        for _, first, length, place in self.sections:
            if first <= rva and rva + size <= first + length:
                return place + rva - first
        raise CompositeError(f"nothing of it is at {rva:#x}, {size} bytes")

    def exported(self, name):
        """The place in the file of what is exported by this name."""
        count, functions, names, ordinals = self.fields("<4I", self.place(self.exports, 40) + 24)
        for one in range(count):
            text = self.place(self.number("<I", self.place(names + 4 * one, 4)))
            if self.data[text:text + len(name) + 1] == name + b"\0":
                index = self.number("<H", self.place(ordinals + 2 * one, 2))
                return self.place(self.number("<I", self.place(functions + 4 * index, 4)))
        raise CompositeError(f"it exports no {name.decode()}")


def stripped(image, at, taken):
    """Takes the tables out of one header at `at`, counts their bytes in `taken`, and returns the header's other sections: (kind, RVA, bytes) each."""
    count = image.number("<I", at + 4)
    sections = [image.fields("<3I", at + 8 + 12 * one) for one in range(count)]
    for kind, rva, size in sections:
        if kind in TAKEN_OUT:
            place = image.place(rva, size)
            image.data[place:place + size] = bytes(size)
            taken[kind] += size
    kept = [section for section in sections if section[0] not in TAKEN_OUT]
    struct.pack_into("<I", image.data, at + 4, len(kept))
    image.data[at + 8:at + 8 + 12 * count] = b"".join(struct.pack("<3I", *section) for section in kept).ljust(12 * count, b"\0")
    return kept


def without_tables(data):
    """The file without these tables, and {kind: bytes} of what was taken out. CompositeError where it is another file, or one of them is not in it."""
    image = Image(data)
    header = image.exported(EXPORT)
    if image.data[header:header + 4] != SIGNATURE:
        raise CompositeError("its header is none of ReadyToRun")
    taken = dict.fromkeys(TAKEN_OUT, 0)
    for kind, rva, size in stripped(image, header + 8, taken):
        if kind == COMPONENTS:
            for one in range(size // 16):
                core, length = image.fields("<2I", image.place(rva + 16 * one, 16) + 8)
                stripped(image, image.place(core, length), taken)
    for kind, size in taken.items():
        if not size:
            raise CompositeError(f"it has no section {kind} ({TAKEN_OUT[kind]}); see what this release of .NET writes, and docs/decisions/0076")
    return bytes(image.data), taken


def main(path):
    try:
        data, taken = without_tables(path.read_bytes())
        path.write_bytes(data)
    except (OSError, CompositeError) as error:
        sys.exit(f"composite.py: {path}: {error}")
    for kind, size in taken.items():
        print(f"composite.py: {size} bytes of {TAKEN_OUT[kind]} taken out")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]))
