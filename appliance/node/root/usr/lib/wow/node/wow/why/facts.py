"""What is decided from: why/matching.py and why/gather.py fill it, why/decide.py reads it. For the type checker alone."""
from typing import TypedDict


class Condition(TypedDict):
    """One condition of a match. of: `job` or `machine`, whose Requirements it is from. resource: Memory, Disk, Cpus or GPUs where the condition is
    about how much of it there is, and wanted how much (MB, kB, count)."""
    text: str
    of: str
    resource: str
    wanted: float | None


class Machine(TypedDict):
    """A machine of the pool, by its name's first label. met: for each condition whether it holds while nothing runs there. free: whether all hold as
    it is now. offers: how much of each resource it has in all. users: whose jobs run there, one a job. draining, paused: whether it takes no
    jobs for that."""
    host: str
    met: list[bool]
    free: bool
    offers: dict[str, float]
    users: list[str]
    draining: bool
    paused: bool


class User(TypedDict):
    """Somebody whose jobs wait, as alice@alpha.POOL.internal; who has the lower priority is served first."""
    name: str
    priority: float
    waiting: int
    running: int


class Job(TypedDict):
    """A job. status and universe: HTCondor's numbers. since: seconds that it is in this state. code, subcode: of a hold. rejected: what the negotiator
    said when it last passed the job over, empty if it did not since the job waits."""
    number: str
    owner: str
    user: str
    batch: str
    status: int
    universe: int
    since: float
    host: str
    reason: str
    code: int
    subcode: int
    exit: str
    rejected: str


class Pool(TypedDict):
    """What the manager says. heard: seconds since the negotiator was heard, None if there is none. users: who waits, the next first. knows_queue:
    whether it has the ad of this machine's queue."""
    negotiator_s: float | None
    users: list[User]
    knows_queue: bool


class Match(TypedDict):
    """The conditions of one job and all machines."""
    conditions: list[Condition]
    machines: list[Machine]
    values: dict[str, list[str]]
