#!/usr/bin/python3
"""Random pool.conf files that the node accepts, each with the ipopd.conf that follows from it, for the daemon's own reader to read.

pool_configs.py COUNT SEED    one JSON object a line: the file, what became of it, and the facts that both must agree on; at the end {"refused": N}
"""
import json
import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "appliance/node/root/usr/lib/wow/node"), str(ROOT / "test/node")]

from wow.config import keys, poolconf  # noqa: E402
from wow.lib import ipv4  # noqa: E402
from wow.lib.errors import WowError  # noqa: E402
from wow.setup import ipopd  # noqa: E402
import samples  # noqa: E402

# What stands at the edge of what is allowed, or beyond: whatever one reader takes the other has to take.
SPACES = ("", " ", "\t", "  \t", "\u00a0", "\u2003", "\x0b", "\x1c", "\x85")
ODD = ("é", "\u0663", "'", '"', "%", "\\", "#", ";", "=", "[x]", "\ufeff", "\u200b", "$(x)", "..", "-", "_", "/", "0x10", "1e3", "+1", "00001", "auto", "none", "yes", "no")
# Pairs: what is taken, so far as is known, and what mostly is not.
LABELS = (("a", "science", "a" * 63, "0", "9-9", "a--b", "xn--bcher-kva", "w-10-128-0-5", "manager", "localhost", "ca"), ("a" * 64, "-a", "a-", "A", "a.b"))
HOSTS = (("203.0.113.7", "boot.example.org", "Boot.Example.ORG", "a", "foo.1", "1.foo", "xn--a.b", ".".join(["ab"] * 84), "0x7f.1", "1-2.3-4", "1a.2b", "a.0x1", "0xa.0xb"),
         ("0", "1.2.3", "256.1.1.1", "01.2.3.4", "a.b.", ".a", "a..b", ".".join(["a" * 63] * 4), "a_b", "*", "[::1]"))
PORTS = (("1", "443", "4433", "65535", "00443", "8080"), ("65536", "0", "000443", "-1", "+1", "4 4"))
TICKETS = (("t1:hushhush", "a:b", "a:b:c", "x" * 200 + ":y"), (":", "a:", ":b", "x" * 300 + ":y"))
RATES = (("0", "1", "65535", "0000001"), ("65536", "00000001", "-1"))
LOOPBACKS = (("127.0.0.1", "127.255.255.254", "[::1]"), ("::1", "10.0.0.1", "localhost", "127.1", "[0:0:0:0:0:0:0:1]"))


def word(chance, words):
    """Mostly a word that is taken, at times another, or something odd in it."""
    text = chance.choice(words[chance.randrange(20) == 0])
    if chance.randrange(100) == 0:
        at = chance.randrange(len(text) + 1)
        text = text[:at] + chance.choice(ODD + SPACES) + text[at:]
    return text


def between(chance, words, most):
    """Some words with blanks of some kind between."""
    text = word(chance, words)
    for _ in range(chance.randrange(most)):
        text += chance.choice((" ",) * 20 + ("  ", "\t", "\u00a0", "\u2003")) + word(chance, words)
    return text


def subnet(chance):
    """A prefix that is mostly right."""
    bits = chance.choice((8, 9, 12, 16, 20, 24, 27, 28) if chance.randrange(30) else (7, 29))
    network = chance.choice((10 << 24, 172 << 24 | 16 << 16, 100 << 24 | 64 << 16, 192 << 24 | 168 << 16, 203 << 24, chance.getrandbits(32)))
    text = f"{ipv4.format_address(network & ipv4.mask(bits) if chance.randrange(30) else network)}/{bits}"
    return text if chance.randrange(30) else chance.choice((text.replace("/", "/0"), text.replace("/", "/000000"), text.replace(".0", ".00", 1), text + " ", text.replace("/", " / ")))


def reserved(chance, prefix):
    """Ranges that are mostly inside a prefix."""
    try:
        network, bits = ipv4.parse_prefix(prefix)
    except ValueError:
        return "10.0.0.1-10.0.0.9"
    size, ranges = 1 << (32 - bits), []
    for _ in range(chance.randint(1, 3)):
        first = chance.choice((0, 1, chance.randrange(size)))
        last = chance.choice((first, min(size - 1, first + 9), size - 1, size - 3, size - 4))
        dash = chance.choice(("-",) * 20 + (" - ", "--", "\u2013"))
        ranges.append(f"{ipv4.format_address(network + first)}{dash}{ipv4.format_address((network + last) & 0xFFFFFFFF)}")
    return chance.choice((",", ", ", " ,\t") if chance.randrange(20) else (",,",)).join(ranges)


def sections(chance):
    """{section: {key: value}} of one file."""
    parts = samples.sections()
    prefix = subnet(chance)
    is_open, is_manager = chance.randrange(3) == 0, chance.randrange(3) == 0
    parts["pool"] |= {
        "name": word(chance, LABELS), "subnet": prefix, "open": "yes" if is_open else "no",
        "bootstrap": between(chance, ([f"udp:{word(chance, HOSTS)}:{word(chance, PORTS)}" for _ in range(3)], ["tcp:a:1", "udp:a", "UDP:a:1"]), 3),
        "secret": chance.choice((samples.SECRET, samples.SECRET.upper(), f"{chance.getrandbits(256):064x}"))}
    parts["ca"]["ticket"] = word(chance, TICKETS)
    parts["node"] = {"role": "manager" if is_manager else "worker", "host": word(chance, LABELS), "port": chance.choice(("auto", word(chance, PORTS))), "capture": chance.choice(("yes", "no"))}
    further = {
        ("pool", "reserved"): lambda: reserved(chance, prefix),
        ("udp", "port-mapping"): lambda: chance.choice(("yes", "no")), ("udp", "multicast"): lambda: chance.choice(("yes", "no")),
        ("tcp", "ports"): lambda: chance.choice(("auto", "none", between(chance, PORTS, 4))),
        ("relay", "rate"): lambda: word(chance, RATES),
        ("time", "ntp"): lambda: word(chance, HOSTS),
        ("metrics", "listen"): lambda: word(chance, LOOPBACKS) + ":" + word(chance, PORTS)}
    for (section, key), make in further.items():
        if chance.randrange(3) == 0:
            parts.setdefault(section, {})[key] = make()
    if is_open:
        parts.pop("ca")
    if is_manager and chance.randrange(2):
        parts["pool"].pop("bootstrap")
    return parts


def facts(pool):
    """What a pool.conf says in a form that does not depend on how it is written: what is handed on of it, by section and key."""
    return {f"[{section}] {key}": value for (section, key), value in pool.values.items() if key in keys.IPOPD.get(section, ())} | {"[udp] port": str(pool.port)}


def main(count, seed):
    """Prints as many as were asked for."""
    chance, refused = random.Random(seed), 0
    while count > 0:
        text = samples.text(sections(chance))
        try:
            pool = poolconf.read(text.encode())
        except WowError:
            refused += 1
            continue
        count -= 1
        print(json.dumps({"file": text, "ipopd": ipopd.config(pool), "facts": facts(pool)}))
    print(json.dumps({"refused": refused}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
