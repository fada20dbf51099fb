"""An origin: a web server outside of the pool that has the files of its stack, as [modules] origins of pool.conf or `wow-ca origins` names it."""
from wow.lib import agreed


def is_origin(text: str) -> bool:
    """Whether it is one, in the spelling that all use."""
    import re
    pattern = f"https://{agreed.ORIGIN_HOST}{agreed.ORIGIN_PORT}{agreed.ORIGIN_PATH}"
    return len(text.partition("#")[0]) <= agreed.LONGEST_ORIGIN and re.fullmatch(pattern, text) is not None


def spelled(text: str) -> str:
    """What somebody typed in that spelling: host and pin in lower case, no zeros before the port, no / at the end. It need be no origin."""
    rest, mark, pin = text.partition("#")
    scheme, slashes, rest = rest.partition("://")
    place, slash, path = rest.partition("/")
    name, colon, port = place.partition(":")
    return f"{scheme}{slashes}{name.lower()}{colon}{port.lstrip('0')}{(slash + path).rstrip('/')}{mark}{pin.lower()}"


class Origin:
    """The parts of `https://HOST[:PORT][/PATH][#sha256=HEX]`, which was checked. pin: SHA-256 of the server's certificate, "" where the world's
    authorities are believed."""

    __slots__ = ("host", "port", "path", "pin")

    def __init__(self, text: str) -> None:
        rest, _, self.pin = text.removeprefix("https://").partition("#sha256=")
        place, slash, path = rest.partition("/")
        self.host, _, port = place.partition(":")
        self.port, self.path = int(port or 443), slash + path

    def request(self, digest: str, at: int) -> bytes:
        """The question for a file from a byte on."""
        place = self.host if self.port == 443 else f"{self.host}:{self.port}"
        rest = f"Range: bytes={at}-\r\n" if at else ""
        return f"GET {self.path}/{digest} HTTP/1.1\r\nHost: {place}\r\nAccept-Encoding: identity\r\n{rest}Connection: close\r\n\r\n".encode()
