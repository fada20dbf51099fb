"""Made of docs/contract/control.json by `test/figures --write`: the shapes of what ipopd answers on its control socket. For the type checker
alone: nothing imports this when it runs, for typing costs an emulated guest a twentieth of a second."""
from typing import Literal, TypedDict


class Certificate(TypedDict):
    """The machine's certificate."""
    serial: str
    not_before: str
    not_after: str
    renew_from: str
    address: str
    host: str
    role: Literal["worker", "manager"]


class PoolManager(TypedDict):
    """One of the pool's managers."""
    host: str
    address: str
    ca: bool


class Relayed(TypedDict):
    """What a node handed on for others."""
    frames: int
    bytes: int
    refused: int


class Ring(TypedDict):
    """The node's place on the ring."""
    joined: bool
    connections: int
    near: int
    relayed: Relayed


class Nat(TypedDict):
    """What stands between the node and the world."""
    kind: Literal["unknown", "none", "nat", "one-mapping", "per-peer", "several"]
    text: str
    outside: list[str]
    inside: list[str]
    filtering: Literal["unknown", "independent", "address-dependent", "address-and-port-dependent"]
    keep_alive_s: int


class Udp(TypedDict):
    """What went over the overlay's UDP socket since the start."""
    port: int
    sent_datagrams: int
    sent_bytes: int
    received_datagrams: int
    received_bytes: int
    heard_s: float | None


class Carried(TypedDict):
    """What went over all of the overlay's sockets, UDP and TCP, since the start, with the headers of IP; of TCP those that each frame has."""
    sent_bytes: int
    received_bytes: int
    speed: int | None
    waits: int


class Bootstrap(TypedDict):
    """One entry of the bootstrap list."""
    entry: str
    addresses: list[str]
    linked: bool


class PortMapping(TypedDict):
    """What a gateway has mapped."""
    by: Literal["pcp", "nat-pmp", "upnp"]
    external: str
    public: bool


class Revocations(TypedDict):
    """The newest list of revoked certificates."""
    number: int
    certificates: int


class Clock(TypedDict):
    """The machine's clock."""
    follows: Literal["ntp", "server", "hypervisor", "peers", "signature", "nothing"]
    device: str | None
    error_s: float | None
    zone_min: int
    voices: int
    set: bool
    trouble: str | None


class Offload(TypedDict):
    """Something that makes packets cheap."""
    name: str
    on: bool
    why: str | None


class Shortages(TypedDict):
    """What the kernel had no descriptor or no memory for. One client of the control socket is served all the same."""
    count: int
    last_s: int


class Host(TypedDict):
    """A host of the LAN."""
    mac: str
    address: str | None
    lease_s: int
    heard_s: float | None


class Router(TypedDict):
    """Router mode: the hosts of the LAN behind the tap."""
    limit: int
    hosts: list[Host]


class WarningPart(TypedDict):
    """Something that is wrong or dangerous."""
    code: Literal["overlap", "name-taken", "certificate", "lan-full", "open-pool", "twin", "shortage", "capture", "keys", "home-full", "config"]
    text: str


class Peer(TypedDict):
    """A node that there is a session with."""
    node: str
    address: str | None
    host: str | None
    path: Literal["direct", "relay", "ring"]
    endpoint: str | None
    rtt_ms: float | None
    certified: bool
    sent_bytes: int
    received_bytes: int
    age_s: int
    boot: str
    relay: str | None
    loss: float | None
    mtu: int | None
    why_not_direct: str | None
    key_exchange: str
    use: Literal["near", "shortcut", "other"]


class Target(TypedDict):
    """Who a person asked about."""
    node: str
    address: str | None
    host: str | None


class Path(TypedDict):
    """One way to a peer."""
    path: Literal["direct", "relay", "ring"]
    endpoint: str | None
    relay: Target | None
    used: bool
    alive: bool
    rtt_ms: float | None
    loss: float | None
    heard_s: float | None


class Hop(TypedDict):
    """One node on the way over the ring."""
    hop: int
    node: Target
    ms: float
    next: str | None
    next_path: Literal["direct", "relay"] | None
    next_rtt_ms: float | None
    end: Literal["arrived", "nobody-nearer"] | None


class RingTrace(TypedDict):
    """The way over the ring."""
    arrived: bool
    hops: list[Hop]


class Status(TypedDict):
    """The node as it stands."""
    node: str
    pool: str
    open: bool
    zone: str
    subnet: str
    address: str | None
    host: str | None
    certified: bool
    certificate: Certificate | None
    ring: Ring
    manager: str | None
    managers: list[PoolManager]
    nat: Nat
    udp: Udp
    carried: Carried
    bootstrap: list[Bootstrap]
    tap: str
    dns: str | None
    uptime_s: int
    port_mapping: PortMapping | None
    revocations: Revocations | None
    clock: Clock
    offload: list[Offload]
    shortages: Shortages | None
    router: Router | None
    warnings: list[WarningPart]


class Peers(TypedDict):
    """The nodes that it has sessions with."""
    peers: list[Peer]


class Ping(TypedDict):
    """What one ping came to."""
    target: Target
    session: bool
    rtt_ms: float | None
    wait_ms: float
    path: Literal["direct", "relay", "ring"] | None
    endpoint: str | None
    relay: str | None
    boot: str | None
    boot_met_s: float | None


class Trace(TypedDict):
    """The way to a node."""
    target: Target
    session: bool
    path: Literal["direct", "relay", "ring"]
    why_not_direct: str | None
    paths: list[Path]
    ring: RingTrace | None


class Metrics(TypedDict):
    """All figures."""
    text: str


class Resolve(TypedDict):
    """The address of a name."""
    address: str


class Error(TypedDict):
    """It can't be done."""
    error: str
    code: str
