"""What signs the pool's stack, as far as the manager with the CA alone has it: `wow-ca rekey` made it there. `wow pool backup --ca` takes it from a copy of that
machine's /var/lib/wow/ca, seals it to the recovery key, and leaves it in no other file of the pool's folder (decision 0087)."""

import io
import pathlib
import re
import tarfile

from pool import durable
from pool.node import WowError, agreed

KEYS = "keys.notice"
"""The keys that signed the stack one after the other, each with its proof: no secret."""
MADE = ("ca.key", "ca.pem", "ca.db")
"""Of the CA's folder: in every pool's folder, and so in every backup."""
RENEWED = "authority.notice"
"""The CA's certificate as a notice, once `wow-ca renew-authority` made it anew."""
TAKEN = (KEYS, RENEWED, "stack.notice", "term.notice", "origins.notice", "drained.notice")
"""Of the CA's folder: what the pool's folder gets from the manager, beside the newest stack-N.key."""
AGAIN = ("revocations.notice", "layers", "layers.lock")
"""Of the CA's folder: what wow-ca makes anew, of its database or when something is published."""
KEY = re.compile(r"stack-([1-9][0-9]?)\.key")
LARGEST = 64 * 1024
"""Bytes of such a file that are read: a stack's text has 16 KiB."""
HEAD, COUNT_AT, LENGTH_AT = b"WOWN" + bytes([agreed.KEYS_NOTICE]), 5, 13
"""How a notice with keys begins; its number, which is how many they are, has 8 bytes; then the signature's length, and the signature."""


def keys_of(path):
    """The keys in a notice, the first one first, as words of its text. Who signed them is for wow-ca and ipopd to say. WowError where it is no such notice."""
    data = _read(path)
    count, said = int.from_bytes(data[COUNT_AT:LENGTH_AT], "big"), body(data)
    head, *lines = said.decode("latin-1").split("\n")
    words = [line.split(" ") for line in lines[:-1]]
    if not data.startswith(HEAD) or head != agreed.KEYS_HEAD or not 1 <= len(words) == count <= agreed.MOST_KEYS or any(len(line) != 3 for line in words):
        raise WowError("holds no keys of a pool's stack", f"Copy {KEYS} from the manager once more", str(path))
    return [key for _, key, _ in words]


def take(source, has_keys=False):
    """{name: bytes} of what a copy of the manager's CA folder has beside what every pool's folder has. WowError where the newest key is not among it, but for a pool
    that never had one: has_keys says whether its folder knows any."""
    source = pathlib.Path(source)
    if not (source / KEYS).is_file() and not has_keys and (source / RENEWED).is_file():
        return {RENEWED: _read(source / RENEWED)}
    if not (source / KEYS).is_file():
        raise WowError(f"has no {KEYS}", "Name a copy of /var/lib/wow/ca of the manager with the CA. Where wow-ca rekey was never typed there, it has none, and nothing "
                       "is to be taken", str(source))
    key = f"stack-{len(keys_of(source / KEYS))}.key"
    if not (source / key).is_file():
        raise WowError(f"lacks {key}, the key that signs the pool's stack", "Copy the manager's /var/lib/wow/ca once more, as root", str(source))
    return {name: _read(source / name) for name in (*TAKEN, key) if (source / name).is_file()}


def body(notice):
    """What a notice says."""
    return notice[LENGTH_AT + 1:][notice[LENGTH_AT] if len(notice) > LENGTH_AT else 0:]


def know(folder, path):
    """From now on the pool's new images have the keys of this notice."""
    keys_of(path)
    durable.write(folder.keys, path.read_bytes())


def is_other(folder, source):
    """Whether the keys in a copy of the manager's CA folder do not go on from those that the pool's folder knows. WowError where the copy is an older one."""
    known, found = keys_of(folder.keys) if folder.keys.exists() else [], keys_of(pathlib.Path(source) / KEYS)
    if found == known[:len(found)] and len(found) < len(known):
        raise WowError(f"has {len(found)} keys, and this folder knows {len(known)}: it is an old copy", "Copy the manager's /var/lib/wow/ca once more", str(source))
    return found[:len(known)] != known


def packed(files):
    """A tar archive of {name: bytes}."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), 0o600
            archive.addfile(entry, io.BytesIO(content))
    return data.getvalue()


def put(data, ca, source):
    """Puts what `packed` made into a CA's folder, 0600, in the place of an older key; its number. WowError, and nothing is written, where it holds anything else."""
    files = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            for entry in archive:
                if not entry.isfile() or entry.name not in TAKEN and not KEY.fullmatch(entry.name):
                    raise WowError(f'holds "{entry.name}", which is no file of a key', "Take a backup that `wow pool` made", str(source))
                files[entry.name] = archive.extractfile(entry).read()
    except tarfile.TarError as error:
        raise WowError(f"is damaged ({error})", "Take another copy of the backup", str(source)) from None
    for old in ca.glob("stack-*.key"):
        durable.remove(old)
    for name, content in files.items():
        durable.write(ca / name, content)
    return len(keys_of(ca / KEYS))


def _read(path):
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise WowError(f"cannot be read: {error.strerror}", "Copy the manager's /var/lib/wow/ca once more, as root", str(path)) from None
    if len(data) > LARGEST:
        raise WowError(f"has more than {LARGEST} bytes", "Copy the manager's /var/lib/wow/ca once more, as root", str(path))
    return data
