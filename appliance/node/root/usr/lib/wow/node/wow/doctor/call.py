"""Calls a bootstrap node as a node does, with the first piece of a handshake (docs/protocol.md, "Handshake"): it answers whoever knows the pool's
secret, and nobody else. No session comes of it."""
import errno
import hmac
import os
import select
import socket
import struct
import time

from wow.lib import agreed

VERSION = 1

# The head of a TLS record and of a Client Hello that does not go on: enough to be acknowledged.
BEGINNING = bytes.fromhex("1603010100010000fc0303")


def frame(secret: bytes, index: int, sender: bytes, data: bytes = BEGINNING) -> bytes:
    """A handshake frame for whoever is there."""
    head = struct.pack("!BBH", 0x10, VERSION, 0)
    rest = struct.pack("!II20s20sII16s", index, 0, sender, bytes(20), 0, 0, bytes(16)) + data
    mac = hmac.new(secret, head + bytes(16) + rest, "sha256").digest()[:16]
    return head + mac + rest


def call(address: str, port: int, secret: bytes, patience: float = 2.0) -> tuple[float | None, str | None]:
    """(milliseconds to the first answer or None, what the system said: refused, unreachable, or None)."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    call_frame = frame(secret, int.from_bytes(os.urandom(4), "big") | 1, os.urandom(20))
    error = None
    with socket.socket(family, socket.SOCK_DGRAM) as link:
        try:
            # The fence lets through what has it; only root may set it.
            link.setsockopt(socket.SOL_SOCKET, socket.SO_MARK, agreed.OVERLAY_MARK)
        except PermissionError:
            pass
        begin, limit = time.monotonic(), time.monotonic() + patience
        try:
            link.connect((address, port))
            while (left := limit - time.monotonic()) > 0:
                link.send(call_frame)
                if select.select([link], [], [], min(left, 0.5))[0]:
                    link.recv(4096)
                    return (time.monotonic() - begin) * 1000, None
        except OSError as trouble:
            error = {errno.ECONNREFUSED: "refused", errno.ENETUNREACH: "unreachable", errno.EHOSTUNREACH: "unreachable"}.get(trouble.errno)
    return None, error
