"""The kinds of values that pool.conf has (docs/contract/settings.json): a function each, which gives a value back in its one spelling, or says what is
wrong with it."""
import binascii

from wow.config import ticket
from wow.lib import agreed, der, ipv4
from wow.lib.origin import is_origin, spelled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

LETTERS, DIGITS = "abcdefghijklmnopqrstuvwxyz", "0123456789"
KEY_TYPES = ("ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521",
             "sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com")
LONGEST_WORDS, LONGEST_SENTENCE, LONGEST_LINK, LONGEST_HASH = 64, 160, 200, 120
KEPT = (("0.0.0.0/8", "this host"), ("127.0.0.0/8", "loopback"), ("169.254.0.0/16", "link-local addresses"), ("224.0.0.0/3", "multicast"))
"""Networks that no pool may have, and what for (RFC 6890)."""


class Wrong(Exception):
    """A value is not of its kind; the text says what it is, `todo` what is to be done if that is not what one does about its kind."""

    def __init__(self, what: str, todo: str = "") -> None:
        super().__init__(what)
        self.todo = todo


class Kind:
    """`check` gets a value and the kind's limits, least and most or the words that there are; `todo` says how one is written."""

    __slots__ = ("check", "todo")

    def __init__(self, check: "Callable[[str, tuple[str, ...]], str]", todo: str) -> None:
        self.check, self.todo = check, todo


def words_of(text: str) -> list[str]:
    """The words between blanks and tabs; whatever else looks like a blank is none, here as for ipopd."""
    return [word for word in text.replace("\t", " ").split(" ") if word]


def is_label(text: str) -> bool:
    """Whether the text is one DNS label in small letters (RFC 1123 section 2.1)."""
    return 0 < len(text) <= 63 and not set(text) - set(LETTERS + DIGITS + "-") and text[0] != "-" and text[-1] != "-"


def is_port(text: str) -> bool:
    """Whether the text is a port that one can listen on."""
    return text.isascii() and text.isdigit() and len(text) <= 5 and 0 < int(text) < 65536


def is_host(text: str) -> bool:
    """Whether the text is a name or an IPv4 address."""
    if not set(text) - set(DIGITS + "."):
        try:
            return ipv4.parse_address(text) is not None
        except ValueError:
            return False
    return len(text) <= 253 and all(map(is_label, text.lower().split(".")))


def choice(text: str, limits: tuple[str, ...]) -> str:
    """One of a few words."""
    if text not in limits:
        raise Wrong(f'"{text}" is not possible', f"Write {' or '.join(limits)}")
    return text


def switch(text: str, _: tuple[str, ...]) -> str:
    """yes or no."""
    return choice(text, ("yes", "no"))


def number(text: str, limits: tuple[str, ...]) -> str:
    """A number of decimal digits, with a tenth where the limits have one."""
    least, most = limits
    whole, point, tenth = text.partition(".")
    is_number = text.isascii() and whole.isdigit() and len(whole) <= len(most) + 2 and (not point or "." in least and len(tenth) == 1 and tenth.isdigit())
    if not is_number or not float(least) <= float(text) <= float(most):
        raise Wrong(f'"{text}" is not a number from {least} to {most}', f"Write a number from {least} to {most}, without a sign")
    return f"{float(text):g}" if point else str(int(text))


def label(text: str, _: tuple[str, ...]) -> str:
    """A DNS label."""
    if not is_label(text):
        raise Wrong(f'"{text}" is not a DNS label')
    return text


def labels(text: str, _: tuple[str, ...]) -> str:
    """DNS labels."""
    for one in words_of(text):
        if not is_label(one):
            raise Wrong(f'"{one}" is not the name of a module')
    return " ".join(words_of(text))


def words(text: str, _: tuple[str, ...]) -> str:
    """Words that stand in the machine's ad and on pages as they are."""
    if len(text) > LONGEST_WORDS or set(text.lower()) - set(LETTERS + DIGITS + " .@_-"):
        raise Wrong(f"is more than {LONGEST_WORDS} characters, or others than letters, digits, blanks and . @ _ -")
    return text


def zone(text: str, _: tuple[str, ...]) -> str:
    """A time zone's name. Whether there is one of it the machine knows, not who makes the file."""
    parts = text.split("/")
    if len(text) > LONGEST_WORDS or not all(part and part[0].lower() in LETTERS and not set(part.lower()) - set(LETTERS + DIGITS + "_+-") for part in parts):
        raise Wrong(f'"{text[:60]}" is not the name of a time zone')
    return text


def password_hash(text: str, _: tuple[str, ...]) -> str:
    """What crypt(5) makes of a password, by a method that is still sound."""
    method, rest = (text[1:].split("$", 1) + [""])[:2]
    if text[:1] != "$" or method not in ("5", "6", "y") or not 20 <= len(rest) <= LONGEST_HASH or set(rest.lower()) - set(LETTERS + DIGITS + "./$="):
        raise Wrong("is not the hash of a password")
    return text


