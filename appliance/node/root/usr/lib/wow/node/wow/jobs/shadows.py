"""Which machines run jobs of this one, itself among them: for each such job HTCondor runs a shadow here, which has a connection to the job's machine, and no
other to HTCondor's port. The kernel tells both; HTCondor's own tools would take half a second of an emulated processor for each question.

Anybody may call a program condor_shadow, or run HTCondor's. A shadow is what the schedd started from HTCondor's own file, and the schedd is root's (its real
user; as whom it acts for the moment is another matter). What a person has the schedd start is that person's from the first."""
import os

from wow.lib import console, ipv4, paths

ESTABLISHED = "01"
PROGRAMS = "/usr/sbin"
"""Where HTCondor's daemons are; only root writes there."""
NAME, PARENT = "condor_shadow", "condor_schedd"
ROOT, ENDED = 0, "Z"
TICKS = os.sysconf("SC_CLK_TCK")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Container


class Shadow:
    """A running shadow: the job that it was started for (HTCondor may hand it another later), the machine of its last connection, empty if none is known,
    for how many seconds it has run, for how many looks it has been without that connection, and the public half of its claim, which each of its jobs has: empty if
    that can't be told, None until somebody has asked (queue.learn)."""

    __slots__ = ("job", "address", "age", "parted", "claim")

    def __init__(self, job: str, address: str, age: float, parted: int = 0, claim: str | None = None) -> None:
        self.job, self.address, self.age, self.parted, self.claim = job, address, age, parted, claim


class Shadows:
    """The shadows of this machine. One whose connection broke keeps its machine: it tries for an hour to reach it again."""

    def __init__(self, proc: str = "/proc") -> None:
        self._proc = proc
        self._unconnected: dict[int, int] = {}
        self.running: dict[int, Shadow] = {}

    def look(self) -> None:
        """Takes in who runs now. Those that have ended are forgotten, and so is their number."""
        was, self.running = self.running, {}
        looks, self._unconnected = self._unconnected, {}
        numbers = self._numbers(was)
        table = connections(self._read("net", "tcp")) if numbers else {}
        now = console.uptime(f"{self._proc}/uptime") if numbers else 0.0
        for number in numbers:
            before, command = was.get(number), self._read(str(number), "cmdline")
            # One that has ended stands in the table without a command until the schedd has heard of its end, and counts until then.
            job = next((word for word in command.split("\0")[1:] if is_job(word)), "") if command or not before else before.job
            here = self._address(number, table)
            same = before if before and before.job == job else None
            address = here or (same.address if same else "")
            parted = before.parted + 1 if before and address and command and not here else 0
            if not address:
                self._unconnected[number] = looks.get(number, 0) + 1
            self.running[number] = Shadow(job, address, now - self._started(number), parted, same.claim if same else None)

    @property
    def machines(self) -> dict[str, float]:
        """{address of a machine: for how many seconds its oldest shadow has run}."""
        found: dict[str, float] = {}
        for shadow in self.running.values():
            if shadow.address:
                found[shadow.address] = max(shadow.age, found.get(shadow.address, 0.0))
        return found

    @property
    def parted(self) -> set[str]:
        """The machines to which a shadow had no connection any more in two looks: HTCondor there may have been started anew, and then knows nothing of the job."""
        return {shadow.address for shadow in self.running.values() if shadow.parted > 1}

    @property
    def lost(self) -> list[Shadow]:
        """Those that had no connection in two looks: their machine went before it was seen, and the queue alone knows it."""
        return [self.running[number] for number, looks in self._unconnected.items() if looks > 1]

    def _numbers(self, known: "Container[int]") -> list[int]:
        """The processes that are shadows. known: those that were at the last look, for one that has ended names no file any more."""
        named: dict[str, list[tuple[int, int, str]]] = {NAME: [], PARENT: []}
        for entry in os.listdir(self._proc):
            if entry.isdigit() and self._read(entry, "comm").strip() in named:
                name, state, parent = self._stat(entry)
                named.get(name, []).append((int(entry), parent, state))
        schedds = {number for number, _, _ in named[PARENT] if self._is_own(number, PARENT)}
        return [number for number, parent, state in named[NAME]
                if parent in schedds and (number in known if state == ENDED else self._is_own(number, NAME))]

    def _is_own(self, number: int, name: str) -> bool:
        """Whether a process runs HTCondor's file of that name, and is root's."""
        try:
            program = os.readlink(f"{self._proc}/{number}/exe")
        except OSError:
            return False  # it has ended meanwhile
        users = [line.split() for line in self._read(str(number), "status").splitlines() if line.startswith("Uid:")]
        return program == f"{PROGRAMS}/{name}" and bool(users) and int(users[0][1]) == ROOT

    def _stat(self, entry: str) -> tuple[str, str, int]:
        """(name, state, parent) of a process (proc_pid_stat(5))."""
        head, _, rest = self._read(entry, "stat").rpartition(")")
        fields = rest.split()
        return head.partition("(")[2], fields[0] if fields else "", int(fields[1]) if len(fields) > 1 else 0

    def _address(self, number: int, table: dict[int, str]) -> str:
        return next((table[inode] for inode in _sockets(f"{self._proc}/{number}/fd") if inode in table), "")

    def _started(self, number: int) -> float:
        """When a process began, in seconds since the kernel did (proc_pid_stat(5), field 22)."""
        fields = self._read(str(number), "stat").rpartition(")")[2].split()
        return int(fields[19]) / TICKS if len(fields) > 19 else 0.0

    def _read(self, folder: str, name: str) -> str:
        try:
            with open(f"{self._proc}/{folder}/{name}", encoding="utf-8", errors="replace") as file:
                return file.read()
        except (FileNotFoundError, ProcessLookupError):
            return ""


