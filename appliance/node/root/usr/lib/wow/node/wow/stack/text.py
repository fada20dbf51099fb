"""The text of a stack, as the pool's CA signs it in a notice of kind 3: which base and node the modules were made over, and each layer by size and digest; or
a whole system, base, node, kernel and initrd, each by size and digest too; and deltas, from which some of them can be made. A text may have such a part for each
architecture. Whatever is not exactly such a text is none."""
import os

from wow.lib import agreed, modes
from wow.lib import notice as notices

LARGEST_FILE = notices.LARGEST
"""Bytes of a notice's file."""
HEX = set("0123456789abcdef")
DIGITS = set("0123456789")
LONGEST_LABEL = 63
SYSTEM = ("base", "node", "kernel", "initrd")
"""What a system consists of, in the order of the text."""
MACHINES = {"x86_64": agreed.FIRST_ARCHITECTURE, "aarch64": "arm64"}
"""Debian's names, which the text has, by the kernel's."""


class NoStack(Exception):
    """Why something is no stack."""


class Layer:
    """One layer, or the kernel or initrd. kind: module, glue, or one of SYSTEM, which is its name too."""

    __slots__ = ("kind", "name", "size", "digest")

    def __init__(self, kind: str, name: str, size: int, digest: str) -> None:
        self.kind, self.name, self.size, self.digest = kind, name, size, digest

    def line(self) -> str:
        """As the initrd's list of layers has it; the file is called by its digest."""
        return f"{self.kind} {self.name} {self.digest} {self.size} {self.digest}"


class Delta:
    """What changed between two files, in librsync's format. file: the digest of the one that it makes, a file of the stack; from_: the digest of the one that this
    is made from; size and digest: its own."""

    __slots__ = ("file", "from_", "size", "digest")

    def __init__(self, file: str, from_: str, size: int, digest: str) -> None:
        self.file, self.from_, self.size, self.digest = file, from_, size, digest


class Stack:
    """A published stack. An empty one has no base, no node and no layers. layers: modules and glue. restart_by: from which Unix second on no job keeps a machine
    from starting again with it; None where jobs always do. system: the files that it carries so that machines of another system take it, as SYSTEM has them; ()
    where it carries none. deltas: a machine may pass over any of them. elsewhere: the architectures that it is for, where it has nothing for the one that was
    asked for."""

    __slots__ = ("number", "base", "node", "layers", "restart_by", "system", "deltas", "elsewhere")

    def __init__(self, number: int, base: str = "", node: str = "", layers: "tuple[Layer, ...]" = (), restart_by: int | None = None,
                 system: "tuple[Layer, ...]" = (), deltas: "tuple[Delta, ...]" = ()) -> None:
        self.number, self.base, self.node, self.layers = number, base, node, layers
        self.restart_by, self.system, self.deltas = restart_by, system, deltas
        self.elsewhere: tuple[str, ...] = ()

    @property
    def files(self) -> "tuple[Layer | Delta, ...]":
        """All that may be fetched of it."""
        return (*self.system, *self.layers, *self.deltas)

    @property
    def modules(self) -> list[str]:
        """The names of its modules, bottom first."""
        return [layer.name for layer in self.layers if layer.kind == "module"]


def notice(data: bytes) -> Stack:
    """The stack of a notice's file. NoStack."""
    number, body = opened(data, agreed.STACK_NOTICE)
    return read(body, number)


def opened(data: bytes, kind: int) -> tuple[int, bytes]:
    """Number and text of the file of a notice of a kind. NoStack."""
    try:
        return notices.opened(data, kind)
    except ValueError as error:
        raise NoStack(str(error)) from None


