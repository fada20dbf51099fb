"""The password of the machine's screen: what may be one, its hash, and whether somebody typed it. The hash is crypt(3)'s, so that `openssl passwd -6` makes one for
pool.conf, too."""
from wow.lib import libc
from wow.lib.errors import WowError

LEAST, MOST = 6, 64
METHOD, ROUNDS = b"$6$", 50000
"""SHA-512: it needs no memory, of which a small machine has none left, other than yescrypt."""
LIBRARY = "libcrypt.so.1"
LONGEST_HASH = 128
"""Characters of a hash at most."""
ROOM = 32768
"""Bytes of struct crypt_data, which the library works in."""


def must_be_one(text: str) -> None:
    """WowError for what each keyboard could not type, or is too short."""
    if not LEAST <= len(text) <= MOST or not all("!" <= sign <= "~" for sign in text):
        raise WowError(f"the password has {LEAST} to {MOST} characters: letters without accents, digits, and signs such as !; no blanks", "Choose another one")


def is_hash(text: str) -> bool:
    """Whether it looks like what crypt(5) makes, whole."""
    return text[:1] == "$" and text.count("$") >= 3 and text.isprintable()


def digest(text: str) -> str:
    """A hash with a salt of its own."""
    room = libc.room(192)
    if not libc.call("crypt_gensalt_rn", METHOD, ROUNDS, None, 0, room, 192, library=LIBRARY):
        raise WowError("the C library makes no hash", "Take another release of the image")
    return _hashed(text, room.raw.split(b"\0", 1)[0])


def is_it(text: str, wanted: str) -> bool:
    """Whether the text gives the hash."""
    # It brings OpenSSL, 0.2 s under emulation, and the login waits for wow-config, which compares nothing.
    import hmac
    found = "" if "\0" in text else _hashed(text, wanted.encode())
    return bool(found) and hmac.compare_digest(found.encode(), wanted.encode())


def _hashed(text: str, setting: bytes) -> str:
    """crypt(3); "" where the setting is none that the library knows."""
    room = libc.room(ROOM)
    if not libc.call("crypt_rn", text.encode(), setting, room, ROOM, library=LIBRARY):
        return ""
    found: bytes = room.raw.split(b"\0", 1)[0]
    return found.decode()
