"""What lies in home of published stacks: the layers, the stack that the initrd takes next, and the one that was found good. Folders of root, beside those of jobs and
people.

Power may go at any time. A layer has its name only when all of it is on the disk; `next` is replaced only when all its layers are there; what nobody needs is removed
after that. Where a stack is taken off, `next` goes first, for without it the initrd looks at nothing else."""
import os

from wow.lib import base, files, paths
from wow.stack import term
from wow.stack.text import HEX, Layer, Stack

HOME = "/run/layers/home"
STARTED = "/run/layers/stack"
"""The initrd's: source=next, good or image; number= of the stack; left= and why= where it left one."""
NOTICE = f"{paths.STATE}/notice-3"
"""The newest stack that ipopd has."""
OF_STACKS = (term.NOTICE, f"{paths.STATE}/notice-5", f"{paths.STATE}/notice-6")
"""Its term, the keys that sign both, and its origins (named.py)."""
SAID = "/run/layers/system"
"""The initrd's: system=A or B; trial=, starts that a newer one has left; left=, one that was given up after its starts; damaged=, one that was left for what the
disk lost of it; cut=yes, where it was left for two starts that did not come to their end; kept=yes, where both are damaged; unhashed=, why what is read of it is not
held against hashes."""
LIST, IMAGE = base.STARTED, base.STACK
WANTED = f"{paths.RUN}/stack.wanted"
SETTLED = f"{paths.RUN}/settled"
"""There when this start brought the machine back into its pool."""
KEPT = "kept\n"
"""Where both systems are damaged."""
ORIGIN = ".origin-"
"""Between the digest of what an origin began and that origin's mark."""
TRIES = 3
"""Starts that the initrd gives a stack (appliance/initrd/stacks.sh)."""
MOST_LISTED = 1 << 16
"""Bytes that are read of a list."""


class Place:
    """home: where home is mounted; image: the running system's own list; started, list_: what the initrd left of this start. layers: the folder of layers, each called
    by its digest. next: what the initrd takes; good: what was found good last; tries: the initrd's count of starts; begun: its word on how a start ends that has
    another system to go to (appliance/initrd/damage.sh); last: the number of the stack whose system had its last start (systems.py)."""

    __slots__ = ("home", "image", "started_file", "list_file", "layers", "next", "good", "tries", "begun", "last")

    def __init__(self, home: str = HOME, image: str = IMAGE, started: str = STARTED, list_: str = LIST) -> None:
        self.home, self.image, self.started_file, self.list_file = home, image, started, list_
        self.layers = f"{home}/layers"
        self.next, self.good, self.tries, self.begun, self.last = (f"{home}/stacks/{name}" for name in ("next", "good", "tries", "begun", "last"))

    def count_anew(self) -> None:
        """Has the initrd give `next` all its starts."""
        if os.path.exists(self.tries):
            os.unlink(self.tries)

    def open(self) -> None:
        """Makes the folders."""
        for folder in (self.layers, os.path.dirname(self.next)):
            os.makedirs(folder, 0o700, exist_ok=True)
            os.chmod(folder, 0o700)

    def started(self) -> dict[str, str]:
        """What the initrd says of this start."""
        return of_start(self.started_file)

    def own(self) -> list[str]:
        """The image's own lines of base and node; none outside of an image."""
        return [line for line in (files.find(self.image) or "").splitlines() if line.startswith(("base ", "node "))]

    def is_over(self, stack: Stack) -> bool:
        """Whether a stack was made over this image."""
        return [line.split(" ")[-1] for line in self.own()] == [stack.base, stack.node]

    def list_of(self, stack: Stack, below: list[str] | None = None) -> str:
        """The text of `next` for a stack: the system's own lines of base and node, so that the initrd sees at once when the system is another one. below: those of
        the system that comes with it."""
        return "\n".join([f"# stack {stack.number}", *(self.own() if below is None else below), *(layer.line() for layer in stack.layers)]) + "\n"

    def missing(self, stack: Stack) -> list[Layer]:
        """The layers of a stack that are not here. Whether those that are here are whole the daily look says (wow-layers.service)."""
        return [layer for layer in stack.layers if size_of(f"{self.layers}/{layer.digest}") != layer.size]

    def take(self, stack: Stack, below: list[str] | None = None) -> bool:
        """Leaves a stack for the initrd; whether that is another one than before. below: as of list_of."""
        text = self.list_of(stack, below)
        if of_home(self.next) == text:
            return False
        files.write(self.next, text, 0o600, sync=True)
        return True

    def has_taken(self, stack: Stack) -> bool:
        """Whether this very stack was taken, by its number: it lies here for the initrd, or is the empty one and nothing does."""
        if not stack.base:
            return not os.path.exists(self.next)
        return of_home(self.next).split("\n", 1)[0] == f"# stack {stack.number}"

    def is_started(self) -> bool:
        """Whether this start has the layers that `next` names; one that was published anew, with another number, brings nothing."""
        return self.started().get("source") != "image" and read(self.list_file).splitlines()[1:] == of_home(self.next).splitlines()[1:]

    def is_given_up(self) -> bool:
        """Whether the initrd takes `next` no more, for the machine was not back in its pool after three starts with it."""
        counted = of_home(self.tries).split()
        if len(counted) != 2 or counted[1] != str(TRIES) or of_home(self.good) == of_home(self.next):
            return False
        import hashlib
        return counted[0] == hashlib.sha256(of_home(self.next).encode("latin-1")).hexdigest()

    def take_off(self) -> None:
        """Has the machine start with what its image has."""
        for path in (self.next, self.good, self.tries):
            if os.path.exists(path):
                os.unlink(path)
                files.sync_folder(path)

    def keep_own(self) -> None:
        """Has the machine start with what it took that was made over its own system: the next stack, else the one that was found good; else with what its image has."""
        if self._is_own(self.next):
            return
        good = of_home(self.good) if self._is_own(self.good) else ""
        if good:
            files.write(self.next, good, 0o600, sync=True)
        else:
            self.take_off()

    def _is_own(self, path: str) -> bool:
        """Whether a stack in home was made over this system, as the initrd sees it."""
        return [line for line in of_home(path).splitlines() if line.startswith(("base ", "node "))] == self.own()

    def tidy(self, *more: Stack) -> None:
        """Removes layers that neither this start needs, nor the next, nor the good stack, nor one of these."""
        needed = {layer.digest for stack in more for layer in (*stack.system, *stack.layers)}
        needed.update(delta.digest for stack in more for delta in stack.deltas)
        for path in (self.list_file, self.next, self.good):
            needed.update(digests(of_home(path)))
        for name in os.listdir(self.layers):
            # What another machine began is nobody's in the next run; what an origin began has its name (origins.py).
            if name.removesuffix(".part").partition(ORIGIN)[0] not in needed:
                os.unlink(f"{self.layers}/{name}")

    def look_anew(self) -> None:
        """A system was written anew or mended: what the initrd found of both counts no more."""
        if os.path.exists(self.begun):
            os.unlink(self.begun)

    def end_well(self) -> None:
        """The machine is back in its pool: the initrd need not look at all of its system at the next start."""
        if of_home(self.begun) != KEPT:
            self.look_anew()

    def find_good(self) -> bool:
        """The stack of this start is good: the machine is back in its pool. Whether that was news."""
        if self.started().get("source") != "next":
            return False
        text = read(self.list_file)
        if not text or of_home(self.good) == text:
            return False
        files.write(self.good, text, 0o600, sync=True)
        return True


