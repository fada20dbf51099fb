"""Which of the machine's two systems runs, A or B: each is a base, a node's layer, a kernel and an initrd in WOWSYS (docs/decisions/0074). What the initrd leaves of
this start (appliance/initrd/layers.sh), and which files each has."""
import os

from wow.lib import paths
from wow.stack import kept, verity
from wow.stack.text import SYSTEM, Layer, Stack

WOWSYS = "/run/layers/sys"
LAYERS, BOOTED = SYSTEM[:2], {"kernel": "vmlinuz", "initrd": "initrd.img"}
SUMS = "SHA256SUMS"
SUMS_OF_GRUB = "CRC32"
"""By which GRUB looks at kernel and initrd before it starts them: their SHA-256 takes seconds where the processor is emulated."""
ARMED = f"{paths.RUN}/system.armed"
"""There while GRUB is to try the other system at the next start."""


class Systems:
    """root: where WOWSYS is mounted; said: what the initrd says of this start. is_noted: wow-system had GRUB stay with this trial, at this look."""

    __slots__ = ("root", "running", "is_trial", "left", "damaged", "is_cut", "is_kept", "unhashed", "is_noted")

    def __init__(self, root: str = WOWSYS, said: str = kept.SAID) -> None:
        facts = kept.of_start(said)
        self.root, self.running = root, facts.get("system", "A")
        self.is_trial, self.left = bool(facts.get("trial")), facts.get("left", "")
        self.is_noted = False
        self.damaged, self.is_cut, self.is_kept = facts.get("damaged", ""), "cut" in facts, "kept" in facts
        self.unhashed = facts.get("unhashed", "")

    @property
    def other(self) -> str:
        """The system that does not run, which may be replaced."""
        return "A" if self.running == "B" else "B"

    @property
    def layers(self) -> str:
        """The folder of both systems' layers."""
        return f"{self.root}/layers"

    def list_of(self, system: str) -> str:
        """Where the list of its layers is."""
        return f"{self.root}/stacks/{system}.conf"

    def boot(self, system: str) -> str:
        """The folder of its kernel and initrd."""
        return f"{self.root}/boot/{system}"

    def rows(self, system: str) -> list[list[str]]:
        """The lines of its list, as words."""
        rows = (line.split(" ") for line in kept.read(self.list_of(system)).splitlines())
        return [row for row in rows if len(row) == 5 and row[0] != "#"]

    def layers_of(self, system: str) -> list[list[str]]:
        """The lines of base and node's layer."""
        return [row for row in self.rows(system) if row[0] in LAYERS]

    def trees(self, system: str) -> dict[str, str]:
        """The lines of its layers' hash trees, by their files."""
        return verity.lines(kept.read(self.list_of(system)))

    def number(self, system: str) -> str:
        """Of the stack that it came with; "" where it is the image's, or none."""
        words = kept.read(self.list_of(system)).partition("\n")[0].split(" ")
        return words[2] if words[:2] == ["#", "stack"] and len(words) == 3 else ""

    def files(self, system: str) -> dict[str, str]:
        """Base, node's layer, kernel and initrd by their digests, as its lists have them; nothing where it has no list, or the machine left it."""
        rows = self.rows(system) if system == self.running or system != self.damaged else []
        sums = (line.split() for line in kept.read(f"{self.boot(system)}/{SUMS}").splitlines()) if rows else ()
        return {**{row[4]: f"{self.layers}/{row[2]}" for row in rows if row[0] in LAYERS},
                **{words[0]: f"{self.boot(system)}/{words[1]}" for words in sums if len(words) == 2 and words[1] in BOOTED.values()}}

    def everything(self, system: str) -> dict[str, str]:
        """The same, with the image's modules."""
        return {**{row[4]: f"{self.layers}/{row[2]}" for row in self.rows(system)}, **self.files(system)}

    @property
    def has_spare(self) -> bool:
        """Whether there is another system that was not given up and may be whole."""
        return not self.is_kept and self.left != self.other and bool(self.files(self.other))

    def is_running(self, stack: Stack) -> bool:
        """Whether the running system is the one that a stack carries."""
        return {file.digest for file in stack.system} == set(self.files(self.running))

    def is_proven(self) -> bool:
        """Whether this start is one of a trial, and brought the machine back into its pool: GRUB is to stay with it, whatever is published by now."""
        return self.is_trial and os.path.exists(kept.SETTLED)

    def is_there(self, stack: Stack) -> bool:
        """Whether the other system is the one that a stack carries, and came with it."""
        return self.number(self.other) == str(stack.number) and {file.digest for file in stack.system} == set(self.files(self.other))

    def is_given_up(self, stack: Stack) -> bool:
        """Whether this machine was not back in its pool after its starts with what a stack carries."""
        return self.left == self.other and self.is_there(stack)

    def is_over(self, place: kept.Place, stack: Stack, armed: str = ARMED) -> bool:
        """Whether that is so, and it is not to be tried again. When the former system is back in the pool the network is, which may have been away: so it has one more
        start then, its last."""
        return self.is_given_up(stack) and kept.of_home(place.last) == f"{stack.number}\n" and not os.path.exists(armed)

    def lacking(self, stack: Stack) -> list[Layer]:
        """What of a stack's system neither of the two has."""
        there = self.having(stack)
        return [file for file in stack.system if file.digest not in there]

    def having(self, stack: Stack) -> dict[str, str]:
        """Where the two have files that a stack carries, by their digests; of both the running one's. A kernel or initrd that rotted is none: what is copied is not
        fetched."""
        found: dict[str, str] = {}
        for files_ in (self.files(self.other), self.files(self.running)):
            found.update({file.digest: files_[file.digest] for file in stack.system if file.digest in files_ and is_good(file, files_[file.digest])})
        return found

    def wanting(self, place: kept.Place, stack: Stack) -> list[Layer]:
        """What of a stack is not on this machine: of its system, where another one runs, and of its modules."""
        system = () if self.is_running(stack) else self.lacking(stack)
        return [file for file in system if kept.size_of(f"{place.layers}/{file.digest}") != file.size] + place.missing(stack)

    def lines(self, stack: Stack) -> list[str]:
        """The list of a system's layers, as the initrd reads it."""
        return [f"{file.kind} {file.kind} {layer_name(file)} {file.size} {file.digest}" for file in stack.system if file.kind in LAYERS]


def is_good(file: Layer, path: str) -> bool:
    """Whether it is there and can be read: layers, which stay where they are, by their size."""
    if kept.size_of(path) != file.size or file.kind in LAYERS:
        return kept.size_of(path) == file.size
    import hashlib
    try:
        with open(path, "rb") as data:
            return hashlib.file_digest(data, "sha256").hexdigest() == file.digest
    except OSError:
        return False


def layer_name(file: Layer) -> str:
    """As `make image` names the files of its layers (appliance/image/stack-list)."""
    return f"{file.kind}-{file.digest[:12]}.squashfs"
