"""pool.conf under damage: it is read, or refused by a WowError that says what to do; nothing else is raised and nothing takes long."""
import base64
import random
import time
import unittest

from wow.config import poolconf
from wow.lib.errors import WowError
import samples

INPUTS = 6000
# Of the processor: a machine that stalls is not the input's fault.
LONGEST = 1.0
WORDS = ("", "0", "-1", "65536", "99999999999999999999", "[", "]", "[]", "[user:]", "[user:root]", "[modules]", "=", "#", "yes", "\ufeff", "\u2028", "\u0663", "\x00",
         "10.0.0.0/8", "10.0.0.1/16", "0.0.0.0/0", "udp:[::1]:1", "udp:a:0", "udp:", "a:b", "ssh-ed25519", "é" * 70, "a" * 5000)
ODD_BYTES = (b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\x00", b"\r", b"\n", b"\x1b")


def damaged(chance, text):
    """Base64 of bytes of which some are changed, left out or doubled; text that an earlier change damaged stays as it is."""
    try:
        blob = base64.b64decode(text)
    except ValueError:
        return text
    if not blob:
        return text
    at = chance.randrange(len(blob))
    end = min(len(blob), at + chance.choice((1, 1, 2, 8)))
    changed = chance.choice((b"", bytes([chance.randrange(256)]), b"\xff\xff\xff\xff", blob[at:end] * 2, b"\x30\x80"))
    return base64.b64encode(blob[:at] + changed + blob[end:]).decode()


def mutant(chance):
    """The sample with one to three changes: inside its base64, of a value, of a line, or of plain bytes."""
    lines = samples.text(samples.sections()).split("\n")
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(lines))
        key, equals, value = lines[at].partition("=")
        kind = chance.randrange(6)
        if kind == 0:
            lines[at] = f"{key}{equals}{chance.choice(WORDS)}"
        elif kind == 1:
            lines.insert(at, lines[chance.randrange(len(lines))])
        elif kind == 2:
            del lines[at]
            lines = lines or [""]
        elif kind == 3:
            cut = chance.randrange(len(value) + 1)
            lines[at] = f"{key}{equals}{value[:cut]}{chance.choice(WORDS)}{value[cut:]}"
        elif key.strip() == "certificate":
            lines[at] = f"{key}{equals} {damaged(chance, value)}"
        elif key.strip() == "authorized-key" and len(value.split()) > 1:
            name, blob = value.split()[:2]
            lines[at] = f"{key}{equals} {name} {damaged(chance, blob)}"
    data = "\n".join(lines).encode()
    if chance.randrange(4) == 0 and data:
        at = chance.randrange(len(data))
        data = data[:at] + chance.choice(ODD_BYTES) + data[at + chance.randrange(2):]
    return data


class Damage(unittest.TestCase):
    def test_whatever_stands_there_is_read_or_refused_with_what_to_do(self):
        chance = random.Random(1)
        read = refused = 0
        for number in range(INPUTS):
            data = mutant(chance)
            started = time.process_time()
            try:
                poolconf.read(data)
                read += 1
            except WowError as error:
                refused += 1
                self.assertIn("pool.conf", str(error), f"input {number}")
            except Exception as error:  # noqa: BLE001 - that is what is looked for
                self.fail(f"input {number} raised {error!r}: {data!r}")
            self.assertLess(time.process_time() - started, LONGEST, f"input {number}: {data[:300]!r}")
        self.assertGreater(read, INPUTS // 50)
        self.assertGreater(refused, INPUTS // 2)


if __name__ == "__main__":
    unittest.main()