def parts(folder: str, digest: str) -> list[str]:
    """The paths of all that is begun of a file, whoever sent it."""
    return [f"{folder}/{name}" for name in os.listdir(folder) if name.startswith(f"{digest}.") and name.endswith(".part")]


def forget() -> None:
    """What another pool published is taken no more, nor what it said of that. OSError."""
    for path in (NOTICE, *OF_STACKS):
        if os.path.exists(path):
            os.unlink(path)
    Place().take_off()


def settle(wanted: str = WANTED, settled: str = SETTLED) -> None:
    """The machine is back in its pool: system and stack of this start are good, and wow-stack looks what is published. No trouble with home keeps a machine from its
    pool. The stack of a trial wow-stack notes, when GRUB stays with its system: until then the one before may start again, which has its own."""
    try:
        files.write(settled, "")
        try:
            place = Place()
            place.end_well()
            if not of_start(SAID).get("trial"):
                place.find_good()
        finally:
            # What else wow-stack does needs no room in home: it has GRUB stay with a system that was on trial.
            files.write(wanted, "")
    except OSError as error:
        print(f"the stack of this start is not noted as good: {error}", flush=True)  # for the journal


def of_start(path: str = STARTED) -> dict[str, str]:
    """What the initrd says of this start; nothing outside of an image."""
    return dict(line.split("=", 1) for line in (files.find(path) or "").splitlines() if "=" in line)


def read(path: str) -> str:
    """A list's text, "" where there is none. What rotted is read, too, so that it is replaced."""
    try:
        with open(path, encoding="latin-1") as file:
            return file.read(MOST_LISTED)
    except FileNotFoundError:
        return ""


def of_home(path: str) -> str:
    """The same of a file in home; "" also where the disk cannot read it: it is written anew."""
    try:
        return read(path)
    except OSError:
        return ""


def digests(listed: str) -> set[str]:
    """The digests of the layers in home that a list names: base and node are the system's."""
    words = (line.split(" ")[-1] for line in listed.splitlines() if not line.startswith(("base ", "node ")))
    return {word for word in words if len(word) == 64 and not set(word) - HEX}


def modules(listed: str) -> list[str]:
    """The names of the modules that a list has."""
    rows = (line.split(" ") for line in listed.splitlines())
    return [row[1] for row in rows if row[0] == "module" and len(row) == 5]


def stacked(listed: str, file: str = "") -> list[str]:
    """Those of the modules of this start's list that the initrd stacked; all of them where an older initrd does not say which."""
    chosen = base.chosen(file).get("stacked")
    return [name for name in modules(listed) if chosen is None or name in chosen]


def size_of(path: str) -> int:
    """A file's size, 0 where there is none."""
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0
