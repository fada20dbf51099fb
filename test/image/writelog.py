"""What a disk was told, write by write: QEMU's filter blklogwrites records it (the kernel's dm-log-writes has the same format)."""

import struct

SECTOR = 512
MAGIC = 0x6A736677736872
FLUSH, DISCARD = 1, 4


class Write:
    """One entry: bytes for an offset; a flush has none. What was discarded may stay as it was, so a discard changes nothing."""

    def __init__(self, offset, data, flags):
        self.offset = offset
        self.data = data
        self.is_flush = bool(flags & FLUSH)


def read(path):
    """All entries in their order."""
    with open(path, "rb") as file:
        magic, _, count, size = struct.unpack("<QQQI", file.read(28))
        if magic != MAGIC or size != SECTOR:
            raise ValueError(f"{path}: no log of writes")
        place, entries = SECTOR, []
        for _ in range(count):
            file.seek(place)
            sector, sectors, flags, _ = struct.unpack("<QQQQ", file.read(32))
            place += SECTOR
            data = b""
            if not flags & DISCARD:
                file.seek(place)
                data = file.read(sectors * SECTOR)
                place += sectors * SECTOR
            entries.append(Write(sector * SECTOR, data, flags))
    return entries


def apply(path, entries):
    """Does the writes on a raw disk."""
    with open(path, "r+b") as file:
        for entry in entries:
            file.seek(entry.offset)
            file.write(entry.data)
