"""Just enough DER to know a CA certificate from anything else, and to show whose it is. Who verifies certificates is OpenSSL, elsewhere."""

SEQUENCE, SET, INTEGER, BITS, OID, BOOLEAN, OCTETS = 0x30, 0x31, 0x02, 0x03, 0x06, 0x01, 0x04
UTC_TIME, GENERALIZED_TIME = 0x17, 0x18
BASIC_CONSTRAINTS = bytes((0x55, 0x1D, 0x13))
COMMON_NAME = bytes((0x55, 0x04, 0x03))


def elements(data):
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


def only(data, tag, what):
    """The content of the one element that the bytes hold."""
    found = elements(data)
    if len(found) != 1 or found[0][0] != tag:
        raise ValueError(f"is not {what}")
    return found[0][1]


def ca_common_name(data):
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
            (_, kind), (_, text) = elements(attribute)
            if kind == COMMON_NAME:
                return text.decode("utf-8", "replace")
    return ""


def validity(data):
    """(not before, not after) of an X.509 certificate, in seconds since 1970; ValueError says what it is not."""
    certificate = elements(only(data, SEQUENCE, "an X.509 certificate"))
    fields = elements(certificate[0][1]) if certificate else []
    times = elements(fields[4][1]) if len(fields) > 4 else []
    if len(times) != 2:
        raise ValueError("has no dates")
    return _time(*times[0]), _time(*times[1])


def _time(tag, content):
    """UTCTime or GeneralizedTime as RFC 5280 section 4.1.2.5 has them."""
    import calendar
    import time
    text = content.decode("ascii")
    if tag == UTC_TIME:
        text = ("20" if text[:2] < "50" else "19") + text
    elif tag != GENERALIZED_TIME:
        raise ValueError("has a date of an unknown kind")
    return calendar.timegm(time.strptime(text, "%Y%m%d%H%M%SZ"))


def _is_ca(extensions):
    for _, extension in extensions:
        parts = elements(extension)
        if parts[0] == (OID, BASIC_CONSTRAINTS):
            constraints = elements(only(parts[-1][1], SEQUENCE, "basic constraints"))
            return bool(constraints) and constraints[0] == (BOOLEAN, b"\xff")
    return False