def sentence(text: str, _: tuple[str, ...]) -> str:
    """A sentence that stands on pages as it is: no mark in it means anything to HTML, ClassAds, JSON or a terminal."""
    if len(text) > LONGEST_SENTENCE or not all(one.isalnum() or one in " .,;:!?()/+-'%" for one in text):
        raise Wrong(f"is more than {LONGEST_SENTENCE} characters, or others than letters, digits, blanks and . , ; : ! ? ( ) / + - ' %")
    return text


def link(text: str, _: tuple[str, ...]) -> str:
    """An address of the web, which stands on pages as it is."""
    rest = next((text[len(scheme):] for scheme in ("http://", "https://") if text.startswith(scheme)), "")
    place = rest.split("/", 1)[0]
    path = rest[len(place):]
    name, colon, at = place.partition(":")
    if len(text) > LONGEST_LINK or not is_host(name) or (colon and not is_port(at)):
        raise Wrong(f'"{text[:60]}" is not http:// or https:// with a host')
    if set(path.lower()) - set(LETTERS + DIGITS + "._~/?#=%+:-"):
        raise Wrong(f'"{text[:60]}" has other characters than letters, digits and . _ ~ / ? # = % + : -')
    return text


def origins(text: str, _: tuple[str, ...]) -> str:
    """Web servers that have the stack's files."""
    found = []
    for one in words_of(text):
        made = spelled(one)
        if not is_origin(made):
            raise Wrong(f'"{one[:60]}" is not https:// with a host, and behind it a port, a path of letters, digits and . _ ~ / % + -, and #sha256= with 64 hex digits, '
                        f"if any; {agreed.LONGEST_ORIGIN} characters before # at most", "Get the digits by `openssl x509 -in CERTIFICATE -outform DER | sha256sum`")
        found.append(made)
    if len(found) > agreed.MOST_ORIGINS or len(set(found)) < len(found):
        raise Wrong(f"names more than {agreed.MOST_ORIGINS} places, or one of them twice", f"Name {agreed.MOST_ORIGINS} at most")
    return " ".join(found)


def subnet(text: str, _: tuple[str, ...]) -> str:
    """A prefix that addresses can be given out of."""
    try:
        network, bits = ipv4.parse_prefix(text)
    except ValueError as error:
        raise Wrong(str(error)) from None
    if not 8 <= bits <= 28:
        raise Wrong(f'"{text}" is too {"large" if bits < 8 else "small"}')
    for kept, use in KEPT:
        if ipv4.overlap((network, bits), ipv4.parse_prefix(kept)):
            raise Wrong(f'"{text}" is kept for {use}')
    return text


def ranges(text: str, limits: tuple[str, ...]) -> str:
    """Ranges inside a subnet, the one limit, that leave somebody an address."""
    network, bits = ipv4.parse_prefix(limits[0])
    end, found = network + (1 << 32 - bits), []
    for one in (part.strip(" \t") for part in text.split(",")):
        begin, finish = one.split("-", 1) if "-" in one else (one, "")
        try:
            first, last = ipv4.parse_address(begin), ipv4.parse_address(finish)
        except ValueError:
            raise Wrong(f'"{one}" is not FIRST-LAST') from None
        if first > last:
            raise Wrong(f'"{one}" ends before it begins')
        if first < network or last >= end:
            raise Wrong(f'"{one}" is not inside the subnet', "Reserve addresses of [pool] subnet alone")
        found.append((first, last))
    free = network + 1
    found.sort()
    for first, last in found:
        free = max(free, last + 1) if first <= free else free
    # The last two are the DHCP server's and the broadcast address.
    if free > end - 3:
        raise Wrong("leaves no address to anybody", "Reserve less")
    return ", ".join(f"{ipv4.format_address(first)}-{ipv4.format_address(last)}" for first, last in found)


def secret(text: str, _: tuple[str, ...]) -> str:
    """32 bytes."""
    if len(text) != 64 or set(text.lower()) - set("0123456789abcdef"):
        raise Wrong("is not 64 hex digits")
    return text.lower()


def bootstrap(text: str, _: tuple[str, ...]) -> str:
    """Where nodes are."""
    found = []
    for one in words_of(text):
        parts = one.split(":")
        if len(parts) != 3 or parts[0] != "udp" or not is_host(parts[1]) or not is_port(parts[2]):
            raise Wrong(f'"{one}" is not udp:HOST:PORT')
        found.append(f"udp:{parts[1]}:{int(parts[2])}")
    return " ".join(found)


