"""Has the machine forget who it was (acts/reset.py), all of it or nothing: what goes is renamed into one folder, which is removed in the end. Where power is cut
before the end, wow-config goes on with it at the next start, before anything reads what is kept."""
import os

from wow.lib import files, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator

STAYS = {"users", "machine-id", "pause", "refused", "pool.left"}
"""Numbers of accounts stay, because homes belong to them; machine-id is the initrd's. Pause, limits, hours, what was said of the computer, the screen's key map and
password, and refused projects are the owner's, and a person of the pool may ask for a reset. So are pools that it left."""
TOLD = "pause/place.json"
"""Goes all the same: it was told to the pool, and nobody said that another pool may know it."""
EMPTIED = ("condor", "execute", "given", "boot")
"""Folders that stay without what is in them: programs of this start need them, as tmpfiles.d made them; the first is mounted elsewhere, too."""
MODULES = ("stacks", "layers")
"""Another pool has other modules. The stack before its layers, for the initrd tells of one without."""
GOING, GONE = "going", "gone"
"""In the state folder: what goes, while not all of it is there; and that folder when it only waits to be removed."""


def wipe(folder: str) -> None:
    """Takes away what makes up the identity: key, certificate, CA, accepted pool.conf, host keys, last address, queued jobs, what was given. It is on the disk when this
    returns, and not finished before `end`. OSError: the disk does not do it."""
    going = f"{folder}/{GOING}"
    os.makedirs(going, 0o700, exist_ok=True)
    files.sync_folder(going)
    # Their names there are numbers, so that none meets another one, nor one of a reset that was cut.
    for number, path in enumerate(list(_parts(folder)), len(os.listdir(going))):
        os.rename(path, f"{going}/{number}")
    os.sync()


def _parts(folder: str) -> "Iterator[str]":
    """The paths of all that goes."""
    for name in sorted(os.listdir(folder)):
        if name in EMPTIED:
            yield from (f"{folder}/{name}/{inner}" for inner in os.listdir(f"{folder}/{name}"))
        elif name not in STAYS and name != GOING:
            yield f"{folder}/{name}"
    if os.path.lexists(f"{folder}/{TOLD}"):
        yield f"{folder}/{TOLD}"


def end(folder: str, home: str) -> None:
    """Takes away the pool's modules, too, and removes all that goes. OSError: the disk does not do it."""
    import shutil
    for name in MODULES:
        if os.path.isdir(f"{home}/{name}"):
            shutil.rmtree(f"{home}/{name}")
    if os.path.isdir(f"{folder}/{GOING}"):
        os.rename(f"{folder}/{GOING}", f"{folder}/{GONE}")
    os.sync()
    _remove(folder)


def _remove(folder: str) -> None:
    """What the disk cannot remove stays, and brings nothing back."""
    import shutil
    shutil.rmtree(f"{folder}/{GONE}", ignore_errors=True)


def finish(folder: str = paths.STATE) -> None:
    """At a start: goes on with what a power cut ended. OSError: the disk does not do it."""
    if os.path.isdir(f"{folder}/{GOING}"):
        # Here, for nearly no start needs it.
        from wow.stack import kept
        wipe(folder)
        end(folder, kept.HOME)
    elif os.path.isdir(f"{folder}/{GONE}"):
        _remove(folder)
