"""The sealed backup: what cannot be made again (settings, secret, tickets, the manager's keys, the CA), encrypted by `age` to a recovery key
that is printed once and stands in no file. Its public half does, so the backup is renewed without it (decision 0031)."""

import contextlib
import datetime
import hashlib
import io
import json
import pathlib
import subprocess
import tarfile
from typing import NamedTuple

from pool import durable, programs
from pool.node import WowError

MAGIC = b"age-encryption.org/"
LARGEST = 256 * 1024 * 1024
"""Bytes of a backup that are read: the CA of a million machines has fewer."""

PREFIX = "AGE-SECRET-KEY-1"
PARTS = ("pool.json", "secret", "tickets.json", "manager", "managers", "managers.notice", "keys.notice", "authority.age")
"""What a backup may hold at its top."""


class Key(NamedTuple):
    """A recovery key and its public half."""
    secret: str
    public: str


def new_key():
    """Makes a key."""
    lines = programs.run("age-keygen").split("\n")
    secret = next(line for line in lines if line.startswith(PREFIX))
    return Key(secret, public_of(secret))


def public_of(secret):
    """The public half of a recovery key."""
    return programs.run("age-keygen", "-y", text=secret + "\n").strip()


def tidy(typed):
    """A key as people type it, in small letters or in groups, as age reads it. WowError where it cannot be one."""
    key = "".join(typed.split()).upper()
    if not key.startswith(PREFIX):
        raise WowError("that is no recovery key", f"Type the line that begins with {PREFIX}, which was printed when the backup was made")
    return key


def parts(folder, authority=None):
    """{name: path} of the files that are backed up. authority: what authority.age will be, where it is not that yet."""
    below = sorted(path for keys in (folder.manager, folder.managers) for path in keys.rglob("*") if path.is_file())
    found = [(folder.settings, folder.settings), (folder.secret, folder.secret), (folder.tickets, folder.tickets), (folder.list, folder.list),
             (folder.keys, folder.keys), (folder.authority, authority or folder.authority), *zip(below, below)]
    return {str(place.relative_to(folder.root)): path for place, path in found if path.exists()}


def content_of(folder, authority=None):
    """A hash over names and contents of all that is backed up."""
    digest = hashlib.sha256()
    for name, path in parts(folder, authority).items():
        digest.update(f"{name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def note_of(folder):
    """What is known of the backup: {public, made, content}; None where there is none that counts."""
    if not (folder.seal.exists() and folder.sealed.exists()):
        return None
    return json.loads(folder.seal.read_text(encoding="ascii"))


def seal(folder, public, signs=None, tell=None):
    """Makes the backup anew, for the owner of the key, and notes it. signs: what goes into authority.age, None where that stays. tell: called with the note where the key
    is a new one, once all is sealed and before any of it takes the place of what the former key opens. While the files change none counts, so a run that ends then
    leaves no backup that seems to be one."""
    with contextlib.ExitStack() as made:
        authority = None
        if signs is not None:
            authority = made.enter_context(durable.beside(folder.authority))
            closed(signs, public, authority)
        note = {"public": public, "made": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"), "content": content_of(folder, authority)}
        closed(packed(folder, authority), public, made.enter_context(durable.beside(folder.sealed)))
        if tell:
            tell(note)
            folder.seal.unlink(missing_ok=True)
            durable.sync_one(folder.root)
    # From now on it counts.
    durable.write(folder.seal, json.dumps(note, indent=2) + "\n")


def closed(data, public, path):
    """Writes data encrypted to a recovery key."""
    done = subprocess.run(["age", "-r", public, "-o", str(path)], input=data, capture_output=True, check=False)
    if done.returncode:
        raise WowError(_said(done), programs.AGAIN, "age")


def packed(folder, authority=None):
    """A tar archive of the parts."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, path in parts(folder, authority).items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime, entry.mode = path.stat().st_size, int(path.stat().st_mtime), 0o600
            with open(path, "rb") as file:
                archive.addfile(entry, file)
    return data.getvalue()


def read(path):
    """The bytes of a backup, sealed as they are. WowError where the file is none."""
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise WowError(f"cannot be read: {error.strerror}", "Name the file backup.age of a pool, or a copy of it", str(path)) from None
    if not data.startswith(MAGIC) or len(data) > LARGEST:
        raise WowError("is no backup of `wow pool`", "Name the file backup.age of a pool, or a copy of it", str(path))
    return data


def opened(path, secret):
    """The archive in a backup. WowError where the file is none, is damaged, or the key is another's; nothing is written."""
    read(path)
    # The key goes by a pipe: a command's words are seen by everybody on the machine.
    done = subprocess.run(["age", "-d", "-i", "-", str(path)], input=(secret + "\n").encode(), capture_output=True, check=False)
    if done.returncode == 0:
        return done.stdout
    said = _said(done)
    if "no identity matched" in said:
        raise WowError("the recovery key is another one's, so the backup stays closed", "Take the key that was printed when this backup, or the first "
                       "one before it, was made", str(path))
    if "malformed secret key" in said:
        raise WowError("the recovery key has a typing error", "Compare it with the line that was printed, 74 characters", str(path))
    raise WowError(f"is damaged ({said})", "Take another copy of the backup", str(path))


def unpack(data, target, source):
    """Writes the files of an archive into a folder. WowError where it holds anything but the parts."""
    try:
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            for entry in archive:
                place = pathlib.PurePosixPath(entry.name)
                if not entry.isfile() or place.is_absolute() or ".." in place.parts or place.parts[0] not in PARTS:
                    raise WowError(f'holds "{entry.name}", which no pool has', "Take a backup that `wow pool` made", str(source))
                path = target / place
                path.parent.mkdir(0o700, parents=True, exist_ok=True)
                durable.write(path, archive.extractfile(entry).read())
    except tarfile.TarError as error:
        raise WowError(f"is damaged ({error})", "Take another copy of the backup", str(source)) from None


def _said(done):
    return done.stderr.decode(errors="replace").strip().splitlines()[0].removeprefix("age: error: ")
