"""Makes the hash trees of the running system anew, where one is missing or rotted (verity.py has what a tree is)."""
import hashlib
import os

from wow.lib import files, paths
from wow.stack import kept, verity
from wow.stack.systems import Systems

WANTED = f"{paths.RUN}/trees.wanted"
"""wow-layers': there while a layer of the running system has no tree that is whole."""
PIECE = 1 << 18
"""Bytes of a layer that are read at once."""


def is_wanted(systems: Systems) -> bool:
    """Whether trees of the running system are to be made. Not of one on trial: what GRUB may start is not written, and it came with its trees."""
    return os.path.exists(WANTED) and not systems.is_trial


def grow(systems: Systems) -> None:
    """Makes the trees of the running system anew, for its next start; a layer that is damaged gets none. WOWSYS takes writes. Power may go: the list names a tree when
    that is on the disk, and one that is half written the initrd does not take. OSError."""
    listed = systems.list_of(systems.running)
    found: list[str] = []
    for row in systems.layers_of(systems.running):
        tree, sha = verity.Tree(), hashlib.sha256()
        try:
            with open(f"{systems.layers}/{row[2]}", "rb") as layer:
                while piece := layer.read(PIECE):
                    tree.add(piece)
                    sha.update(piece)
        except OSError as error:
            print(f"{row[2]} cannot be read: {error.strerror}", flush=True)  # for the journal; it is mended after this
            continue
        if sha.hexdigest() == row[4]:
            found += verity.put(systems.layers, row[2], tree)
    others = [text for text in kept.read(listed).splitlines() if tuple(text.split(" ")[:2]) != verity.MARK]
    files.write(listed, "\n".join([*others, *found]) + "\n", sync=True)
