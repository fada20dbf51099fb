"""The lock of a module's packages, packages.lock beside its module.ini: written as the base's is (base/locked.py), and a module is made of its packages and of no
others. Needs a root with the base's packages (making.Root)."""

import contextlib
import fcntl
import importlib.machinery
import importlib.util
import os
import pathlib
import sys
import tempfile
from typing import NamedTuple

HERE = pathlib.Path(__file__).resolve().parent
BASE = HERE.parent / "base"
sys.path.append(str(BASE))

import locked  # noqa: E402
from listing import LayerError  # noqa: E402

FILE = "packages.lock"
HEAD = "# Debian packages that this module is made of, with those of its build. It is made of these again until `publish --update` records newer ones.\n"
SUITE = "module"
STORE, ARCHIVE = "run/wow-store", "run/wow-archive"
"""Where a root sees the packages, and the archive that names them."""
SOURCE = f"Types: deb\nURIs: file:/{ARCHIVE}\nSuites: {SUITE}\nComponents: main\nTrusted: yes\n"


def tool(name):
    """A program of the base's as a module."""
    loader = importlib.machinery.SourceFileLoader(name, str(BASE / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


collect, record = tool("collect"), tool("record")


class Packages(NamedTuple):
    """What a module is made of. former: the lock that was there, or None; lock: the one to leave; archive, store: folders to install from."""
    former: locked.Lock | None
    lock: locked.Lock
    archive: pathlib.Path
    store: pathlib.Path

    def see(self, root):
        """apt in a root has this archive, and no other one."""
        for path, place in ((STORE, self.store), (ARCHIVE, self.archive)):
            (root.path / path).mkdir()
            root.bind(path, place)


@contextlib.contextmanager
def packages(folder, update, choose, find, cache):
    """The Packages of the recipe in a folder, fetched. update: whether those of its lock are left for what there is now; choose: a function that has apt choose, and
    gives a locked.Lock; find: one that gives {archive: address}; cache: a folder that keeps what was fetched. LayerError says what is not to be had."""
    file, store = folder / FILE, cache / "debs"
    store.mkdir(parents=True, exist_ok=True)
    try:
        with open(cache / "lock", "w", encoding="ascii") as turn, tempfile.TemporaryDirectory(prefix="wow-archive-") as scratch:
            # One at a time: apt and wget write into the same folders.
            fcntl.flock(turn, fcntl.LOCK_EX)
            former = locked.read(file) if file.exists() else None
            lock = choose() if former is None or update else former
            collect.gather(lock, store, find, file, f"appliance/layers/publish {folder} ...", f"appliance/layers/publish --update {folder} ...")
            archive = pathlib.Path(scratch) / "archive"
            collect.make_archive(lock, SUITE, store, archive, pathlib.Path("/", STORE))
            os.chmod(scratch, 0o755)
            fcntl.flock(turn, fcntl.LOCK_UN)
            yield Packages(former, lock, archive, store)
    except locked.LockError as error:
        raise LayerError(f"{folder}: {error}") from error


def keep(folder, lock):
    """Leaves the lock beside module.ini, whole, as a file of whoever has that one."""
    if not lock.packages:
        # The base has all that the recipe names.
        return
    file, owner = folder / FILE, (folder / "module.ini").stat()
    fresh = file.with_suffix(".new")
    try:
        fresh.write_text(locked.text(lock, HEAD), encoding="ascii")
        os.chown(fresh, owner.st_uid, owner.st_gid)
        fresh.rename(file)
    except OSError as error:
        raise LayerError(f"{file}: {error.strerror}; the lock of the packages stands beside module.ini, so copy the recipe to where it can be written") from error


def told(folder, made):
    """Lines for people: what the module was made of, and with another lock what differs."""
    file, number = folder / FILE, len(made.lock.packages)
    if not number:
        return []
    count = f"{number} package{'' if number == 1 else 's'}"
    if made.former is None:
        return [f"{file}: {count} recorded. The module is made of these from now on; --update takes newer ones"]
    if made.former is made.lock:
        day = max(made.lock.moments.values(), default="")[:8]
        since = f", as Debian had them on {day[:4]}-{day[4:6]}-{day[6:]}" if day else ""
        return [f"{file}: made of its {count}{since}; --update takes newer ones"]
    lines = differences(made.former.packages, made.lock.packages)
    return [f"{file}: {count} recorded, {len(lines)} of them others than before", *lines] if lines else [f"{file}: nothing is newer than its {count}"]


def differences(old, new):
    """A line for each package that came, went or has another version."""
    lines = []
    for name in sorted({*old, *new}):
        before, after = old.get(name), new.get(name)
        if before is None:
            lines.append(f"  + {name} {after.version}")
        elif after is None:
            lines.append(f"  - {name} {before.version}")
        elif before.version != after.version:
            lines.append(f"  ~ {name} {before.version} -> {after.version}")
        elif before.sha256 != after.sha256:
            lines.append(f"  ~ {name} {before.version}, other bytes")
    return lines
