"""What stands on the disk of a machine, or of an image, that nobody runs: its partitions, its release and its layers. Read from the disk itself, since the
name of a file says nothing. The layout is appliance/image/disk's."""

import json
import pathlib
import re
import shlex
import subprocess
import tempfile
from typing import NamedTuple

from pool import programs
from pool.formats import contents, headers, onedisk, partitions, stacks, tools
from pool.image import QCOW2
from pool.node import WowError, agreed

MIB, SECTOR = 1 << 20, 512
SYSTEM, HOME = partitions.SYSTEM, agreed.HOME_LABEL
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"}
"""Of programs whose words are looked for."""
NO_TABLE = "has no partition table: it is no disk of a WOW machine", "Name the first disk of the machine, not WOWCFG"
"""What is said of it, and what helps."""
NUMBERS = re.compile(r'VERSION = "(\d+(?:\.\d+)*)[^"]*"')


class Disk(NamedTuple):
    """`table` is the partition table; `release` is that of the node layer of the newest system that can be read; `lists` are the lists of layers as texts: one, or two
    where the pool sent a system."""
    table: list
    release: str
    lists: list


def read(path, place, held=(), is_own=False, far=None):
    """The Disk in a qcow2; `place` is a folder for what is made meanwhile; `is_own` says that it is a machine's, whose owner may have chosen a backing file for it,
    and no image, which may come from anybody; `far` is called with the percentage of its system that is read. WowError where it is none of a WOW machine, or where a machine runs from it."""
    if not path.is_file():
        raise WowError("no such file", f"Name a machine's qcow2, and an image like build/out/{QCOW2}", str(path))
    form = onedisk.form_of(path)
    if form is None:
        raise WowError(*NO_TABLE, str(path))
    if form != "qcow2":
        raise WowError(f"is of the format {form}, not qcow2", f"Convert it first: qemu-img convert -f {form} -O qcow2 {shlex.quote(str(path))} NEW.qcow2; and back after "
                       "the upgrade", str(path))
    if not is_own and (wrong := headers.wrong(path, form)):
        raise WowError(*wrong, str(path))
    with tempfile.TemporaryDirectory(dir=place) as scratch:
        scratch = pathlib.Path(scratch)
        table = _table(path, scratch / "table", held)
        names = {entry.get("name"): entry for entry in table}
        if SYSTEM in names and HOME not in names:
            raise WowError("has no home on it: that stands on another disk of the machine", "Put the new image's disk in the place of this one, and leave the home's disk",
                           str(path))
        if not {SYSTEM, HOME} <= names.keys():
            raise WowError(f"has no partitions {SYSTEM} and {HOME}: it is no disk of a WOW machine", "Name the first disk of the machine, not WOWCFG", str(path))
        system = scratch / "system"
        _cut(path, system, names[SYSTEM]["start"] * SECTOR, names[SYSTEM]["size"] * SECTOR, held, far)
        texts = [_inside(system, f"cat {file}", path) for file in _lists(system, path)]
        return Disk(table, max(_releases(system, texts, path), key=_numbers), texts)


def _lists(system, path):
    """The lists of layers of a system's disk: where one is just being replaced, the other is there."""
    there = {line.split("/")[5] for line in _inside(system, f"ls -p {pathlib.PurePosixPath(stacks.FILE).parent}", path).splitlines() if line.count("/") > 5}
    found = [file for file in (stacks.FILE, stacks.OTHER) if pathlib.PurePosixPath(file).name in there]
    if not found:
        raise WowError("has no list of layers", "Take a disk that appliance/image/build made, or a machine's that was made of one", str(path))
    return found


def _releases(system, texts, path):
    """Those of the systems with these lists of layers. One that cannot be read is left out where another one can: it may be why somebody upgrades."""
    found, wrong = [], None
    for text in texts:
        try:
            found.append(_release(system, text, path))
        except WowError as error:
            wrong = wrong or error
    if wrong and not found:
        raise wrong
    return found


def _release(system, text, path):
    """That of the system with this list of layers."""
    files = {row[0]: row[2] for row in stacks.rows(text)}
    if "node" not in files:
        raise WowError("names no node layer in its list of layers", "Take a disk that appliance/image/build made, or a machine's that was made of one", str(path))
    layer = system.with_name("node")
    layer.unlink(missing_ok=True)
    _inside(system, f"dump /layers/{files['node']} {layer.name}", path)
    said, errors, code = tools.heard("unsquashfs", "-cat", layer, contents.VERSION_FILE, most=contents.MOST)
    if code:
        raise programs.failed("unsquashfs", errors.decode("latin-1").strip()[-programs.SHOWN:])
    found = None if code is None else NUMBERS.search(said.decode("latin-1"))
    if found is None:
        raise WowError("names no release in its node layer", "Take a disk that appliance/image/build made", str(path))
    return found.group(1)


def is_older(release, than):
    """Whether a release comes before another."""
    return _numbers(release) < _numbers(than)


def _numbers(release):
    return tuple(int(part) for part in release.split("."))


def _table(path, raw, held):
    """The partition table in the disk's first MiB; its copy at the disk's end is not looked for."""
    _cut(path, raw, 0, MIB, held)
    about = json.loads(programs.run("qemu-img", "info", "--output=json", "-f", "qcow2", path, held=held))
    with open(raw, "r+b") as file:
        file.truncate(about["virtual-size"])
    done = subprocess.run(["sfdisk", "--json", raw], capture_output=True, text=True, check=False, env=ENVIRONMENT)
    if done.returncode:
        raise WowError(*NO_TABLE, str(path))
    entries = json.loads(done.stdout)["partitiontable"]["partitions"]
    return [{key: value for key, value in entry.items() if key != "node"} for entry in entries]


def _cut(path, raw, start, length, held, far=None):
    """Copies so many bytes of a disk, sparse. A disk that a machine runs from is locked by it."""
    part = onedisk.options(onedisk.OneDisk(path.resolve(), path, "qcow2", {}), onedisk.Part(start, length))
    programs.run("qemu-img", "convert", "-p", "-O", "raw", "--image-opts", part, raw, held=held, place=raw.parent, far=far)


def _inside(system, request, path):
    """What debugfs says to one request. WowError where it cannot."""
    said, wrong = stacks.asked(system, request)
    if wrong:
        raise WowError(f"its system cannot be read ({wrong})", "Take a disk that appliance/image/build made, or a copy of this one", str(path))
    return said
