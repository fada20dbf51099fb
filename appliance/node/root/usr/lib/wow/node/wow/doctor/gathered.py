"""The facts that the doctor decides from: doctor/gather.py fills them, doctor/diagnose.py reads them. For the type checker alone."""
from typing import TypedDict

from wow.lib.answers import Status, WarningPart
from wow.stack.damage import Said
from wow.stack.told import Told


class Config(TypedDict):
    """What of ipopd.conf the decisions need."""
    open: bool


class Bootstrap(TypedDict):
    """An entry of the bootstrap list, what it resolves to, and what became of asking there: an answer after so many ms, or `refused`,
    `unreachable` or neither."""
    entry: str
    addresses: list[tuple[str, int]]
    asked: bool
    answer_ms: float | None
    error: str | None


class Tap(TypedDict):
    """The overlay's interface and its IPv4 address."""
    name: str
    exists: bool
    address: str | None


class NameServer(TypedDict):
    """Who answers DNS where, and the code of the answer; None if none came."""
    who: str
    server: str
    answer: int | None


class Authority(TypedDict):
    """Whether the manager, where the CA is, can be reached; by: ping or port, or own where this machine is that one. says: why its wow-ca ended last, None where
    that is not known."""
    address: str
    open: bool
    by: str
    says: str | None


class Slots(TypedDict):
    """A machine's slots as the manager has them. start: what its rule says, None if that hangs on the job. jobs: how many run now; started: how many did
    since HTCondor began up_s ago. changed_s: seconds since one came or went."""
    state: str
    start: bool | None
    rule: str
    jobs: int
    started: int
    changed_s: float | None
    up_s: float


class Disk(TypedDict):
    """Bytes where jobs work. is_bounded: whether the kernel bounds what each writes there; None where there are no slots."""
    path: str
    free: int
    size: int
    is_bounded: bool | None


class Condor(TypedDict):
    """HTCondor's part. is_listed: whether a manager is on the list of managers, which are so many; answers: whether the manager did; slots, queue: what it
    lists of this machine; negotiator: the machine of the one that it lists, None if it lists none. clock_s: this machine's clock less the manager's. held:
    numbers of held jobs, None where the queue does not say. paused: the pause that holds and what ends it, None if there is none; pause_trouble, limits_trouble,
    refused_trouble: what is wrong with the files that keep it, the owner's limits and the projects that he refuses, None if nothing is."""
    name: str
    is_manager: bool
    is_listed: bool
    managers: int
    answers: bool
    slots: Slots | None
    queue: bool
    negotiator: str | None
    clock_s: float | None
    held: list[str] | None
    disk: Disk | None
    paused: str | None
    pause_trouble: str | None
    limits_trouble: str | None
    refused_trouble: str | None


class Failing(TypedDict):
    """How many errors the kernel found in the file system of the home, and whether it writes nothing there any more."""
    errors: int
    is_closed: bool


class Gathered(TypedDict):
    """now: seconds since 1970. trouble: why there is no status. authority and certificate: (not before, not after). services: state of each unit, None where systemd
    does not tell this user. condor: None where HTCondor does not run. notice: what the machine's joining told last. is_manager: whether pool.conf makes it one of
    the pool's. warnings: those that ipopd knows nothing of. list_ahead: the number of a list of managers that is a time to come. homes: where there are several, the
    device of the one that was taken, then the others'. failing: None where nothing is wrong with the home. stack: what there is to tell of the modules that the pool
    publishes, None where it never did. origins: a line `ORIGIN WHY` of each that gave nothing. system: what the disk lost of the machine's systems,
    None outside of an image. unread: when the certificate was written that charon has not read, None if it has read all."""
    now: float
    socket: str
    status: Status | None
    trouble: str | None
    config: Config | None
    config_trouble: str | None
    authority: tuple[int, int] | None
    certificate: tuple[int, int] | None
    bootstrap: list[Bootstrap]
    tap: Tap
    has_no_ipv4: bool
    names: list[NameServer]
    ca: Authority | None
    services: dict[str, str | None]
    condor: Condor | None
    notice: str | None
    is_manager: bool
    warnings: list[WarningPart]
    list_ahead: int | None
    homes: list[str]
    failing: Failing | None
    stack: Told | None
    origins: str
    system: Said | None
    unread: float | None
