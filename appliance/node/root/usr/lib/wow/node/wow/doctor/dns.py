"""One question of DNS by UDP (RFC 1035). Whether a server answers at all is what counts."""
import os
import socket


def question(name: str, number: int) -> bytes:
    """The datagram that asks for a name's address."""
    labels = b"".join(bytes([len(label)]) + label.encode("ascii") for label in name.split("."))
    return number.to_bytes(2, "big") + b"\1\0\0\1\0\0\0\0\0\0" + labels + b"\0\0\1\0\1"


def ask(server: str, port: int, name: str, patience: float = 2.0, tries: int = 2) -> int | None:
    """The answer's code (0: found, 3: no such name, RFC 1035 section 4.1.1); None if none came."""
    number = int.from_bytes(os.urandom(2), "big")
    family = socket.AF_INET6 if ":" in server else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as link:
        link.settimeout(patience / tries)
        for _ in range(tries):
            try:
                link.connect((server, port))
                link.send(question(name, number))
                answer = link.recv(4096)
            except OSError:
                continue
            if len(answer) >= 12 and answer[:2] == number.to_bytes(2, "big"):
                return answer[3] & 15
    return None
