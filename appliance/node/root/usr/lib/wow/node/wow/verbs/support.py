"""wow support"""
import contextlib
import fcntl
import json
import os
import pwd
import time

from wow.agent import client
from wow.lib import files, sure, table
from wow.lib.errors import WowError
from wow.lib.verb import JSON, Given, Option, Verb
from wow.support import collect, parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

OUT = Option("--out", "FILE", "where to write it; in your home if not given", short="-o")
PATIENCE = collect.WANTED
"""Seconds that root's part may take: an emulated guest under load needs minutes for ten seconds' work."""
PAUSE, AGAIN = 0.2, 10.0
"""Seconds from one look for the file to the next, and from one question to the next."""


def run(given: Given) -> int:
    """Says what the file will hold, asks, writes it."""
    out = os.path.abspath(given.get(OUT, default(os.getuid(), os.uname().nodename, time.gmtime())))
    refuse_taken(out)
    held = "\n".join(holds(out))
    if given.has(sure.YES) and not given.has(JSON):
        print(held)
    sure.ask(given, held, what="write it", undone="nothing was written")
    data = fetch(os.getuid())
    write(out, data)
    if given.has(JSON):
        print(json.dumps({"file": out, "size_bytes": len(data), "holds": [{"name": part.name, "says": part.says} for part in parts.PARTS]}))
    else:
        print(f"{out} is written, {table.size(len(data))}. You alone may read it; send it to whom you ask for help.")
    return 0


def default(uid: int, host: str, moment: time.struct_time) -> str:
    """A file of today in the home of who asks."""
    return f"{pwd.getpwuid(uid).pw_dir}/wow-support-{host.partition('.')[0]}-{time.strftime('%Y%m%d-%H%M%S', moment)}.tar.gz"


def refuse_taken(out: str) -> None:
    """WowError where the file cannot be: known before anything is collected."""
    if os.path.lexists(out):
        raise WowError("is there already", "Name another file with --out", out)
    folder = os.path.dirname(out)
    if not os.path.isdir(folder) or not os.access(folder, os.W_OK | os.X_OK):
        raise WowError("is no folder that you may write to", "Name another file with --out", folder)


def holds(out: str) -> list[str]:
    """What the file will hold, for people."""
    return [f"{out} will hold:", "", *("  " + line for line in table.columns([[part.name, part.says] for part in parts.PARTS])), "",
            "The pool's secret, tickets, private keys, keys of IPsec and claims of jobs are taken out. Look into it before you send it: tar xzf FILE."]


def fetch(uid: int) -> bytes:
    """The archive. Root collects it; for others wow-agent has that done."""
    if uid == 0:
        return collect.archive(parts.PARTS, parts.secrets(), time.time())
    place = collect.place(uid)
    return wait(place, mark(place), lambda: client.ask("support"))


def mark(path: str) -> tuple[int, int] | None:
    """What tells a file from the one that took its place; None while there is none with anything in it."""
    try:
        facts = os.stat(path)
    except OSError:
        return None
    return (facts.st_ino, facts.st_mtime_ns) if facts.st_size else None


def wait(place: str, before: tuple[int, int] | None, ask: "Callable[[], object]", patience: float = PATIENCE) -> bytes:
    """Has a file collected, waits for another than the one before, takes it, and empties it, for it lies in memory. Who asks while one is collected for the same
    person gets that one or none, as the other was quicker; so it is asked for again and again."""
    limit, next_time = time.monotonic() + patience, 0.0
    while (now := time.monotonic()) < limit:
        if now >= next_time:
            ask()
            next_time = now + AGAIN
        found = mark(place)
        if found is not None and found != before and (data := take(place)):
            return data
        time.sleep(PAUSE)
    raise WowError(f"it was not collected within {patience:.0f} s", "Look with: journalctl -u 'wow-support@*'", place)


def take(place: str) -> bytes:
    """What stands there; nothing where somebody was quicker, or took it away."""
    try:
        with open(place, "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            data = file.read()
            file.truncate(0)
    except FileNotFoundError:
        return b""
    return data


def write(out: str, data: bytes) -> None:
    """Writes the file for its owner alone. It has its name once it is whole; where the disk is full, or the person ends it, nothing of it is left."""
    part = f"{out}.{os.getpid()}.part"
    try:
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise WowError(f"cannot be made: {error.strerror}", "Name another file with --out", out) from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        refuse_taken(out)
        os.rename(part, out)
        files.sync_folder(out)
    except OSError as error:
        raise WowError(f"cannot be written: {error.strerror}", "Make room, or name a file on another disk with --out", out) from None
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)


VERB = Verb("support", "", "writes one file for whoever helps you: settings, states and logs of this machine, without secrets; says first what it holds",
            (OUT, sure.YES, JSON), run)
