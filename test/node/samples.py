"""A pool.conf that is right, to be made wrong in one place, a CA certificate, answers of ipopd."""
import base64

from wow.config import poolconf

SECRET = "ab" * 32

STATUS = {
    "ok": True, "node": "ab" * 20, "pool": "science", "open": False, "zone": "science.internal", "subnet": "10.128.0.0/16", "address": "10.128.3.4",
    "host": "alpha", "certified": True,
    "certificate": {"serial": "01", "not_before": "2027-01-01T00:00:00Z", "not_after": "2027-01-31T00:00:00Z", "renew_from": "2027-01-21T00:00:00Z",
                    "address": "10.128.3.4", "host": "alpha", "role": "worker"},
    "ring": {"joined": True, "connections": 3, "near": 2, "relayed": {"frames": 0, "bytes": 0, "refused": 0}}, "manager": "10.128.0.1", "managers": [],
    "nat": {"kind": "one-mapping", "text": "Peers see one address and port.", "outside": ["192.0.2.9:4433"], "inside": ["192.168.1.7:4433"],
            "filtering": "address-dependent", "keep_alive_s": 25},
    "udp": {"port": 4433, "sent_datagrams": 40, "sent_bytes": 9000, "received_datagrams": 30, "received_bytes": 8000, "heard_s": 0.1},
    "carried": {"sent_bytes": 11000, "received_bytes": 9000, "speed": None, "waits": 0},
    "bootstrap": [], "tap": "wow0", "dns": "127.0.0.54:5354", "uptime_s": 400, "port_mapping": None, "revocations": None,
    "clock": {"follows": "hypervisor", "device": "rtc0", "error_s": 0.1, "zone_min": 0, "voices": 0, "set": True, "trouble": None},
    "offload": [], "shortages": None, "router": None, "warnings": [{"code": "twin", "text": "mind the gap"}]}
"""What ipopd answers to `status`. That this and the next are as the contract says, test_samples.py holds."""

PEER = {"node": "cd" * 20, "address": "10.128.3.20", "host": "beta", "path": "direct", "endpoint": "192.0.2.1:4433", "rtt_ms": 1.25, "certified": True,
        "sent_bytes": 1500000, "received_bytes": 10, "age_s": 130, "boot": "0123456789abcdef", "relay": None, "loss": 0.0, "mtu": 1439, "why_not_direct": None, "key_exchange": "x25519", "use": "near"}
TARGET = {"node": "cd" * 20, "address": "10.128.3.20", "host": "beta"}
RELAY = {"node": "ef" * 20, "address": "10.128.0.1", "host": "boss"}
PING = {"ok": True, "target": TARGET, "session": True, "rtt_ms": 12.5, "wait_ms": 0.0, "path": "direct", "endpoint": "192.0.2.1:4433", "relay": None,
        "boot": "00000000000000ab", "boot_met_s": 12.5}
DIRECT = {"path": "direct", "endpoint": "192.0.2.1:4433", "relay": None, "used": True, "alive": True, "rtt_ms": 12.0, "loss": 0.0, "heard_s": 0.5}
RELAYED = {**DIRECT, "path": "relay", "endpoint": None, "relay": RELAY, "loss": 0.25}
DEAD = {**DIRECT, "endpoint": "198.51.100.7:5", "used": False, "alive": False, "rtt_ms": None, "loss": None, "heard_s": 130.0}
HOPS = {"arrived": True, "hops": [
    {"hop": 1, "node": RELAY, "ms": 10.0, "next": "cd" * 20, "next_path": "direct", "next_rtt_ms": 7.5, "end": None},
    {"hop": 2, "node": TARGET, "ms": 19.0, "next": None, "next_path": None, "next_rtt_ms": None, "end": "arrived"}]}
TRACE = {"ok": True, "target": TARGET, "session": True, "path": "direct", "why_not_direct": None, "paths": [DIRECT, DEAD, RELAYED], "ring": HOPS}


def tlv(tag, *parts):
    """One DER element."""
    content = b"".join(parts)
    size = len(content)
    length = bytes([size]) if size < 128 else bytes([0x82, size >> 8, size & 255])
    return bytes([tag]) + length + content


def certificate(name="science CA", is_ca=True, until=36, key=0):
    """The outer form of an X.509 version 3 certificate (RFC 5280 section 4.1); its signature is of no matter here. until: the year 20.. of its end; key: another one for
    each byte."""
    integer, algorithm = tlv(0x02, b"\x01"), tlv(0x30, tlv(0x06, b"\x2a\x03"))
    subject = tlv(0x30, tlv(0x31, tlv(0x30, tlv(0x06, b"\x55\x04\x03"), tlv(0x0C, name.encode()))))
    validity = tlv(0x30, tlv(0x17, b"260101000000Z"), tlv(0x17, b"%02d0101000000Z" % until))
    public = tlv(0x30, algorithm, tlv(0x03, bytes([key]) * 80))
    constraints = tlv(0x30, tlv(0x06, b"\x55\x1d\x13"), tlv(0x01, b"\xff"), tlv(0x04, tlv(0x30, *([tlv(0x01, b"\xff")] if is_ca else []))))
    body = tlv(0x30, tlv(0xA0, tlv(0x02, b"\x02")), integer, algorithm, subject, validity, subject, public, tlv(0xA3, tlv(0x30, constraints)))
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
        "project:storm surge": {"says": "Wir sagen Sturmfluten an der Küste voraus.", "link": "https://example.org/surge?year=2026"},
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
