"""Reads of an ELF file what a program that was linked against it asks for: the library's soname and the symbol versions that it defines; and what it asks for
itself.

gABI, "Program Header" and "Dynamic Section"; LSB Core, "Symbol Versioning". 64-bit, lowest byte first, as amd64 and arm64 have it.
"""

import struct
from typing import NamedTuple

MAGIC = b"\x7fELF\x02\x01"
LOAD, DYNAMIC = 1, 2
"""Kinds of segments."""
END, NEEDED, STRINGS, SONAME, VERSIONS, VERSION_COUNT, WANTED, WANTED_COUNT = 0, 1, 5, 14, 0x6ffffffc, 0x6ffffffd, 0x6ffffffe, 0x6fffffff
"""Tags of the dynamic section: DT_NULL, DT_NEEDED, DT_STRTAB, DT_SONAME, DT_VERDEF, DT_VERDEFNUM, DT_VERNEED, DT_VERNEEDNUM."""
OWN_NAME = 1
"""VER_FLG_BASE: this definition is the file's own name."""
WEAK = 2
"""VER_FLG_WEAK: a program starts without this version."""


class ElfError(Exception):
    """What is wrong with an ELF file."""


class Library(NamedTuple):
    """A shared library."""
    soname: str
    versions: frozenset


def library(data):
    """The library in a file's bytes; None for what is no shared library with a soname. ElfError for one that is cut or damaged."""
    if not data.startswith(MAGIC):
        return None
    try:
        return _library(data)
    except (struct.error, IndexError, StopIteration, UnicodeDecodeError) as error:
        raise ElfError("a damaged ELF file") from error


def needed(data):
    """The sonames that a program or a library asks for; none for what is no ELF file, or asks for nothing."""
    if not data.startswith(MAGIC):
        return []
    try:
        tags, text = _dynamic(data)
        return [text(value) for tag, value in tags if tag == NEEDED]
    except (struct.error, IndexError, StopIteration, UnicodeDecodeError, ValueError) as error:
        raise ElfError("a damaged ELF file") from error


def wanted(data):
    """The symbol versions that a program or a library asks for, as {(soname, version)}; none for what is no ELF file."""
    if not data.startswith(MAGIC):
        return set()
    try:
        tags, text = _dynamic(data)
        found, known = set(), dict(tags)
        at = _place(_segments(data), known[WANTED]) if WANTED in known else 0
        for _ in range(known.get(WANTED_COUNT, 0)):
            _, count, file, first, following = struct.unpack_from("<HHIII", data, at)
            one = at + first
            for _ in range(count):
                _, flags, _, name, after = struct.unpack_from("<IHHII", data, one)
                if not flags & WEAK:
                    found.add((text(file), text(name)))
                one += after
            at += following
        return found
    except (struct.error, IndexError, StopIteration, UnicodeDecodeError, ValueError) as error:
        raise ElfError("a damaged ELF file") from error


def _segments(data):
    """The program headers."""
    at, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    return [struct.unpack_from("<IIQQQQ", data, at + number * size) for number in range(count)]


def _dynamic(data):
    """The dynamic section as [(tag, value)], and a function that gives the text at an index of its strings."""
    segments, tags = _segments(data), []
    for kind, _, offset, _, _, length in segments:
        if offset + length > len(data) and kind in (LOAD, DYNAMIC):
            raise IndexError
        if kind == DYNAMIC:
            for tag, value in struct.iter_unpack("<qQ", data[offset:offset + length]):
                if tag == END:
                    break
                tags.append((tag, value))

    def text(index):
        strings = _place(segments, next(value for tag, value in tags if tag == STRINGS))
        return data[strings + index:data.index(b"\0", strings + index)].decode()

    return tags, text


def _place(segments, address):
    """Where in the file the memory of that address comes from."""
    return next(offset + address - start for kind, _, offset, start, _, length in segments if kind == LOAD and start <= address < start + length)


def _library(data):
    tags, text = _dynamic(data)
    found = {}
    for tag, value in tags:
        found.setdefault(tag, value)
    if SONAME not in found:
        return None
    versions = set()
    at = _place(_segments(data), found[VERSIONS]) if VERSIONS in found else 0
    for _ in range(found.get(VERSION_COUNT, 0)):
        _, flags, _, _, _, names, following = struct.unpack_from("<HHHHIII", data, at)
        if not flags & OWN_NAME:
            versions.add(text(struct.unpack_from("<I", data, at + names)[0]))
        at += following
    return Library(text(found[SONAME]), frozenset(versions))
