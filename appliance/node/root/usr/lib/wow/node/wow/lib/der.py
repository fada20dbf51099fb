"""Just enough DER to know a CA certificate from anything else, and to show whose it is. Who verifies certificates is OpenSSL, elsewhere."""
from wow.lib import moments

SEQUENCE, SET, INTEGER, BITS, OID, BOOLEAN, OCTETS = 0x30, 0x31, 0x02, 0x03, 0x06, 0x01, 0x04
UTC_TIME, GENERALIZED_TIME = 0x17, 0x18
BASIC_CONSTRAINTS = bytes((0x55, 0x1D, 0x13))
COMMON_NAME = bytes((0x55, 0x04, 0x03))


def elements(data: bytes) -> list[tuple[int, bytes]]:
    """The (tag, content) pairs that fill the bytes exactly; ValueError if they do not."""
    found, at = [], 0
    while at < len(data):
        if at + 2 > len(data):
            raise ValueError("ends in the middle")
        tag, length, at = data[at], data[at + 1], at + 2
        if length >= 0x80:
            size = length & 0x7F
            if not 1 <= size <= 3 or at + size > len(data):
                raise ValueError("has a length that is not DER")
            length, at = int.from_bytes(data[at:at + size], "big"), at + size
        if at + length > len(data):
            raise ValueError(f"is cut off: {at + length - len(data)} bytes are missing")
        found.append((tag, data[at:at + length]))
        at += length
    return found


def only(data: bytes, tag: int, what: str) -> bytes:
    """The content of the one element that the bytes hold."""
    found = elements(data)
    if len(found) != 1 or found[0][0] != tag:
        raise ValueError(f"is not {what}")
    return found[0][1]


def ca_common_name(data: bytes) -> str:
    """The subject's CN of an X.509 CA certificate (RFC 5280 section 4.1); ValueError says what it is not."""
    certificate = elements(only(data, SEQUENCE, "an X.509 certificate"))
    if [tag for tag, _ in certificate] != [SEQUENCE, SEQUENCE, BITS]:
        raise ValueError("is not an X.509 certificate")
    fields = elements(certificate[0][1])
    if not fields or fields[0][0] != 0xA0 or [tag for tag, _ in fields[1:7]] != [INTEGER] + [SEQUENCE] * 5:
        raise ValueError("is not an X.509 version 3 certificate")
    extensions = [content for tag, content in fields[7:] if tag == 0xA3]
    if not extensions or not _is_ca(elements(only(extensions[0], SEQUENCE, "a list of extensions"))):
        raise ValueError("is not the certificate of a CA")
    for _, relative in elements(fields[5][1]):
        for _, attribute in elements(relative):
            parts = elements(attribute)
            if len(parts) == 2 and parts[0][1] == COMMON_NAME:
                return parts[1][1].decode("utf-8", "replace")
    return ""


def validity(data: bytes) -> tuple[int, int]:
    """(not before, not after) of an X.509 certificate, in seconds since 1970; ValueError says what it is not."""
    certificate = elements(only(data, SEQUENCE, "an X.509 certificate"))
    fields = elements(certificate[0][1]) if certificate else []
    times = elements(fields[4][1]) if len(fields) > 4 else []
    if len(times) != 2:
        raise ValueError("has no dates")
    return _time(*times[0]), _time(*times[1])


def authority(data: bytes) -> tuple[bytes, bytes]:
    """(subject, public key) of an X.509 certificate: what stays when a CA renews its own. ValueError says what it is not."""
    certificate = elements(only(data, SEQUENCE, "an X.509 certificate"))
    fields = elements(certificate[0][1]) if certificate else []
    if len(fields) < 7:
        raise ValueError("has no public key")
    return fields[5][1], fields[6][1]


def is_renewal(one: bytes | None, other: bytes | None) -> bool:
    """Whether two certificates are of one CA, which may have renewed it; also where both are missing. Only the holder of its key makes such, and who verifies that is
    OpenSSL, elsewhere."""
    try:
        return one == other or bool(one and other) and authority(one or b"") == authority(other or b"")
    except ValueError:
        return False


def _time(tag: int, content: bytes) -> int:
    """UTCTime or GeneralizedTime as RFC 5280 section 4.1.2.5 has them."""
    text = content.decode("ascii")
    if tag == UTC_TIME:
        text = ("20" if text[:2] < "50" else "19") + text
    elif tag != GENERALIZED_TIME:
        raise ValueError("has a date of an unknown kind")
    if len(text) != 15 or text[14] != "Z" or not text[:14].isdigit():
        raise ValueError("has a date of an unknown form")
    return moments.seconds(*(int(text[at:end]) for at, end in ((0, 4), (4, 6), (6, 8), (8, 10), (10, 12), (12, 14))))


def _is_ca(extensions: list[tuple[int, bytes]]) -> bool:
    for _, extension in extensions:
        parts = elements(extension)
        if parts[0] == (OID, BASIC_CONSTRAINTS):
            constraints = elements(only(parts[-1][1], SEQUENCE, "basic constraints"))
            return bool(constraints) and constraints[0] == (BOOLEAN, b"\xff")
    return False
