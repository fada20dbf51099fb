"""The overlay's frames as docs/protocol.md has them, written and read without a line of the daemon's or the dissector's code."""

import struct
from dataclasses import dataclass, replace

HANDSHAKE, DATA, KNOCK, ESP = 0x10, 0x11, 0x12, 0x13
VERSION = 1
_UDP_HEAD = 8


@dataclass(frozen=True)
class Frame:
    """What a frame says of itself. Fields of the other type are None; verdicts are the words that the dissector must find."""

    type: int
    verdicts: tuple = ()
    sender_index: int = None
    receiver_index: int = None
    offset: int = None
    ack: int = None
    counter: int = None
    length: int = None


def handshake(data=b"", sender_index=1, receiver_index=0, offset=0, ack=0, version=VERSION, reserved=0, sender=b"\1" * 20, target=bytes(20),
              cookie=bytes(16)):
    """A handshake frame; its MAC is no pool's."""
    return struct.pack(
        "!BBH16sII20s20sII16s", HANDSHAKE, version, reserved, b"\xaa" * 16, sender_index, receiver_index, sender, target, offset, ack, cookie) + data


def data(sealed=b"\0", receiver_index=1, counter=0, salt=0x123456789abc):
    """A data frame that nobody can open."""
    return struct.pack("!IIQ", DATA << 24 | salt >> 24, receiver_index, (salt & 0xFFFFFF) << 40 | counter) + sealed + b"\xbb" * 16


def esp(rest=bytes(16), receiver_index=1, counter=0, salt=0x123456789abc):
    """A frame of ESP that nobody can open."""
    return bytes([ESP]) + data(bytes(28), receiver_index, counter, salt)[1:] + rest


def knock(kind=1, version=VERSION, reserved=0, endpoint=bytes(18)):
    """A knock; its MAC is no pool's."""
    return struct.pack("!BBBB16sQ", KNOCK, version, reserved, kind, b"\xaa" * 16, 7) + endpoint


def payload(frame):
    """What a UDP datagram without fragments carries; frame is Ethernet with IPv4."""
    start = 14 + (frame[14] & 15) * 4
    (length,) = struct.unpack_from("!H", frame, start + 4)
    return frame[start + _UDP_HEAD:start + length]


def read(datagram):
    """The Frame in a datagram; None if its first byte is no type."""
    if not datagram or datagram[0] not in (HANDSHAKE, DATA, KNOCK, ESP):
        return None
    return {HANDSHAKE: _handshake, DATA: _data, KNOCK: _knock, ESP: _esp}[datagram[0]](datagram)


def _handshake(datagram):
    if len(datagram) < 92:
        return Frame(HANDSHAKE, ("short",))
    verdicts = ("long",) if len(datagram) > 1052 else ()
    _, version, reserved, _, sender, receiver, _, _, offset, ack = struct.unpack_from("!BBH16sII20s20sII", datagram)
    if version != VERSION:
        return Frame(HANDSHAKE, (*verdicts, "version"))
    verdicts += ("reserved",) if reserved else ()
    verdicts += () if sender else ("index",)
    return Frame(HANDSHAKE, verdicts, sender, receiver, offset, ack, None, len(datagram) - 92)


def _data(datagram):
    if len(datagram) < 33:
        return Frame(DATA, ("short",))
    verdicts = ("long",) if len(datagram) > 9248 else ()
    _, receiver, salted = struct.unpack_from("!IIQ", datagram)
    return Frame(DATA, verdicts, None, receiver, None, None, salted & (1 << 40) - 1, len(datagram) - 32)


def _esp(datagram):
    if len(datagram) < 76:
        return Frame(ESP, ("short",))
    verdicts = ("long",) if len(datagram) > 9247 else ()
    return replace(_data(datagram), type=ESP, verdicts=verdicts, length=28)


def _knock(datagram):
    if len(datagram) < 46:
        return Frame(KNOCK, ("short",))
    verdicts = ("long",) if len(datagram) > 46 else ()
    _, version, reserved, kind = datagram[:4]
    if version != VERSION:
        return Frame(KNOCK, (*verdicts, "version"))
    verdicts += ("reserved",) if reserved else ()
    verdicts += () if kind in (1, 2) else ("kind",)
    return Frame(KNOCK, verdicts)