def own_or_port(text: str, _: tuple[str, ...]) -> str:
    """A port, or that the machine chooses."""
    if text == "auto":
        return text
    if not is_port(text):
        raise Wrong(f'"{text}" is neither auto nor a port from 1 to 65535')
    return str(int(text))


def ports(text: str, _: tuple[str, ...]) -> str:
    """Different ports, or a word."""
    if text in ("auto", "none"):
        return text
    found = [str(int(word)) if is_port(word) else "" for word in words_of(text)]
    if "" in found or len(set(found)) < len(found):
        raise Wrong(f'"{text}" is neither auto, none nor a list of different ports')
    return " ".join(found)


def host(text: str, _: tuple[str, ...]) -> str:
    """A server."""
    if not is_host(text):
        raise Wrong(f'"{text}" is not a host')
    return text


def loopback(text: str, _: tuple[str, ...]) -> str:
    """An address of this machine alone, and a port."""
    address, port = text.rsplit(":", 1) if ":" in text else ("", text)
    try:
        is_own = address == "[::1]" or ipv4.overlap((ipv4.parse_address(address), 32), ipv4.parse_prefix("127.0.0.0/8"))
    except ValueError:
        raise Wrong(f'"{text}" is not ADDRESS:PORT') from None
    if not is_port(port):
        raise Wrong(f'"{text}" is not ADDRESS:PORT')
    if not is_own:
        raise Wrong(f'"{text}" is not a loopback address; it is for this machine alone')
    return f"{address}:{int(port)}"


def one_ticket(text: str, _: tuple[str, ...]) -> str:
    """A ticket."""
    if not ticket.is_ticket(text):
        raise Wrong("is not ID:SECRET")
    return text


def certificate(text: str, _: tuple[str, ...]) -> str:
    """A CA's certificate."""
    try:
        data = binascii.a2b_base64(text.encode("ascii"), strict_mode=True)
    except (ValueError, UnicodeEncodeError):
        raise Wrong("is not base64") from None
    try:
        der.ca_common_name(data)
    except (ValueError, IndexError) as error:
        raise Wrong(str(error)) from None
    return text


def public_key(text: str, _: tuple[str, ...]) -> str:
    """The one line of a .pub file of OpenSSH."""
    kind, *rest = text.split(" ", 1)
    if kind not in KEY_TYPES:
        raise Wrong(f'"{kind[:30]}" is not a kind of OpenSSH key')
    try:
        blob = binascii.a2b_base64("".join(rest).split()[0].encode("ascii"), strict_mode=True)
    except (ValueError, IndexError, UnicodeEncodeError):
        raise Wrong("is not base64") from None
    length = int.from_bytes(blob[:4], "big")
    if blob[4:4 + length] != kind.encode() or len(blob) <= 4 + length:
        raise Wrong(f"is not a {kind} key")
    return text


KINDS = {
    "switch": Kind(switch, "Write yes or no"),
    "choice": Kind(choice, "Write one of its words"),
    "number": Kind(number, "Write a number"),
    "label": Kind(label, "Use small letters, digits and inner hyphens, at most 63, like science"),
    "labels": Kind(labels, "Write names with blanks between, as `wow module list` shows them"),
    "words": Kind(words, "Write a name like Ada of lab 3"),
    "zone": Kind(zone, "Write a name of the time zone database, like Europe/Berlin"),
    "hash": Kind(password_hash, "Write the line that `openssl passwd -6` prints"),
    "sentence": Kind(sentence, "Write a sentence like: We forecast storm surges on the coast."),
    "link": Kind(link, "Write an address like https://example.org/surge"),
    "origins": Kind(origins, "Write addresses like https://example.org/wow, blanks between, without ? in them"),
    "subnet": Kind(subnet, "Write an IPv4 prefix between /8 and /28, like 10.128.0.0/16"),
    "ranges": Kind(ranges, "Write ranges like 10.128.0.1-10.128.3.255, commas between"),
    "secret": Kind(secret, "Take it from the pool's other machines; a new pool makes it by `openssl rand -hex 32`"),
    "bootstrap": Kind(bootstrap, "Name nodes that are always there, like udp:203.0.113.7:4433, blanks between"),
    "port": Kind(own_or_port, "Write auto, or a port like 4433"),
    "ports": Kind(ports, "Write auto, none, or ports like 4433 443"),
    "host": Kind(host, "Name one server by its name or IPv4 address, like ntp.example.org"),
    "loopback": Kind(loopback, "Write a loopback address and a port, like 127.0.0.1:9433 or [::1]:9433"),
    "ticket": Kind(one_ticket, "Copy the line that `wow-ca ticket` printed, without blanks"),
    "certificate": Kind(certificate, "Copy the line that `wow-ca` printed: base64 of the DER, all on one line"),
    "public-key": Kind(public_key, "Copy the one line of the .pub file, like ssh-ed25519 AAAA... name"),
}
