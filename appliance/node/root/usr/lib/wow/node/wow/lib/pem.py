"""Certificates as text: PEM (RFC 7468)."""
BEGIN, END = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"
COLUMNS = 64
"""Of a line, RFC 7468 section 2."""


def certificates(text: str) -> list[bytes]:
    """The bytes of each certificate in a text, in its order. What has no end or is no base64 is left out; whether the bytes are a certificate is not looked at."""
    import binascii
    found = []
    for part in text.split(BEGIN)[1:]:
        body, end, _ = part.partition(END)
        try:
            data = binascii.a2b_base64("".join(body.split()), strict_mode=True) if end else b""
        except ValueError:
            continue
        if data:
            found.append(data)
    return found


def certificate(text: str | None) -> bytes | None:
    """The bytes of the first certificate in a text, None if there is none."""
    return next(iter(certificates(text or "")), None)


def encode(data: bytes) -> str:
    """A certificate's text."""
    import binascii
    body = binascii.b2a_base64(data, newline=False).decode()
    return "\n".join([BEGIN, *(body[at:at + COLUMNS] for at in range(0, len(body), COLUMNS)), END, ""])
