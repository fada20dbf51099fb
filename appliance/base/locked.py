#!/usr/bin/python3
"""The lock: which Debian packages a layer is made of, to the byte: the base, or a module of packages.

A comment line; a line `at ARCHIVE TIME` for each archive; then a line for each package: NAME VERSION ARCHITECTURE PRIORITY SHA256 ARCHIVE/PATH. A package that is from
another archive than Debian's has its whole address in the place of ARCHIVE/PATH.

usage: locked.py LOCK      ends with an error unless the file is a lock
"""

import pathlib
import re
import sys
from typing import NamedTuple

ARCHIVES = ("debian", "debian-security")
HEAD = "# Debian packages of WOW's base layer. WOW_LOCK=THIS-FILE appliance/base/build makes the layer of these and no others.\n"
FORMS = (r"[a-z0-9][a-z0-9+.-]+", r"[0-9][A-Za-z0-9.+:~-]*", r"all|[a-z0-9]+", r"[a-z]+", r"[0-9a-f]{64}",
         rf"({'|'.join(ARCHIVES)})/pool/[A-Za-z0-9+.~_/-]+\.deb|https?://[!-~]+/[A-Za-z0-9+.~_-]+\.deb")
WORDS = ("name", "version", "architecture", "priority", "SHA256", "path")
MOMENT = re.compile(r"at (debian|debian-security) ([0-9]{8}T[0-9]{6}Z)")


class LockError(Exception):
    """What is wrong with a lock, where, and what to do."""


class Package(NamedTuple):
    """One .deb."""
    name: str
    version: str
    architecture: str
    priority: str
    sha256: str
    path: str

    @property
    def file(self):
        """The name of its file."""
        return self.path.rpartition("/")[2]

    @property
    def archive(self):
        """Which of Debian's archives it is from; "" where it is from another one."""
        archive = self.path.partition("/")[0]
        return archive if archive in ARCHIVES else ""

    def address(self, sites):
        """Where its file is to be had. sites: {archive: address}."""
        return f"{sites[self.archive]}/{self.path.partition('/')[2]}" if self.archive else self.path


class Lock(NamedTuple):
    """When the archives had these packages (as snapshot.debian.org writes times), and the packages by name."""
    moments: dict
    packages: dict


def read(path):
    """The lock in a file; a LockError says which line is wrong."""
    def wrong(what):
        return LockError(f"{path}, line {number}: {what}; take the lock of a build, packages.lock, as it is")

    try:
        lines = pathlib.Path(path).read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise LockError(f"{path}: {error}; WOW_LOCK names the packages.lock of a build") from error
    moments, packages = {}, {}
    for number, line in enumerate(lines, 1):
        if line.startswith("#") or not line:
            continue
        moment = MOMENT.fullmatch(line)
        if moment:
            moments[moment[1]] = moment[2]
            continue
        words = line.split(" ")
        if len(words) != len(FORMS):
            raise wrong(f"{len(words)} words instead of {len(FORMS)}: {' '.join(WORDS)}")
        for form, word, value in zip(FORMS, WORDS, words):
            if not re.fullmatch(form, value):
                raise wrong(f"no {word}: {value}")
        package = Package(*words)
        if package.name in packages:
            raise wrong(f"{package.name} stands there twice")
        packages[package.name] = package
    number = len(lines)
    if not packages or not {package.archive for package in packages.values()} <= {"", *moments}:
        raise wrong("the file ends without a package, or without the time of an archive that a package is from")
    return Lock(moments, packages)


def text(lock, head=HEAD):
    """A lock as its file has it."""
    moments = [f"at {archive} {lock.moments[archive]}" for archive in ARCHIVES if archive in lock.moments]
    return head + "\n".join([*moments, *(" ".join(package) for _, package in sorted(lock.packages.items()))]) + "\n"


def kept(lock):
    """{archive: where Debian keeps it for good as it was}."""
    return {archive: f"https://snapshot.debian.org/archive/{archive}/{moment}" for archive, moment in lock.moments.items()}


def address(lock, package):
    """Where a package's file lies for good, as far as that is known."""
    return package.address(kept(lock))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        read(sys.argv[1])
    except LockError as error:
        sys.exit(f"base: {error}")
