"""A VHDX of qemu-img without what that takes by chance, the ids and the number of the headers: the same disk gives the same file (Microsoft, [MS-VHDX])."""

import hashlib
import struct
import uuid

KIB = 1 << 10
HEADERS = (64 * KIB, 128 * KIB)
REGIONS = 192 * KIB
# Signature, checksum, sequence number, ids of the file, of its data and of its log, versions, and where the log stands.
HEADER = struct.Struct("<4sIQ16s16s16sHHIQ")
HEADER_SIZE, CHECKSUM_AT = 4096, 4
METADATA = uuid.UUID("8b7ca206-4790-4b9a-b8fe-575f050f886e").bytes_le
PARENT = uuid.UUID("a8d35f2d-b30b-454d-abf7-d3d84834ab0c").bytes_le
PAGE_83 = uuid.UUID("beca12ab-b2e6-4523-93ef-c309e000c746").bytes_le
CASTAGNOLI = 0x82F63B78


def name_by_content(path):
    """Replaces the ids in the headers and the disk's own id by such as follow from the bytes. What the log held was done when qemu-img closed the file."""
    with open(path, "r+b") as file:
        headers = [_at(file, place, HEADER_SIZE) for place in HEADERS]
        if not all(one.startswith(b"head") for one in headers):
            raise ValueError(f"{path}: no VHDX with two headers")
        own = _own_id(file, path)
        *_, log_size, log_at = HEADER.unpack_from(headers[0])
        numbers = [HEADER.unpack_from(one)[2] for one in headers]
        # The one with the higher number counts.
        headers = [_with(one, number=1 + (number == max(numbers))) for one, number in zip(headers, numbers)]
        if any(HEADER.unpack_from(one)[5] != bytes(16) for one in headers):
            raise ValueError(f"{path}: its log is in use")
        _put(file, log_at, bytes(log_size))
        for place, header in zip(HEADERS, headers):
            _put(file, place, _with(header))
        _put(file, own, bytes(16))
        file.seek(0)
        digest = hashlib.file_digest(file, "sha512").digest()
        ids = [uuid.UUID(bytes=digest[start:start + 16], version=4).bytes_le for start in (0, 16, 32)]
        for place, header in zip(HEADERS, headers):
            _put(file, place, _with(header, *ids[:2]))
        _put(file, own, ids[2])


def has_parent(file):
    """Whether the metadata of a VHDX, an open file, name another one of which it is the difference."""
    _, found, about = _at(file, REGIONS, 64 * KIB).partition(METADATA)
    where = int.from_bytes(about[:8], "little")
    return bool(found) and where < file.seek(0, 2) and PARENT in _at(file, where, 64 * KIB)


def _own_id(file, path):
    """Where the disk's own id stands: the metadata say it, and the table of regions where those are."""
    for start, key in ((REGIONS, METADATA), (None, PAGE_83)):
        start = where if start is None else start
        table = _at(file, start, 64 * KIB)
        place = table.find(key)
        if place < 0:
            raise ValueError(f"{path}: no VHDX with an id of the disk")
        if key == METADATA:
            where = struct.unpack_from("<Q", table, place + 16)[0]
    return where + struct.unpack_from("<I", table, place + 16)[0]


def _with(header, written=bytes(16), data=bytes(16), number=None):
    """The header with the two ids, its number or another, and a checksum."""
    signature, _, was, _, _, *rest = HEADER.unpack_from(header)
    made = bytearray(header)
    HEADER.pack_into(made, 0, signature, 0, number or was, written, data, *rest)
    struct.pack_into("<I", made, CHECKSUM_AT, _crc32c(made))
    return bytes(made)


def _crc32c(data):
    """Python's library has another polynomial."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (CASTAGNOLI if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def _at(file, place, size):
    file.seek(place)
    return file.read(size)


def _put(file, place, data):
    file.seek(place)
    file.write(data)
