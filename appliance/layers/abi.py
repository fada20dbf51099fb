"""Which base a layer was made over: its content, its day, and the number of what programs are linked against.

A module's programs need of the base: the libraries whose sonames they name, the version of Python whose folder theirs stand in, and glibc's symbol
versions. The ABI number is made of these and of nothing else: it stays where an update keeps them, and is another one where any of them comes or goes.
"""

import datetime
import hashlib
import pathlib
import posixpath
import re
import subprocess
import sys
import tempfile

import elf
import listing
from listing import LayerError

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "base"))

import locked  # noqa: E402

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "node/root/usr/lib/wow/node"))

from wow.lib import files  # noqa: E402
from wow.module import publish  # noqa: E402

LENGTH = 8
"""Digits of the number."""
OLD = 30
"""Days after which a base is told to be old."""
SEARCHED = ("/lib", "/usr/lib", "/lib64", "/usr/lib64")
"""Where ld.so looks besides what ld.so.conf.d names (ld.so(8))."""
GLIBC = re.compile(r"GLIBC_(?!PRIVATE)")


def about(base):
    """Of the folder that appliance/base/build made: {sha256, date, architecture, abi, python, glibc, sonames}. LayerError says what is wrong with it."""
    layer = base / "base.squashfs"
    if not layer.is_file():
        raise LayerError(f"{base}: no base.squashfs; name the folder that appliance/base/build prints")
    found = interface(layer)
    return {"sha256": files.digest(str(layer)), "date": date(base / "packages.lock"), "abi": number(found), **found}


def date(lock):
    """The day of the packages, as the lock says when Debian had them: 2026-11-24. The later one: an archive's time stands still while it has nothing new."""
    try:
        moment = max(locked.read(lock).moments.values())
    except locked.LockError as error:
        raise LayerError(str(error)) from error
    return f"{moment[:4]}-{moment[4:6]}-{moment[6:8]}"


def number(interface_):
    """The ABI number, as digits of a hash."""
    lines = [f"python {interface_['python']}", *(f"glibc {name}" for name in interface_["glibc"]), *(f"soname {name}" for name in interface_["sonames"])]
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()[:LENGTH]


def interface(layer):
    """What the number follows from: {python, glibc, sonames}, each sorted; and for which processors the libraries are."""
    paths = listing.kinds(layer)
    with tempfile.TemporaryDirectory() as scratch:
        tree = pathlib.Path(scratch, "tree")
        folders = searched(layer, paths)
        wanted = [path for path in paths if posixpath.dirname(path) in folders and ".so" in posixpath.basename(path)]
        extract(layer, tree, wanted)
        libraries = [one for path in wanted if (one := library(tree / path))]
        processors = publish.architecture(str(tree / path) for path in wanted if (tree / path).is_file())
    pythons = sorted({path[len("usr/bin/python"):] for path in paths if re.fullmatch(r"usr/bin/python3\.[0-9]+", path)})
    glibc = sorted({version for one in libraries for version in one.versions if GLIBC.match(version)})
    if not glibc or not pythons:
        raise LayerError(f"{layer}: holds no {'glibc' if not glibc else 'python3'}; a base has both")
    return {"architecture": processors, "python": " ".join(pythons), "glibc": glibc, "sonames": sorted({one.soname for one in libraries})}


def searched(layer, paths):
    """The folders where ld.so finds libraries. /lib is a link to usr/lib."""
    named = list(SEARCHED)
    for path in sorted(paths):
        if re.fullmatch(r"etc/ld\.so\.conf\.d/[^/]+\.conf", path):
            named += [line.strip() for line in listing.text(layer, path).splitlines() if line.startswith("/")]
    return {re.sub("^/(?=lib)", "usr/", folder).lstrip("/") for folder in named}


def extract(layer, tree, paths):
    """Unpacks some files. The paths go by a file, for there are hundreds of them."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as names:
        # Each line is a pattern.
        names.write("".join(re.sub(r"([\\*?\[])", r"\\\1", path) + "\n" for path in paths))
        names.flush()
        done = subprocess.run(["unsquashfs", "-quiet", "-no-progress", "-no-xattrs", "-dest", str(tree), "-ef", names.name, str(layer)], capture_output=True,
                              text=True, check=False)
    if done.returncode:
        raise LayerError(f"{layer}: its libraries cannot be unpacked: {(done.stderr or done.stdout).strip()[-200:]}")


def library(file):
    """The library that stands in an unpacked file; None for links, scripts of the linker and the like."""
    if file.is_symlink() or not file.is_file():
        return None
    try:
        return elf.library(file.read_bytes())
    except elf.ElfError as error:
        raise LayerError(f"{file.name}: {error}; build the base anew") from error


def told(facts, today):
    """How old a base is, for people: a line, and a warning where it is old."""
    # The moment of a lock lies some hours behind that of the index.
    age = max(0, (today - datetime.date.fromisoformat(facts["date"])).days)
    lines = [f"base of {facts['date']}, {age} day{'' if age == 1 else 's'} old, ABI {facts['abi']}"]
    if age > OLD:
        lines.append(f"warning: the base is older than {OLD} days, so Debian's security updates since then are missing; WOW_FRESH=1 make image takes them up")
    return lines
