"""Makes a file of another one and a delta in librsync's format (its doc/format.md): copies of parts of the other one, and bytes between them. The delta is what the CA
signed, and yet nothing in it is believed: no more is written than the file's size, and the file counts when its digest does.

Not by librsync's own program: it would be in every base, and be C that reads what came by the network."""
import os

from wow.lib.errors import WowError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

    from wow.stack.text import Layer

MAGIC = bytes.fromhex("72730236")
PIECE = 1 << 18
"""Bytes that are moved at once."""
END, LONGEST_SHORT, LITERAL, COPY = 0x00, 0x40, 0x41, 0x45
"""The end; up to this one the command is its own length; with a length of 1, 2, 4 or 8 bytes from here on; with such a place and such a length from here on."""


class NoDelta(Exception):
    """Why something is no delta for the file."""


def make(wanted: "Layer", old_path: str, delta: str, target: str) -> None:
    """Writes the file `target` by the delta of the file `old_path`, on the disk when this returns. WowError where it is no such delta, OSError."""
    with open(old_path, "rb") as old, open(delta, "rb") as commands, open(target, "wb") as new:
        os.fchmod(new.fileno(), 0o600)
        try:
            apply(old, commands, new, wanted.size)
        except NoDelta as error:
            raise WowError(f"the delta of {wanted.name} is none: {error}", "The whole file is fetched", code="lies") from None
        new.flush()
        os.fsync(new.fileno())


def apply(old: "BinaryIO", commands: "BinaryIO", new: "BinaryIO", size: int) -> None:
    """Does the commands. NoDelta."""
    if commands.read(len(MAGIC)) != MAGIC:
        raise NoDelta("it does not begin as one")
    while (kind := number(commands, 1)) != END:
        source, length = commands, kind
        if kind >= COPY:
            place, more = divmod(kind - COPY, 4)
            if place > 3:
                raise NoDelta(f"it has a command {kind}")
            old.seek(min(number(commands, 1 << place), 1 << 62))
            source, length = old, number(commands, 1 << more)
        elif kind > LONGEST_SHORT:
            length = number(commands, 1 << (kind - LITERAL))
        size -= length
        if size < 0:
            raise NoDelta("it makes more than the file's size")
        while length:
            piece = source.read(min(length, PIECE))
            if not piece:
                raise NoDelta("it ends too soon, or names what is not there")
            new.write(piece)
            length -= len(piece)
    if size:
        raise NoDelta("it makes less than the file's size")


def number(commands: "BinaryIO", length: int) -> int:
    """A number of so many bytes, the highest first. NoDelta."""
    data = commands.read(length)
    if len(data) < length:
        raise NoDelta("it ends too soon")
    return int.from_bytes(data, "big")