def read(data: bytes, number: int, architecture: str = "") -> Stack:
    """The stack of a text, as it is for an architecture; for this machine's where none is named. NoStack."""
    found, restart_by = parts(data)
    made = {one: _part(lines, number, restart_by) for one, lines in found.items()}
    sizes: dict[str, int] = {}
    for file in (file for stack in made.values() for file in stack.files):
        # A module without programs may be one file for all.
        if sizes.setdefault(file.digest, file.size) != file.size:
            raise NoStack("a file has two sizes")
    if sum(sizes.values()) > agreed.LARGEST_STACK:
        raise NoStack(f"its files have more than {agreed.LARGEST_STACK} bytes together")
    there = [one for one, stack in made.items() if stack.base]
    own = architecture or machine()
    if own in there:
        return made[own]
    nothing = Stack(number, restart_by=restart_by)
    nothing.elsewhere = tuple(there)
    return nothing


def machine() -> str:
    """Debian's name of this machine's architecture; the kernel's, which no text has, where that is another."""
    name = os.uname().machine
    return MACHINES.get(name, name)


def parts(data: bytes) -> tuple[dict[str, list[str]], int | None]:
    """The lines for each architecture, those of the first one in any case, and the deadline. NoStack."""
    if len(data) > agreed.LARGEST_STACK_TEXT:
        raise NoStack(f"it has more than {agreed.LARGEST_STACK_TEXT} bytes")
    if not data.endswith(b"\n"):
        raise NoStack("its last line does not end")
    # By \n alone: splitlines knows other ends of a line.
    first, *rest = data[:-1].decode("latin-1").split("\n")
    if first != agreed.STACK_HEAD:
        raise NoStack(f"its first line is not {agreed.STACK_HEAD}")
    restart_by = _deadline(rest[-1]) if rest else None
    if restart_by is not None:
        rest.pop()
    lines: list[str] = []
    found = {agreed.FIRST_ARCHITECTURE: lines}
    for line in rest:
        words = line.split(" ")
        if words[0] != agreed.ARCHITECTURE_WORD:
            lines.append(line)
            continue
        if len(words) != 2 or not _is_label(words[1]) or words[1] in found:
            raise NoStack(f"a line is not {agreed.ARCHITECTURE_WORD} and a name, which stands once and is not {agreed.FIRST_ARCHITECTURE}")
        lines = found[words[1]] = []
    if not all(found[name] for name in list(found)[1:]):
        raise NoStack("it names an architecture, and nothing for it")
    return found, restart_by


def _part(rest: list[str], number: int, restart_by: int | None) -> Stack:
    """What the lines for one architecture say. NoStack."""
    if not rest:
        return Stack(number, restart_by=restart_by)
    if len(rest) < 2:
        raise NoStack("it names no node")
    system = _system(rest)
    over = [file.digest for file in system[:2]] or [_over(line, word) for line, word in zip(rest, SYSTEM[:2])]
    lines = rest[len(system) or 2:]
    above = next((at for at, line in enumerate(lines) if line.split(" ")[0] == agreed.DELTA_WORD), len(lines))
    layers = tuple(_layer(line) for line in lines[:above])
    deltas = tuple(_delta(line) for line in lines[above:])
    _together((*system, *layers), deltas, [] if system else over)
    return Stack(number, over[0], over[1], layers, restart_by, system, deltas)


def _deadline(line: str) -> int | None:
    """The second of the last line, None where that is another one."""
    words = line.split(" ")
    if words[0] != agreed.RESTART_WORD:
        return None
    if len(words) != 2 or not is_number(words[1], agreed.LATEST_RESTART):
        raise NoStack(f"its last line is not {agreed.RESTART_WORD} and 1 to {agreed.LATEST_RESTART}")
    return int(words[1])


def _system(lines: list[str]) -> "tuple[Layer, ...]":
    """The four files of the first lines, () where base has no size: then no other has."""
    words = [line.split(" ") for line in lines[:len(SYSTEM)]]
    if len(words[0]) == 2:
        return ()
    if tuple(word[0] for word in words) != SYSTEM or any(len(word) != 3 or not _is_digest(word[1]) for word in words):
        raise NoStack(f"its system is not {', '.join(SYSTEM)}, each with a digest and a size")
    if not all(is_number(word[2], agreed.LARGEST_LAYER) for word in words):
        raise NoStack(f"a size of its system is not 1 to {agreed.LARGEST_LAYER}")
    return tuple(Layer(kind, kind, int(size), digest) for kind, digest, size in words)


