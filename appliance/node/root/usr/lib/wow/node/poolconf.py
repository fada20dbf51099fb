"""The only reader of pool.conf. The keys, their meaning and defaults: docs/architecture.md; how to write one: docs/operating.md."""
import binascii

import der
import ini
import ipv4
from errors import WowError

TRUST, USERS = "ca", "user:"
KEYS = {
    "pool": ("name", "subnet", "reserved", "bootstrap", "secret", "open"),
    "ca": ("certificate", "ticket"),
    "node": ("role", "host", "port", "capture"),
    "udp": ("port-mapping", "multicast"),
    "tcp": ("ports",),
    "relay": ("rate",),
    "time": ("ntp",),
    "metrics": ("listen",),
    "modules": ("names",),
}
USER_KEYS = ("authorized-key",)
LARGEST_RATE = 65535
LETTERS, DIGITS = "abcdefghijklmnopqrstuvwxyz", "0123456789"
KEY_TYPES = ("ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521",
             "sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com")


class Pool:
    """A pool.conf that was read and found right. Addresses are text; `modules` is None when all of the image's are wanted."""

    __slots__ = ("name", "subnet", "reserved", "bootstrap", "secret", "open", "ca_der", "ca_name", "ticket", "role", "host", "port", "capture",
                 "port_mapping", "multicast", "tcp_ports", "relay_rate", "ntp", "metrics", "users", "modules")

    @property
    def zone(self):
        """The DNS zone of the pool."""
        return f"{self.name}.internal"

    @property
    def is_manager(self):
        """Whether this machine is the pool's manager."""
        return self.role == "manager"


def load(path, shown="pool.conf"):
    """Reads a file; `shown` is its name in errors."""
    try:
        with open(path, "rb") as file:
            return read(file.read(ini.LARGEST + 1), shown)
    except FileNotFoundError:
        raise WowError("is missing", "Attach the disk labelled WOWCFG that holds it and start again; `wow image stamp` makes one",
                       shown) from None
    except OSError as error:
        raise WowError(f"cannot be read: {error.strerror}", "Make the WOWCFG disk anew with `wow image stamp`", shown) from None


def read(data, file="pool.conf"):
    """A Pool from the file's bytes; WowError names file, section, key and what to do."""
    sections = ini.parse(data, file)
    _known(sections, file)
    reader = _Reader(sections, file)
    pool = Pool()
    pool.name = reader.label("pool", "name")
    if pool.name is None:
        raise reader.error("pool", "name", "is missing", "Name the pool with one DNS label, like name = science")
    pool.subnet = reader.subnet()
    pool.reserved = reader.reserved(*ipv4.parse_prefix(pool.subnet))
    pool.role = reader.choice("node", "role", ("worker", "manager"), "worker")
    pool.bootstrap = reader.bootstrap(required=pool.role != "manager")
    pool.secret = reader.secret()
    pool.open = reader.choice("pool", "open", ("yes", "no"), "no") == "yes"
    pool.ca_der, pool.ca_name = reader.certificate(pool.open)
    pool.ticket = reader.ticket(pool.open)
    pool.host = reader.label("node", "host")
    pool.port = reader.port()
    pool.capture = reader.choice("node", "capture", ("yes", "no"), "no") == "yes"
    pool.port_mapping = reader.choice("udp", "port-mapping", ("yes", "no"), "yes")
    pool.multicast = reader.choice("udp", "multicast", ("yes", "no"), "yes")
    pool.tcp_ports = reader.tcp_ports()
    pool.relay_rate = reader.relay_rate()
    pool.ntp = reader.ntp()
    pool.metrics = reader.metrics()
    pool.users = reader.users()
    pool.modules = reader.modules()
    return pool


def _known(sections, file):
    for section, keys in sections.items():
        allowed = USER_KEYS if section.startswith(USERS) else KEYS.get(section)
        if allowed is None:
            raise WowError("is not a section of pool.conf", f"Remove it, or use one of [{'], ['.join(KEYS)}], [user:NAME]", file, f"[{section}]")
        for key, (_, number) in keys.items():
            if key not in allowed:
                raise WowError(f"is not a key of this section (line {number})", f"Remove it, or use one of: {', '.join(allowed)}", file,
                               f"[{section}] {key}")


def is_label(text):
    """Whether the text is one DNS label in small letters (RFC 1123 section 2.1)."""
    return 0 < len(text) <= 63 and not set(text) - set(LETTERS + DIGITS + "-") and text[0] != "-" and text[-1] != "-"


