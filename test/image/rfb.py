"""Speaks VNC (RFC 6143) through a WebSocket (RFC 6455), as noVNC does. usage: rfb.py PORT PATH

Prints the version, the kinds of authentication, the result, width, height and name of the screen. Ends with an error where nobody lets it in.
"""

import base64
import os
import socket
import sys

HEAD = """GET {path} HTTP/1.1\r
Host: localhost:{port}\r
Upgrade: websocket\r
Connection: Upgrade\r
Sec-WebSocket-Version: 13\r
Sec-WebSocket-Protocol: binary\r
Sec-WebSocket-Key: {key}\r
\r
"""
BINARY, CLOSES, LONG, MASKED = 2, 8, 126, 0x80


class Socket:
    """The WebSocket; get and put are of VNC's bytes."""

    def __init__(self, port, path):
        self.to = socket.create_connection(("127.0.0.1", port), timeout=20)
        self.to.sendall(HEAD.format(port=port, path=path, key=base64.b64encode(os.urandom(16)).decode()).encode())
        self.read, self.kept = self.to.makefile("rb"), b""
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            if not (one := self.read.read(1)):
                sys.exit(f"nothing: {head}")
            head += one
        if b" 101 " not in head.split(b"\r\n")[0]:
            sys.exit(f"no socket: {head}")

    def get(self, count):
        while len(self.kept) < count:
            first, length = self.read.read(2)
            data = self.read.read(int.from_bytes(self.read.read(2), "big") if length == LONG else length)
            if first & 15 == CLOSES:
                sys.exit("closed")
            self.kept += data if first & 15 == BINARY else b""
        data, self.kept = self.kept[:count], self.kept[count:]
        return data

    def put(self, data):
        mask = os.urandom(4)
        self.to.sendall(bytes([0x80 | BINARY, MASKED | len(data)]) + mask + bytes(one ^ mask[at % 4] for at, one in enumerate(data)))

    def number(self, size):
        return int.from_bytes(self.get(size), "big")


def main(port, path):
    to = Socket(int(port), path)
    version = to.get(12)
    to.put(version)
    kinds = to.get(to.number(1))
    to.put(kinds[:1])
    result = to.number(4)
    # The screen may be others' as well.
    to.put(b"\x01")
    wide, high = to.number(2), to.number(2)
    # How a pixel is written.
    to.get(16)
    print(version.decode().strip(), list(kinds), result, wide, high, to.get(to.number(4)).decode())


if __name__ == "__main__":
    main(*sys.argv[1:])
