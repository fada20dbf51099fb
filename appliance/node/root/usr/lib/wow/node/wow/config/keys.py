"""Made of docs/contract/settings.json by `test/figures --write`; a test fails where they differ."""

POOL: dict[str, dict[str, tuple[str, str | None, tuple[str, ...]]]] = {
    "node": {
        "role": ("choice", "worker", ("worker", "manager", "login")),
        "host": ("label", "", ()),
        "owner": ("words", "", ()),
        "port": ("port", "auto", ()),
        "capture": ("switch", "no", ()),
        "console": ("choice", "page", ("page", "login")),
        "time-zone": ("zone", "Etc/UTC", ()),
        "keyboard": ("label", "us", ()),
        "console-password": ("hash", "", ()),
    },
    "pool": {
        "name": ("label", None, ()),
        "subnet": ("subnet", None, ()),
        "reserved": ("ranges", "", ()),
        "managers": ("labels", "", ()),
        "secret": ("secret", None, ()),
        "bootstrap": ("bootstrap", "", ()),
        "open": ("switch", "no", ()),
    },
    "udp": {
        "port-mapping": ("switch", "yes", ()),
        "multicast": ("switch", "yes", ()),
    },
    "tcp": {
        "ports": ("ports", "auto", ()),
    },
    "relay": {
        "rate": ("number", "1000", ("0", "65535")),
    },
    "time": {
        "ntp": ("host", "", ()),
    },
    "metrics": {
        "listen": ("loopback", "", ()),
    },
    "ca": {
        "certificate": ("certificate", "", ()),
        "ticket": ("ticket", "", ()),
    },
    "jobs": {
        "patience": ("number", "15", ("0.5", "60")),
        "processors": ("number", "0", ("0", "1024")),
    },
    "modules": {
        "names": ("labels", "", ()),
        "origins": ("origins", "", ()),
    },
    "user:NAME": {
        "authorized-key": ("public-key", "", ()),
        "admin": ("switch", "no", ()),
    },
    "project:NAME": {
        "says": ("sentence", None, ()),
        "link": ("link", "", ()),
    },
}
"""Each key of pool.conf: its kind, its default or None if it is required, and its limits or words."""

IPOPD: dict[str, tuple[str, ...]] = {
    "node": ("state", "host"),
    "pool": ("name", "subnet", "reserved", "secret", "bootstrap", "open"),
    "tap": ("name", "mtu", "largest-mtu", "capture"),
    "router": ("lan", "hosts", "relay", "routes"),
    "udp": ("port", "port-mapping", "multicast"),
    "tcp": ("ports",),
    "offload": ("tcp-segmentation", "udp-segmentation", "udp-runs", "udp-gro", "library-cipher", "esp", "priority", "moderation"),
    "relay": ("rate",),
    "time": ("set", "ntp"),
    "control": ("socket",),
    "dns": ("listen",),
    "metrics": ("listen",),
    "ca": ("port", "possession-port", "ticket"),
}
"""Each section of ipopd.conf with its keys, in their order. What is in POOL, too, is handed on."""