def sockets_of(names: "Container[str]", proc: str = "/proc") -> set[int]:
    """The inodes of the sockets that HTCondor's daemons of these names have. Anybody may call a program so; one that is not HTCondor's own file does not count."""
    found: set[int] = set()
    for entry in os.listdir(proc):
        try:
            program = os.readlink(f"{proc}/{entry}/exe") if entry.isdigit() else ""
        except OSError:
            continue  # it has ended meanwhile, or is the kernel's
        folder, _, name = program.rpartition("/")
        if folder == PROGRAMS and name in names:
            found.update(_sockets(f"{proc}/{entry}/fd"))
    return found


def _sockets(folder: str) -> list[int]:
    try:
        links = [os.readlink(f"{folder}/{name}") for name in os.listdir(folder)]
    except (FileNotFoundError, ProcessLookupError):
        return []  # it has ended meanwhile
    return [int(link[8:-1]) for link in links if link.startswith("socket:[")]


def connections(table: str, at_home: bool = False) -> dict[int, str]:
    """{socket's inode: other end's address} of the connections to HTCondor's port, or, at home, of other machines' to ours. table: what /proc/net/tcp
    holds (proc(5))."""
    found = {}
    for line in table.splitlines()[1:]:
        fields = line.split()
        (here, port_here), (there, port_there) = fields[1].split(":"), fields[2].split(":")
        if fields[3] == ESTABLISHED and int(port_here if at_home else port_there, 16) == paths.CONDOR_PORT and not (at_home and here == there):
            found[int(fields[9])] = address_of(there)
    return found


def address_of(word: str) -> str:
    """What the kernel prints of an address: its four bytes as one number of this machine, whose first byte is the address's last."""
    return ipv4.format_address(int.from_bytes(bytes.fromhex(word)[::-1], "big"))


def is_job(word: str) -> bool:
    """Whether a word is CLUSTER.PROCESS."""
    cluster, dot, process = word.partition(".")
    return bool(dot) and cluster.isdigit() and process.isdigit()
