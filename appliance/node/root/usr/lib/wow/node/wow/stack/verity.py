"""The hash trees of base and node's layer, by which the kernel looks at each block as it is read (dm-verity, docs/decisions/0084): blake2b-256 over blocks of 4 KiB,
without salt and without a header. A tree follows from its layer, whose SHA-256 was signed. The list of a system's layers has a comment of each, so that an initrd
of before reads over it:

    # tree FILE BLOCKS ROOT SHA256

FILE: in WOWSYS:/layers. BLOCKS: of the layer. ROOT: the hash of the tree's first block. SHA256: the tree's own, for the initrd takes none that rotted."""
import hashlib

from wow.lib import files

BLOCK = 4096
HASH = 32
"""Bytes of one hash."""
MARK = ("#", "tree")


class Tree:
    """The tree of what is added, in pieces of any size."""

    def __init__(self) -> None:
        self._rest, self._hashes, self._blocks = b"", bytearray(), 0

    def add(self, piece: bytes) -> None:
        """The next bytes of the layer."""
        data = self._rest + piece if self._rest else piece
        end = len(data) // BLOCK * BLOCK
        for at in range(0, end, BLOCK):
            self._hashes += _hash(data[at:at + BLOCK])
        self._blocks += end // BLOCK
        self._rest = data[end:]

    def finished(self) -> tuple[bytes, str] | None:
        """The tree's bytes, the highest level first, and the words after FILE of its line. None where the file is not of whole blocks, two or more; each squashfs is."""
        if self._rest or self._blocks < 2:
            return None
        levels = [_padded(bytes(self._hashes))]
        while len(levels[0]) > BLOCK:
            levels.insert(0, _padded(b"".join(_hash(levels[0][at:at + BLOCK]) for at in range(0, len(levels[0]), BLOCK))))
        data = b"".join(levels)
        return data, f"{self._blocks} {_hash(levels[0]).hex()} {hashlib.sha256(data).hexdigest()}"


def _hash(block: bytes) -> bytes:
    return hashlib.blake2b(block, digest_size=HASH).digest()


def _padded(hashes: bytes) -> bytes:
    """A level, filled with zeros to whole blocks."""
    return hashes.ljust(-(-len(hashes) // BLOCK) * BLOCK, b"\0")


def name_of(layer: str) -> str:
    """The name of a layer's tree, of that of the layer's file."""
    return f"{layer.removesuffix('.squashfs')}.tree"


def line(layer: str, words: str) -> str:
    """A tree's line in the list."""
    return " ".join((*MARK, name_of(layer), words))


def lines(listed: str) -> dict[str, str]:
    """The lines of a list's trees by their files."""
    found = (text for text in listed.splitlines() if tuple(text.split(" ")[:2]) == MARK)
    return {words[2]: " ".join(words) for words in (text.split(" ") for text in found) if len(words) == 6}


def put(folder: str, layer: str, tree: Tree) -> list[str]:
    """Leaves a layer's tree beside it, on the disk when this returns; its line, none where it has none. OSError."""
    made = tree.finished()
    if made is None:
        return []
    files.write(f"{folder}/{name_of(layer)}", made[0], sync=True)
    return [line(layer, made[1])]
