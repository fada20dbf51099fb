"""A pool.conf that is right, to be made wrong in one place, and a CA certificate."""
import base64

import poolconf

SECRET = "ab" * 32


def tlv(tag, *parts):
    """One DER element."""
    content = b"".join(parts)
    size = len(content)
    length = bytes([size]) if size < 128 else bytes([0x82, size >> 8, size & 255])
    return bytes([tag]) + length + content


def certificate(name="science CA", is_ca=True):
    """The outer form of an X.509 version 3 certificate (RFC 5280 section 4.1); its signature is of no matter here."""
    integer, algorithm = tlv(0x02, b"\x01"), tlv(0x30, tlv(0x06, b"\x2a\x03"))
    subject = tlv(0x30, tlv(0x31, tlv(0x30, tlv(0x06, b"\x55\x04\x03"), tlv(0x0C, name.encode()))))
    validity = tlv(0x30, tlv(0x17, b"260101000000Z"), tlv(0x17, b"360101000000Z"))
    key = tlv(0x30, algorithm, tlv(0x03, b"\x00" * 80))
    constraints = tlv(0x30, tlv(0x06, b"\x55\x1d\x13"), tlv(0x01, b"\xff"), tlv(0x04, tlv(0x30, *([tlv(0x01, b"\xff")] if is_ca else []))))
    body = tlv(0x30, tlv(0xA0, tlv(0x02, b"\x02")), integer, algorithm, subject, validity, subject, key, tlv(0xA3, tlv(0x30, constraints)))
    return tlv(0x30, body, algorithm, tlv(0x03, b"\x00" * 70))


def ssh_key(kind="ssh-ed25519"):
    """A public key as it stands in a .pub file."""
    blob = len(kind).to_bytes(4, "big") + kind.encode() + (32).to_bytes(4, "big") + b"k" * 32
    return f"{kind} {base64.b64encode(blob).decode()} alice@home"


def sections():
    """{section: {key: value}} of a worker's pool.conf."""
    return {
        "pool": {"name": "science", "subnet": "10.128.0.0/16", "bootstrap": "udp:203.0.113.7:4433 udp:boot.example.org:443", "secret": SECRET},
        "ca": {"certificate": base64.b64encode(certificate()).decode(), "ticket": "t1:hushhush"},
        "node": {"host": "alpha"},
        "user:alice": {"authorized-key": ssh_key()},
    }


def text(parts):
    """INI text."""
    return "".join(f"[{section}]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items()) + "\n" for section, keys in parts.items())


def changed(section, key, value):
    """The sample's text with one value changed; None leaves the key out."""
    parts = sections()
    keys = parts.setdefault(section, {})
    if value is None:
        keys.pop(key, None)
    else:
        keys[key] = value
    return text(parts).encode()


def pool(**changes):
    """A Pool, with (section, key) given as section__key; hyphens as underscores are not needed here."""
    parts = sections()
    for name, value in changes.items():
        section, key = name.split("__")
        if value is None:
            parts.get(section, {}).pop(key, None)
        else:
            parts.setdefault(section, {})[key] = value
    return poolconf.read(text({section: keys for section, keys in parts.items() if keys}).encode())
