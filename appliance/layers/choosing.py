"""Fewer modules than a stack has: a pool may choose so (`[modules] names`). The glue of the whole stack would tell of packages that are not there, so each choice has
a tree of its own in the glue's layer, and the initrd stacks that in the glue's place."""

import io
import itertools
import tarfile

import gates
from listing import LayerError

from wow.module import publish

MOST = 30
"""Choices that get a tree: all of five modules."""
FOLDER = f"{publish.HOME}/{gates.GLUE}/of"
"""Here stand the trees, each in a folder with its number as name. Only root sees them: a running machine has them twice."""
INDEX = f"{publish.HOME}/{gates.GLUE}/choices"
"""A line TREE NAME... for each choice, the names in the stack's order. TREE is - where these modules need no glue. The initrd reads it (layers.sh)."""
NONE = "-"


def choices(names, asked):
    """Lists of fewer names than all, in the order of these, at most MOST: those that are asked for first, then those of few modules, and those without few.
    asked: lists of names. LayerError for a name that is none."""
    for word in itertools.chain(*asked):
        if word not in names:
            raise LayerError(f"--choice: there is no module {word}; name some of {', '.join(names)}")
    wanted = [[name for name in names if name in one] for one in asked]
    sizes = sorted(range(1, len(names)), key=lambda size: (min(size, len(names) - size), size))
    every = (list(one) for size in sizes for one in itertools.combinations(names, size))
    found = []
    for one in itertools.chain(wanted, every):
        if 0 < len(one) < len(names) and one not in found:
            found.append(one)
        if len(found) == max(MOST, len(wanted)):
            break
    return found


def count(names):
    """How many choices there are of fewer modules than all."""
    return max(0, 2 ** len(names) - 2)


def of(layers, names):
    """The layers without the modules that are not chosen."""
    return gates.Layers(one for one in layers if one.kind != "module" or one.name in names)


def folder(archive, path, mode):
    """A folder of root's."""
    entry = tarfile.TarInfo(path)
    entry.type, entry.mode, entry.mtime = tarfile.DIRTYPE, mode, publish.EPOCH
    archive.addfile(entry)


def plant(archive, tree, number):
    """Puts a tree into the glue's archive. tree: an archive of its own."""
    place = f"{FOLDER}/{number}"
    folder(archive, place, 0o755)
    with tarfile.open(tree, "r:") as source:
        for entry in source:
            entry.name = f"{place}/{entry.name}"
            # What was written there of the name is another one's by now.
            entry.pax_headers = {key: word for key, word in entry.pax_headers.items() if key == publish.CAPABILITY}
            archive.addfile(entry, source.extractfile(entry) if entry.isreg() else None)


def index(archive, rows):
    """Writes which tree is whose. rows: [(tree, names)]."""
    data = "".join(f"{' '.join((str(tree), *names))}\n" for tree, names in rows).encode()
    entry = tarfile.TarInfo(INDEX)
    entry.size, entry.mode, entry.mtime = len(data), 0o644, publish.EPOCH
    archive.addfile(entry, io.BytesIO(data))