class _Reader:
    """One method a kind of value."""

    def __init__(self, sections, file):
        self.sections = sections
        self.file = file

    def get(self, section, key):
        """The value, or None where it is absent or empty."""
        value = self.sections.get(section, {}).get(key)
        return value[0] if value and value[0] else None

    def error(self, section, key, what, todo):
        """A WowError about one key."""
        return WowError(what, todo, self.file, f"[{section}] {key}")

    def choice(self, section, key, allowed, default):
        value = self.get(section, key) or default
        if value not in allowed:
            raise self.error(section, key, f'"{value}" is not possible', f"Write {' or '.join(allowed)}")
        return value

    def label(self, section, key):
        value = self.get(section, key)
        if value is not None and not is_label(value):
            raise self.error(section, key, f'"{value}" is not a DNS label', "Use small letters, digits and inner hyphens, at most 63")
        return value

    def subnet(self):
        value, example = self.get("pool", "subnet"), "Write an IPv4 prefix between /8 and /28, like 10.128.0.0/16"
        if value is None:
            raise self.error("pool", "subnet", "is missing", example)
        try:
            network, bits = ipv4.parse_prefix(value)
        except ValueError as error:
            raise self.error("pool", "subnet", str(error), example) from None
        if not 8 <= bits <= 28:
            raise self.error("pool", "subnet", f'"{value}" is too {"large" if bits < 8 else "small"}', example)
        for taken, why in (("0.0.0.0/8", "this host"), ("127.0.0.0/8", "loopback"), ("169.254.0.0/16", "link-local addresses"),
                           ("224.0.0.0/3", "multicast")):
            if ipv4.overlap((network, bits), ipv4.parse_prefix(taken)):
                raise self.error("pool", "subnet", f'"{value}" is kept for {why}', example)
        return value

    def reserved(self, network, bits):
        value, example = self.get("pool", "reserved"), "Write ranges like 10.128.0.1-10.128.3.255, commas between"
        if value is None:
            return None
        end, ranges = network + (1 << 32 - bits), []
        for one in value.split(","):
            first, _, last = one.strip().partition("-")
            try:
                first, last = ipv4.parse_address(first), ipv4.parse_address(last)
            except ValueError:
                raise self.error("pool", "reserved", f'"{one.strip()}" is not FIRST-LAST', example) from None
            if first > last:
                raise self.error("pool", "reserved", f'"{one.strip()}" ends before it begins', example)
            if first < network or last >= end:
                raise self.error("pool", "reserved", f'"{one.strip()}" is not inside the subnet', "Reserve addresses of [pool] subnet alone")
            ranges.append((first, last))
        free = network + 1
        for first, last in sorted(ranges):
            free = max(free, last + 1) if first <= free else free
        # The last two are the DHCP server's and the broadcast address.
        if free > end - 3:
            raise self.error("pool", "reserved", "leaves no address to anybody", "Reserve less")
        return value

    def bootstrap(self, required):
        value = self.get("pool", "bootstrap")
        if value is None:
            if required:
                raise self.error("pool", "bootstrap", "is missing", "Name nodes that are always there, like udp:203.0.113.7:4433")
            return ()
        for one in value.split():
            parts = one.split(":")
            if len(parts) != 3 or parts[0] != "udp" or not _is_host(parts[1]) or not _is_port(parts[2]):
                raise self.error("pool", "bootstrap", f'"{one}" is not udp:HOST:PORT', "Write them like udp:203.0.113.7:4433, blanks between")
        return tuple(value.split())

    def secret(self):
        value = self.get("pool", "secret")
        if value is None or len(value) != 64 or set(value.lower()) - set("0123456789abcdef"):
            raise self.error("pool", "secret", "is missing" if value is None else "is not 64 hex digits",
                             "Take it from the pool's other machines; a new pool makes it by `openssl rand -hex 32`")
        return value.lower()

    def certificate(self, is_open):
        value, todo = self.get(TRUST, "certificate"), "Copy the line that `wow-ca` printed: base64 of the DER, all on one line"
        if is_open:
            if value is not None:
                raise self.error(TRUST, "certificate", "stands in a pool that is open", "Remove the section [ca], or [pool] open")
            return None, None
        if value is None:
            raise self.error(TRUST, "certificate", "is missing", todo + "; or declare the pool open by [pool] open = yes")
        try:
            certificate = binascii.a2b_base64(value.encode("ascii"), strict_mode=True)
        except (ValueError, UnicodeEncodeError):
            raise self.error(TRUST, "certificate", "is not base64", todo) from None
        try:
            return certificate, der.ca_common_name(certificate)
        except (ValueError, IndexError) as error:
            raise self.error(TRUST, "certificate", str(error), todo) from None

    def ticket(self, is_open):
        value = self.get(TRUST, "ticket")
        if value is None:
            return None
        if is_open:
            raise self.error(TRUST, "ticket", "stands in a pool that is open", "Remove the section [ca], or [pool] open")
        if not is_ticket(value):
            raise self.error(TRUST, "ticket", "is not ID:SECRET", "Copy the line that `wow-ca ticket` printed, without blanks")
        return value

    def port(self):
        value = self.get("node", "port") or "4433"
        if not _is_port(value):
            raise self.error("node", "port", f'"{value}" is not a UDP port', "Write a number from 1 to 65535, like 4433")
        return int(value)

    def tcp_ports(self):
        value = self.get("tcp", "ports") or "auto"
        ports = value.split()
        if value not in ("auto", "none") and (not all(map(_is_port, ports)) or len(set(map(int, ports))) < len(ports)):
            raise self.error("tcp", "ports", f'"{value}" is neither auto, none nor a list of different ports', "Write auto, none, or ports like 4433 443")
        return " ".join(ports)

    def relay_rate(self):
        value = self.get("relay", "rate") or "1000"
        if not value.isascii() or not value.isdigit() or len(value) > 7 or int(value) > LARGEST_RATE:
            raise self.error("relay", "rate", f'"{value}" is not a number from 0 to {LARGEST_RATE}', "Write kB/s, like 1000; 0 is no limit")
        return int(value)

    def ntp(self):
        value = self.get("time", "ntp")
        if value is not None and not _is_host(value):
            raise self.error("time", "ntp", f'"{value}" is not a host', "Name one server by its name or IPv4 address, like ntp.example.org")
        return value

    def metrics(self):
        value = self.get("metrics", "listen")
        if value is None:
            return None
        host, _, port = value.rpartition(":")
        todo = "Write a loopback address and a port, like 127.0.0.1:9433 or [::1]:9433"
        try:
            is_loopback = host == "[::1]" or ipv4.overlap((ipv4.parse_address(host), 32), ipv4.parse_prefix("127.0.0.0/8"))
        except ValueError:
            raise self.error("metrics", "listen", f'"{value}" is not ADDRESS:PORT', todo) from None
        if not _is_port(port):
            raise self.error("metrics", "listen", f'"{value}" is not ADDRESS:PORT', todo)
        if not is_loopback:
            raise self.error("metrics", "listen", f'"{value}" is not a loopback address; metrics name every peer and are for this machine alone', todo)
        return value

    def users(self):
        found = {}
        for section in self.sections:
            if section.startswith(USERS):
                name = section[len(USERS):]
                if not name or len(name) > 32 or set(name) - set(LETTERS + DIGITS + "_-") or name[0] not in LETTERS:
                    raise WowError(f'"{name}" is not a user name', "Use small letters, digits, - and _, a letter first, at most 32",
                                   self.file, f"[{section}]")
                found[name] = self.authorized_key(section)
        return found

    def authorized_key(self, section):
        value, todo = self.get(section, "authorized-key"), "Copy the one line of the .pub file, like ssh-ed25519 AAAA... name"
        if value is None:
            return None
        kind, _, rest = value.partition(" ")
        if kind not in KEY_TYPES:
            raise self.error(section, "authorized-key", f'"{kind[:30]}" is not a kind of OpenSSH key', todo)
        try:
            blob = binascii.a2b_base64(rest.split()[0].encode("ascii"), strict_mode=True)
        except (ValueError, IndexError, UnicodeEncodeError):
            raise self.error(section, "authorized-key", "is not base64", todo) from None
        length = int.from_bytes(blob[:4], "big")
        if blob[4:4 + length] != kind.encode() or len(blob) <= 4 + length:
            raise self.error(section, "authorized-key", f"is not a {kind} key", todo)
        return value

    def modules(self):
        value = self.get("modules", "names")
        if value is None:
            return None
        for name in value.split():
            if not is_label(name):
                raise self.error("modules", "names", f'"{name}" is not the name of a module', "Write names with blanks between, as `wow module list` shows them")
        return tuple(value.split())


def is_ticket(text):
    """Whether the text has the form of a ticket: an id, a colon, a secret."""
    head, colon, tail = text.partition(":")
    return bool(head and colon and tail) and text.isascii() and text.isprintable() and " " not in text and len(text) <= 256


def _is_port(text):
    return text.isascii() and text.isdigit() and len(text) <= 5 and 0 < int(text) < 65536


def _is_host(text):
    labels = text.lower().split(".")
    if not set(text) - set(DIGITS + "."):
        try:
            return ipv4.parse_address(text) is not None
        except ValueError:
            return False
    return len(text) <= 253 and all(is_label(label) for label in labels)
