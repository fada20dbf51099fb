"""The key map of the machine's screen: which layouts there are (the file `keyboards`, made by appliance/keyboards), and how the kernel is told one.

Of the kernel's maps the keys that write are set, without a modifier and with Shift, AltGr, both, Ctrl and Alt; the others stay as the kernel has them. Serial ports
have no keys, and GRUB, which is there before, keeps the American ones."""
import fcntl
import os
import struct

from wow.lib.errors import WowError

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "keyboards")
USUAL = "us"
"""The kernel's own."""
SCREENS = "/dev/tty0"
KEYS = (41, *range(2, 14), *range(16, 28), 43, *range(30, 41), 86, *range(44, 54), 89, 124)
"""The kernel's numbers of the keys that write, in the order of the file's rows."""
LAST_KEY = 127
PLAIN, SHIFT, ALTGR, BOTH, CONTROL, CONTROL_SHIFT, ALT = 0, 1, 2, 3, 4, 5, 8
"""The kernel's numbers of its maps, each the sum of its modifiers."""
KDGKBENT, KDSKBENT = 0x4B46, 0x4B47  # ioctl_console(2)
ENTRY = struct.Struct("BBH")
"""struct kbentry of linux/kd.h: map, key, value."""
LATIN, SPECIAL, DEAD, META, LETTER = 0x000, 0x200, 0x400, 0x800, 0xB00
"""Types of values (linux/keyboard.h)."""
NOTHING = SPECIAL
BEYOND = 0xF000
"""What a character beyond ASCII is told by."""
MARKS = "\u0300\u0301\u0302\u0303\u0308\u0327\u0304\u0306\u0307\u030a\u030b\u030c\u0328"
"""Dead keys as the file has them, in the order of the kernel's numbers."""
LONGEST = 32
MOST_NEAR = 4


def layouts(path: str = FILE) -> "dict[str, tuple[str, list[str]]]":
    """{name: (what people call it, its four rows)}. OSError: the file is not there."""
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file]
    return {name: (says, rows) for name, says, *rows in lines}


def must_know(name: str) -> None:
    """WowError that names those that are near, where there is no such layout."""
    known = {one: says for one, (says, _) in layouts().items()}
    if name not in known:
        found = near(name, known)
        todo = f"Near it: {', '.join(f'{one} ({known[one]})' for one in found)}" if found else f"Take one of {', '.join(known)}"
        raise WowError(f'there is no keyboard "{name[:LONGEST]}"', todo)


def near(name: str, known: dict[str, str]) -> list[str]:
    """Names of layouts that somebody may have meant: by the name's begin, by what people call it, or one letter off."""
    asked = name.strip().lower().replace("_", "-")[:LONGEST]
    if not asked:
        return []
    head = asked.split("-")[0]
    by_name = [one for one in known if one.split("-")[0] == head or one.startswith(asked)]
    by_words = [one for one, says in known.items() if len(asked) > 1 and says.lower().replace("(", " ").find(asked[:5]) >= 0]
    by_letter = [one for one in known if len(one) == len(asked) and sum(a != b for a, b in zip(one, asked)) == 1]
    return list(dict.fromkeys([*by_name, *by_words, *by_letter]))[:MOST_NEAR]


def take(name: str, screens: str = SCREENS) -> None:
    """Has the kernel take the layout, at once and for all screens. WowError: there is no such one, or the kernel does not take it; a machine without a screen has
    nothing to take."""
    must_know(name)
    rows = layouts()[name][1]
    try:
        descriptor = os.open(screens, os.O_RDWR | os.O_NOCTTY)
    except OSError:
        return
    try:
        for entry in entries(rows, lambda key: _asked(descriptor, key)):
            fcntl.ioctl(descriptor, KDSKBENT, ENTRY.pack(*entry))
    except OSError as error:
        raise WowError(f"the kernel does not take the keyboard {name}: {error.strerror}", "Start the machine again", screens) from None
    finally:
        os.close(descriptor)


def _asked(descriptor: int, key: int) -> int:
    """What the kernel has of a key with AltGr."""
    found: int = ENTRY.unpack(fcntl.ioctl(descriptor, KDGKBENT, ENTRY.pack(ALTGR, key, 0)))[2]
    return found


def entries(rows: list[str], others: "Callable[[int], int]") -> "list[tuple[int, int, int]]":
    """(map, key, value) of all that is told. others: the value of a key that does not write, with AltGr."""
    # The kernel has no map of Shift with AltGr at first: in a new one no modifier would ever be let go.
    found = [(BOTH, key, others(key)) for key in range(1, LAST_KEY + 1) if key not in KEYS]
    for index, key in enumerate(KEYS):
        signs = [row[index:index + 1].replace(" ", "") for row in rows]
        found += [(number, key, value(sign)) for number, sign in zip((PLAIN, SHIFT, ALTGR, BOTH), signs)]
        found += [(CONTROL, key, control(signs[0])), (CONTROL_SHIFT, key, control(signs[0]))]
        found.append((ALT, key, META | ord(signs[0]) if signs[0] and signs[0].isascii() else NOTHING))
    return found


def value(sign: str) -> int:
    """What the kernel calls a character; "" is none."""
    if not sign:
        return NOTHING
    if sign in MARKS:
        return DEAD | MARKS.index(sign)
    code = ord(sign)
    if code >= 128:
        return code ^ BEYOND
    return (LETTER if sign.isalpha() else LATIN) | code


def control(sign: str) -> int:
    """The same with Ctrl: of letters and the signs behind them in ASCII."""
    return LATIN | ord(sign) & 0x1F if sign and ("a" <= sign <= "z" or sign in "[\\]^_") else NOTHING


TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable
