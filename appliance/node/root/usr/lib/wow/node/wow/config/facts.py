"""What the machine's programs need to know of its pool.conf: every value but secrets, read without reading pool.conf again. A new setting for them is
one entry of the contract: `values` has it."""
from wow.config import keys, own_port
from wow.lib import agreed, files, modes, paths
from wow.lib.errors import WowError

FILE = f"{paths.RUN}/pool.json"
WITHHELD = {"secret", "ticket", "hash", "certificate"}
"""Kinds whose values stay out: anybody may read the file, and a certificate is long."""


class Facts:
    """The pool and the machine's place in it. `values` has each value in its one spelling by section and key, "" where it is empty; `projects` what stands in each
    project's section, by its name."""

    __slots__ = ("values", "projects")

    def __init__(self, values: dict[tuple[str, str], str], projects: dict[str, dict[str, str]] | None = None) -> None:
        self.values, self.projects = values, projects or {}

    @property
    def name(self) -> str:
        """The pool's name."""
        return self.values["pool", "name"]

    @property
    def zone(self) -> str:
        """The DNS zone of the pool."""
        return self.name + agreed.ZONE_SUFFIX

    @property
    def subnet(self) -> str:
        """The virtual network, a prefix as text."""
        return self.values["pool", "subnet"]

    @property
    def open(self) -> bool:
        """Whether the pool has no CA."""
        return self.values["pool", "open"] == "yes"

    @property
    def manager(self) -> str:
        """The name of the manager, the first one if there are several."""
        return f"{agreed.MANAGER_LABEL}.{self.zone}"

    @property
    def authority(self) -> str:
        """The name of the machine with the CA."""
        return f"{agreed.AUTHORITY_LABEL}.{self.zone}"

    @property
    def managers(self) -> tuple[str, ...]:
        """The hosts that pool.conf names as managers, which an open pool's may."""
        return tuple(self.values["pool", "managers"].split())

    @property
    def role(self) -> str:
        """What the machine is in the pool."""
        return self.values["node", "role"]

    @property
    def is_manager(self) -> bool:
        """Whether this machine is a manager of the pool."""
        return self.role == agreed.MANAGER_ROLE

    @property
    def host(self) -> str | None:
        """The machine's name, None where it is given none."""
        return self.values["node", "host"] or None

    @property
    def owner(self) -> str | None:
        """Whose machine it is, None where nobody is named."""
        return self.values["node", "owner"] or None

    @property
    def port(self) -> int:
        """The overlay's UDP port."""
        chosen = self.values["node", "port"]
        if chosen != "auto":
            return int(chosen)
        return agreed.OVERLAY_PORT if self.is_manager else own_port.number()

    @property
    def capture(self) -> bool:
        """Whether the tap is recorded."""
        return self.values["node", "capture"] == "yes"

    @property
    def origins(self) -> tuple[str, ...]:
        """The web servers outside of the pool that have its stack's files, in the spelling of lib/origin.py."""
        return tuple(self.values["modules", "origins"].split())

    @property
    def has_slots(self) -> bool:
        """Whether jobs run on this machine; none does while its people are root there."""
        return self.role == agreed.WORKER_ROLE and not modes.developed()


def text(facts: Facts) -> str:
    """pool.json. By hand, for the module json costs a boot time: the values were checked and hold nothing to escape."""
    sections: dict[str, list[str]] = {}
    for (section, key), value in facts.values.items():
        if keys.POOL[section][key][0] not in WITHHELD:
            sections.setdefault(section, []).append(f'"{key}":"{value}"')
    parts = [f'"{section}":{{{",".join(members)}}}' for section, members in sections.items()]
    projects = (f'"{name}":{{{_members(told)}}}' for name, told in facts.projects.items())
    return f'{{{",".join(parts)},"projects":{{{",".join(projects)}}}}}\n'


def _members(told: dict[str, str]) -> str:
    return ",".join(f'"{key}":"{value}"' for key, value in told.items())


def missing() -> WowError:
    """What to tell where wow-config left none."""
    return WowError("this machine has no configuration yet", "Look at the console for what is wrong with pool.conf")


def read(path: str = FILE) -> Facts:
    """The facts that wow-config left; OSError or ValueError if it left none."""
    import json
    kept = json.loads(files.read(path))
    projects = kept.pop("projects")
    return Facts({(section, key): value for section, members in kept.items() for key, value in members.items()}, projects)
