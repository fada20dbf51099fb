"""pool.conf as it may be shown to others. The contract says which keys there are and of which kind: what it does not know is taken out."""
from wow.config import facts, keys
from wow.lib import ini
from wow.lib.errors import WowError
from wow.support.blacken import BLACK

SECRET = ("secret", "ticket", "hash")
"""Kinds of values that nobody may read."""


def shown(data: bytes) -> str:
    """The file with what is no secret, no key and no certificate. One that cannot be read is told by what is wrong with it, of which nothing is quoted."""
    try:
        sections = ini.parse(data, "pool.conf")
    except WowError as error:
        return f"it cannot be read: {error.what.partition(':')[0]}\n"
    lines: list[str] = []
    for section, values in sections.items():
        lines += [f"[{section}]", *(f"{key} = {value if is_shown(section, key) else BLACK}" for key, (value, _) in values.items()), ""]
    return "\n".join(lines)


def is_shown(section: str, key: str) -> bool:
    """Whether a value may be read by anybody: those of pool.json. A user's key is not among them, for its section has that user's name."""
    known = keys.POOL.get(section, {})
    return key in known and known[key][0] not in facts.WITHHELD


def secrets(data: bytes) -> list[str]:
    """What of the file nobody may read, the ticket also without its number. None of a file that cannot be read: what looks like a secret goes all the same."""
    try:
        sections = ini.parse(data, "pool.conf")
    except WowError:
        return []
    found = [sections.get(section, {}).get(key, ("", 0))[0] for section, known in keys.POOL.items() for key, (kind, _, _) in known.items() if kind in SECRET]
    return [secret for one in found for secret in (one, one.partition(":")[2]) if secret]
