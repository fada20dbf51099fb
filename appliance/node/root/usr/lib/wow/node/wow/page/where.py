"""Where the web page is reached: by the machine's address on its own network, or, behind VirtualBox's NAT, which lets nobody in, by the port of its owner's computer
that our OVA has VirtualBox forward."""
import array
import fcntl
import socket
import struct

from wow.lib import agreed, files, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Mapping

SIOCGIFCONF, IFREQ = 0x8912, 40  # netdevice(7); bytes of struct ifreq where pointers have 64 bits
MOST = 64
"""Network cards that are looked at."""
PRODUCT = "/sys/class/dmi/id/product_name"
VIRTUALBOX, NAT = "VirtualBox", "10.0.2.15"
"""What VirtualBox calls the computer, and the address that the first card of each machine on its NAT has (its manual, "Network Address Translation")."""
FORWARDED = f"http://localhost:{agreed.FORWARDED_PAGE_PORT}"
NAMES = ("localhost", "127.0.0.1")
"""What a port of somebody's own computer is called that leads here: a forwarded one, ssh -L. Any port, for that computer's owner chose it."""


def own(asked: socket.socket) -> list[str]:
    """The machine's addresses on its own networks, by any socket of IPv4: neither the loopback's nor the pool's."""
    room = array.array("B", bytes(MOST * IFREQ))
    address, size = room.buffer_info()
    told = struct.unpack("iL", fcntl.ioctl(asked, SIOCGIFCONF, struct.pack("iL", size, address)))[0]
    cards = (bytes(room[at:at + IFREQ]) for at in range(0, told, IFREQ))
    return [socket.inet_ntoa(card[20:24]) for card in cards if card[:16].rstrip(b"\0") not in (b"lo", paths.TAP.encode())]


def found() -> list[str]:
    """The same, for who has no socket yet; empty where it cannot be asked."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
            return own(asked)
    except OSError:
        return []


def url(addresses: list[str], product: str = PRODUCT) -> str:
    """The address that works in a browser, empty while the machine has none."""
    if NAT in addresses and files.read(product).strip() == VIRTUALBOX:
        return FORWARDED
    return f"http://{addresses[0]}" if addresses else ""


def ssh(addresses: list[str], product: str = PRODUCT) -> str:
    """The command by which a person of the pool logs in there, empty while the machine has no address."""
    if url(addresses, product) == FORWARDED:
        return f"ssh -p {agreed.FORWARDED_SSH_PORT} NAME@localhost"
    return f"ssh NAME@{addresses[0]}" if addresses else ""


def pasted(host: str, addresses: list[str], product: str = PRODUCT) -> str:
    """The address for what is pasted on the owner's computer, where a browser that asks sent this Host: behind VirtualBox's NAT its port counts, for its owner may have
    chosen another one."""
    works = url(addresses, product)
    name, _, port = host.partition(":")
    return f"http://{name}:{port}" if works == FORWARDED and name in NAMES and port else works or f"http://{host}"


def is_ours(host: str, addresses: list[str]) -> bool:
    """Whether a browser that sends this Host means this machine. A name that somebody else's server led here (DNS rebinding) is none of ours."""
    name, _, port = host.partition(":")
    if port and not (port.isascii() and port.isdigit()):
        return False
    return name in NAMES or (name in addresses and port in ("", str(paths.PAGE_PORT)))


def cookie(name: str, host: str) -> str:
    """A cookie's name at this Host. A browser has one jar for all ports of a name, and two machines are often at two ports of localhost."""
    _, _, port = host.partition(":")
    return f"{name}-{port}" if port else name


def secret(name: str, environ: "Mapping[str, Any]") -> str:
    """What a browser sent as that cookie of ours, empty for nothing. Programs at other ports of the same name set cookies of any form, and http.cookies drops all that it
    finds beside one that it does not know."""
    wanted = cookie(name, environ.get("HTTP_HOST", ""))
    pairs = (one.partition("=") for one in environ.get("HTTP_COOKIE", "").split(";"))
    return next((str(value).strip() for found, _, value in pairs if value and found.strip() == wanted), "")
