"""Runs other programs; a failure names the program and shows what it said."""

import os
import shutil
import subprocess

from pool.formats import tools
from pool.node import WowError

SHOWN = 1500
"""Characters of what a program said last that are shown."""

AGAIN = "What is done stays: mend that, then type the same command again"

PACKAGES = {"age": "age", "age-keygen": "age", "mkfs.vfat": "dosfstools", "mcopy": "mtools", "qemu-img": "qemu-utils", "xorrisofs": "xorriso"}
MORE = {"sfdisk": "fdisk", "debugfs": "e2fsprogs", "unsquashfs": "squashfs-tools"}
"""Program: Debian's package, for what every pool needs, itself or by `stamp`; and for what `upgrade` needs beside it."""

LITTLE = 256 * 1024
"""Bytes of free room below which a failure is put down to that, too: SQLite calls it a disk I/O error."""


def run(*command, held=(), text=None, place=None, far=None):
    """Runs a command to its end; returns what it printed. `held`: descriptors that it keeps open, so that a lock outlives us until it has ended;
    `place`: the folder that it writes to; `far`: called with the percents that it tells (`tools.follow`). WowError if it fails or is not there."""
    words = [str(word) for word in command]
    reads = {"input": text} if text is not None else {"stdin": subprocess.DEVNULL}
    how = {"pass_fds": tuple(held), "env": {**os.environ, "PATH": _path()}}
    try:
        done = tools.follow(words, far, **how) if far else subprocess.run(words, capture_output=True, text=True, check=False, **reads, **how)
    except FileNotFoundError:
        raise WowError("is not there", "appliance/host-packages installs what test/packages.txt lists, `make image` the pool's own programs",
                       words[0]) from None
    if done.returncode != 0:
        name = os.path.basename(words[0])
        raise failed(name, (done.stderr.strip() or done.stdout.strip())[-SHOWN:].removeprefix(f"{name}: ") or f"ended with {done.returncode}", place)
    return done.stdout


def failed(name, said, place=None):
    """The WowError of a program that failed with these words, while it wrote to the folder `place`."""
    full = f" (No space left on device: {place})" if place and shutil.disk_usage(place).free < LITTLE else ""
    return WowError(said.rstrip(".") + full, AGAIN, name)


def need(*names):
    """WowError that names every program which is not on this machine; /usr/sbin counts."""
    missing = [name for name in names if shutil.which(name, path=_path()) is None]
    if missing:
        raise WowError(f"not installed: {' '.join(missing)}", "Type `make host`, or: apt-get install " + " ".join({**PACKAGES, **MORE}[name] for name in missing))


def _path():
    return os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