def _over(line: str, word: str) -> str:
    """The digest of the line for base or node of a stack that carries no system."""
    words = line.split(" ")
    if len(words) != 2 or words[0] != word or not _is_digest(words[1]):
        raise NoStack(f"a line is not {word} and a digest")
    return words[1]


def _layer(line: str) -> Layer:
    """The layer of a line."""
    words = line.split(" ")
    if len(words) != 4 or words[0] not in ("module", modes.GLUE) or not _is_digest(words[3]):
        raise NoStack("a line is none of a layer")
    kind, name, size, digest = words
    if not (name == modes.GLUE if kind == modes.GLUE else _is_label(name) and name not in modes.TAKEN):
        raise NoStack("a layer's name is none")
    if not is_number(size, agreed.LARGEST_LAYER):
        raise NoStack(f"a layer's size is not 1 to {agreed.LARGEST_LAYER}")
    return Layer(kind, name, int(size), digest)


def _delta(line: str) -> Delta:
    """The delta of a line."""
    words = line.split(" ")
    if len(words) != 5 or words[0] != agreed.DELTA_WORD or not all(_is_digest(words[at]) for at in (1, 2, 4)):
        raise NoStack("a line is none of a delta")
    if not is_number(words[3], agreed.LARGEST_LAYER):
        raise NoStack(f"a delta's size is not 1 to {agreed.LARGEST_LAYER}")
    return Delta(words[1], words[2], int(words[3]), words[4])


def _together(files: "tuple[Layer, ...]", deltas: "tuple[Delta, ...]", over: list[str]) -> None:
    """What holds of all files. over: digests that they must not have."""
    kinds, names, digests = ([getattr(file, key) for file in files] for key in ("kind", "name", "digest"))
    if kinds.count("module") > agreed.MOST_MODULES:
        raise NoStack(f"it has more than {agreed.MOST_MODULES} modules")
    if modes.GLUE in kinds and ("module" not in kinds or modes.GLUE in kinds[:-1]):
        raise NoStack("a glue stands elsewhere than above all modules")
    if len(set(names)) < len(names):
        raise NoStack("two of its modules have one name")
    _apart(deltas, digests)
    digests += [*over, *(delta.digest for delta in deltas)]
    if len(set(digests)) < len(digests):
        raise NoStack("two of its files are one")


def _apart(deltas: "tuple[Delta, ...]", digests: list[str]) -> None:
    """What holds of the deltas. digests: those of the stack's files."""
    if len(deltas) > agreed.MOST_DELTAS:
        raise NoStack(f"it has more than {agreed.MOST_DELTAS} deltas")
    if any(delta.file not in digests or delta.from_ == delta.file for delta in deltas):
        raise NoStack("a delta makes none of its files, or one from itself")
    if {delta.from_ for delta in deltas} & {delta.digest for delta in deltas}:
        raise NoStack("a file is made from a delta")
    if len({(delta.file, delta.from_) for delta in deltas}) < len(deltas):
        raise NoStack("two of its deltas make one file from one")


def is_number(word: str, most: int) -> bool:
    """Whether a word is a number from 1 to most, in decimal without leading zeros."""
    return 0 < len(word) <= len(str(most)) and not set(word) - DIGITS and word[0] != "0" and int(word) <= most


def _is_digest(word: str) -> bool:
    return len(word) == 64 and not set(word) - HEX


def _is_label(word: str) -> bool:
    return 0 < len(word) <= LONGEST_LABEL and not set(word) - set(modes.LETTERS) and word[0] != "-" != word[-1]
