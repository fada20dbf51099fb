"""The file of a notice that the pool's CA signed (ipop/Ipopd/State/NoticeFile.cs): WOWN, kind, number in 8 bytes, the signature's length, the signature, the text.
ipopd has verified who signed it."""

MAGIC, HEAD, LARGEST = b"WOWN", 14, 1 << 17
"""How it begins; the bytes before the signature; the bytes of the largest file."""


def opened(data: bytes, kind: int) -> tuple[int, bytes]:
    """Number and text of the file of a notice of a kind. ValueError."""
    if len(data) <= HEAD or data[:5] != MAGIC + bytes((kind,)) or len(data) <= HEAD + data[13]:
        raise ValueError("it is no notice of that kind")
    return int.from_bytes(data[5:13], "big"), data[HEAD + data[13]:]
