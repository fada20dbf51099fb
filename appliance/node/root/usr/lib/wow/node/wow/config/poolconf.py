"""The only reader of pool.conf. Its keys stand in the contract (docs/contract/settings.json), of which keys.py is made; what each kind of value looks like
in kinds.py; what holds between keys here. How to write one: docs/operating.md."""
import binascii

from wow.config import keys
from wow.config.facts import Facts
from wow.config.kinds import DIGITS, KINDS, LETTERS, Wrong, words_of
from wow.lib import agreed, der, ini
from wow.lib.errors import WowError

TYPE_CHECKING = False
if TYPE_CHECKING:
    Sections = dict[str, dict[str, tuple[str, int]]]

USERS, PROJECTS = "user:", "project:"
"""How the section of a person, and that of a project, begins."""
NAME = "NAME"
"""What stands behind that in the contract."""


class Pool(Facts):
    """A pool.conf that was read and found right. `modules` is None when all of the image's are wanted; users' values are their ssh keys, None for who has
    none; admins are those of them who may ask the CA."""

    __slots__ = ("ca_der", "ca_name", "users", "admins", "modules")

    def __init__(self, values: dict[tuple[str, str], str], users: dict[str, dict[str, str]], projects: dict[str, dict[str, str]]) -> None:
        super().__init__(values, projects)
        self.users = {name: told["authorized-key"] or None for name, told in users.items()}
        self.admins = tuple(name for name, told in users.items() if told["admin"] == "yes")
        self.ca_der = binascii.a2b_base64(values["ca", "certificate"]) or None
        self.ca_name = der.ca_common_name(self.ca_der) if self.ca_der else None
        self.modules = tuple(words_of(values["modules", "names"])) or None


def load(path: str, shown: str = "pool.conf") -> Pool:
    """Reads a file; `shown` is its name in errors."""
    try:
        with open(path, "rb") as file:
            return read(file.read(ini.LARGEST + 1), shown)
    except FileNotFoundError:
        raise WowError("is missing", "Attach the disk labelled WOWCFG that holds it and start again; `wow image stamp` makes one",
                       shown) from None
    except OSError as error:
        raise WowError(f"cannot be read: {error.strerror}", "Make the WOWCFG disk anew with `wow image stamp`", shown) from None


def read(data: bytes, file: str = "pool.conf") -> Pool:
    """A Pool from the file's bytes; WowError names file, section, key and what to do."""
    reader = _Reader(ini.parse(data, file), file)
    reader.refuse_unknown()
    values = {(section, key): reader.value(section, key) for section, known in keys.POOL.items() if not section.endswith(NAME) for key in known}
    reader.refuse_contradictions(values)
    return Pool(values, reader.users(), reader.projects())


def called(section: str) -> str:
    """What the contract calls a section."""
    return next((kind + NAME for kind in (USERS, PROJECTS) if section.startswith(kind)), section)


class _Reader:
    """The file's sections, and its name in errors."""

    def __init__(self, sections: "Sections", file: str) -> None:
        self.sections = sections
        self.file = file

    def error(self, section: str, key: str, what: str, todo: str) -> WowError:
        """A WowError about one key."""
        return WowError(what, todo, self.file, f"[{section}] {key}")

    def refuse_unknown(self) -> None:
        """WowError if there is a section or key that pool.conf does not have."""
        for section, found in self.sections.items():
            known = keys.POOL.get(called(section))
            if known is None:
                raise WowError("is not a section of pool.conf", f"Remove it, or use one of [{'], ['.join(keys.POOL)}]", self.file, f"[{section}]")
            for key, (_, number) in found.items():
                if key not in known:
                    raise self.error(section, key, f"is not a key of this section (line {number})", f"Remove it, or use one of: {', '.join(known)}")

    def value(self, section: str, key: str) -> str:
        """A value in its one spelling, else the key's default. WowError if it is not of its kind, or missing."""
        name, default, limits = keys.POOL[called(section)][key]
        kind, (found, _) = KINDS[name], self.sections.get(section, {}).get(key, ("", 0))
        if not found and default is None:
            raise self.error(section, key, "is missing", kind.todo)
        if not found:
            return default or ""
        try:
            return kind.check(found, (self.value("pool", "subnet"),) if name == "ranges" else limits)
        except Wrong as wrong:
            raise self.error(section, key, str(wrong), wrong.todo or kind.todo) from None

    def refuse_contradictions(self, values: dict[tuple[str, str], str]) -> None:
        """WowError if keys that are right by themselves do not go together."""
        if not values["pool", "bootstrap"] and values["node", "role"] != agreed.MANAGER_ROLE:
            raise self.error("pool", "bootstrap", "is missing", KINDS["bootstrap"].todo)
        is_open = values["pool", "open"] == "yes"
        for key in keys.POOL["ca"]:
            if is_open and values["ca", key]:
                raise self.error("ca", key, "stands in a pool that is open", "Remove the section [ca], or [pool] open")
        hosts = values["pool", "managers"].split()
        if hosts and not is_open:
            raise self.error("pool", "managers", "stands in a pool with a CA, which signs the list of managers", "Remove it; `wow pool manager` changes the list")
        if len(set(hosts)) < len(hosts):
            raise self.error("pool", "managers", f'"{values["pool", "managers"]}" names a host twice', "Write each name once, blanks between, the first one first")
        if agreed.MANAGER_LABEL in hosts[1:]:
            raise self.error("pool", "managers", f"names {agreed.MANAGER_LABEL} behind others, but the first one answers to that name, too", "Write it first")
        if len(hosts) > agreed.MOST_MANAGERS:
            raise self.error("pool", "managers", f"names {len(hosts)} hosts", f"Name {agreed.MOST_MANAGERS} at most: each machine tells all of them of itself")
        if not is_open and not values["ca", "certificate"]:
            raise self.error("ca", "certificate", "is missing", KINDS["certificate"].todo + "; or declare the pool open by [pool] open = yes")

    def users(self) -> dict[str, dict[str, str]]:
        """[user:NAME]: what stands in each person's section."""
        found = {}
        for section in (section for section in self.sections if section.startswith(USERS)):
            name = section[len(USERS):]
            if not name or len(name) > 32 or set(name) - set(LETTERS + DIGITS + "_-") or name[0] not in LETTERS:
                raise WowError(f'"{name}" is not a user name', "Use small letters, digits, - and _, a letter first, at most 32", self.file, f"[{section}]")
            found[name] = {key: self.value(section, key) for key in keys.POOL[USERS + NAME]}
        return found

    def projects(self) -> dict[str, dict[str, str]]:
        """[project:NAME]: what stands in each project's section."""
        found = {}
        for section in (section for section in self.sections if section.startswith(PROJECTS)):
            name = section[len(PROJECTS):]
            try:
                KINDS["words"].check(name, ())
            except Wrong as wrong:
                raise WowError(str(wrong), "Name it as jobs do, like storm surge", self.file, f"[{section}]") from None
            if not name or name != name.strip():
                raise WowError("names no project", "Name it as jobs do, like storm surge", self.file, f"[{section}]")
            found[name] = {key: self.value(section, key) for key in keys.POOL[PROJECTS + NAME]}
        return found
