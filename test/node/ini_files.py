#!/usr/bin/python3
"""Random files and what the node's reader of INI makes of each, for the daemon's reader to make the same.

ini_files.py COUNT SEED    one JSON object a line: the bytes in hexadecimal, and the sections, or null where the file is wrong
"""
import json
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "appliance/node/root/usr/lib/wow/node"))

from wow.lib import ini  # noqa: E402
from wow.lib.errors import WowError  # noqa: E402

NAMES = ("a", "b", "B", "a b", "a]", "a#", "user:C")
VALUES = ("", "1", "a = b", '"x"', "# 1", "[a]", "\ufeff", "\u00e9", "a\x0bb", "\x1c", "\x85c", "\u2028", "a\rb")
BLANKS = ("", "", "", " ", "\t", "\r", " \t ")
ODD = ("[", "]", "=", "#", ";", "\0", "\ufeff", "\u00e9", "\u212a", "\u0130", "\u00a0", "\u2003", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\n", "\r")
BROKEN = (b"\xff", b"\xc3", b"\xed\xa0\x80")


def line(chance):
    """A line that is mostly right."""
    kind, name, value = chance.randrange(8), chance.choice(NAMES), chance.choice(VALUES)
    parts = ["#", value] if kind == 0 else ["[", name, "]"] if kind < 3 else [f"{name}{chance.randrange(6)}", "=", value]
    return "".join(chance.choice(BLANKS) + part for part in [*parts, ""])


def content(chance):
    """A file of some lines; at times something odd is in it, or it is no UTF-8."""
    text = "\ufeff" * (chance.randrange(20) == 0) + "[a]\n" * (chance.randrange(4) != 0) + "\n".join(line(chance) for _ in range(chance.randrange(6)))
    if chance.randrange(3) == 0:
        at = chance.randrange(len(text) + 1)
        text = text[:at] + chance.choice(ODD) + text[at:]
    data = text.encode()
    if chance.randrange(40) == 0:
        at = chance.randrange(len(data) + 1)
        data = data[:at] + chance.choice(BROKEN) + data[at:]
    return data


def main(count, seed):
    """Prints them."""
    chance = random.Random(seed)
    for _ in range(count):
        data = content(chance)
        try:
            sections = ini.parse(data, "f")
        except WowError:
            sections = None
        print(json.dumps({"hex": data.hex(), "sections": sections}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
