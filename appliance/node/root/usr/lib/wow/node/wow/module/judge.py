"""What becomes of each difference: it is published as it is, published as a fragment, left out, or it keeps the module from being published."""
import os
import stat

from wow.module import dpkg, places, secrets
from wow.module.tree import ADDED, CAPABILITY, DELETED, SAME, Change, attributes, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wow.module.fragments import Fragments

KEPT = "kept"
MEANT = "add it to `override` of module.ini if that is meant"


class Verdict:
    """On one change: its fate (KEPT or one of places), and why."""

    __slots__ = ("change", "fate", "why")

    def __init__(self, change: Change, fate: str, why: str) -> None:
        self.change, self.fate, self.why = change, fate, why


class Judge:
    """Knows what goes for a whole module: what its packages own, what alternatives make, what its module.ini says that it means, and
    whose its files may be: owners, the numbers of {"passwd": users, "group": groups}."""

    def __init__(self, merged: str, fragments: "Fragments", owned: set[str], links: set[str], override: list[str], owners: dict[str, set[int]]) -> None:
        self._merged, self._packages, self._owned, self._links, self._override = merged, set(fragments["packages"]), owned, links, set(override)

        self._owners = owners

    def verdict(self, change: Change) -> Verdict:
        """Of one change."""
        found = self._fate(change)
        if found.fate == KEPT and change.now is not None and (strangers := self._strangers(change.now)):
            return Verdict(change, places.REFUSE, f"belongs to {strangers}, no account of the layers below or of the module: elsewhere that is another person, or a "
                           f"job. Type: chown -R root:root /{change.path}")
        return found

    def _strangers(self, now: os.stat_result) -> str:
        """The numbers of a file's owners that are of no account which every machine with the module has; "" where they are."""
        return " and ".join(f"{what} {number}" for what, table, number in (("user", "passwd", now.st_uid), ("group", "group", now.st_gid))
                            if number != 0 and number not in self._owners[table])

    def _fate(self, change: Change) -> Verdict:
        path = change.path
        if change.kind == SAME:
            return Verdict(change, places.DROP, change.why)
        if path.startswith(places.INFO):
            if dpkg.owner_of(path[len(places.INFO):]) in self._packages:
                return Verdict(change, KEPT, change.why)
            return Verdict(change, places.DROP, "of a package that the layers below have")
        if held := places.held_back(path):
            if self._is_room(change):
                return Verdict(change, KEPT, "an empty folder for its program")
            return Verdict(change, *held)
        if change.kind != ADDED and places.is_by_triggers(path):
            return Verdict(change, places.DROP, places.MADE_ANEW)
        if path in self._links:
            return Verdict(change, places.FRAGMENT, "the alternatives' choices are published, and the links made anew")
        if refused := self._refused(change):
            return Verdict(change, places.REFUSE, refused)
        return Verdict(change, KEPT, change.why)

    def _is_room(self, change: Change) -> bool:
        """Whether it is the folder of a package, or of an account, for what it will log or keep for a time."""
        folder, _, name = change.path.rpartition("/")
        now = change.now
        return bool(name) and folder in ("var/log", "var/cache") and change.kind == ADDED and now is not None and stat.S_ISDIR(now.st_mode) and (
            now.st_uid != 0 or change.path in self._owned)

    def _refused(self, change: Change) -> str:
        """Why it keeps the module from being published; "" if nothing does."""
        path, now = change.path, change.now
        meant = path in self._override
        if now is not None:
            if not (stat.S_ISREG(now.st_mode) or stat.S_ISDIR(now.st_mode) or stat.S_ISLNK(now.st_mode)):
                return f"is a {kind_of(now)}: a module holds files, folders and links. Remove it"
            if places.UNNAMABLE.search(path):
                return "has a quotation mark, a backslash, a control character or what is no UTF-8 in its name. Rename it"
            if stat.S_ISLNK(now.st_mode) and places.UNNAMABLE.search(os.readlink(f"{self._merged}/{path}")):
                return "leads to a name with a quotation mark, a backslash, a control character or what is no UTF-8. Change the link"
            if path not in self._owned and (secret := self._secret(path, now)):
                return f"looks like {secret}, which everybody who has the module could read. Remove it, or move it to your home, which is not published"
            if not meant and stat.S_ISREG(now.st_mode) and CAPABILITY in attributes(f"{self._merged}/{path}"):
                return f"has a capability (getcap): whoever runs it, jobs too, has these rights. Take it away (setcap -r), or {MEANT}"
            if not meant and (gains := rights(now)):
                return f"{gains}: whoever runs it, jobs too, has these rights. Take them away, or {MEANT}"
        if change.kind != ADDED and not meant:
            what = "is deleted here, and would be on every machine with the module" if change.kind == DELETED else f"is of the layers below: {change.why}"
            return f"{what}. Put it back, or {MEANT}"
        return ""

    def _secret(self, path: str, now: os.stat_result) -> str:
        return secrets.by_name(path) or (secrets.by_content(f"{self._merged}/{path}", now.st_size) if stat.S_ISREG(now.st_mode) else "")


def rights(now: os.stat_result) -> str:
    """What rights a file gives to who runs it; "" for none."""
    if not stat.S_ISREG(now.st_mode):
        return ""
    if now.st_mode & stat.S_ISUID:
        return f"is set-uid of user {now.st_uid}"
    return f"is set-gid of group {now.st_gid}" if now.st_mode & stat.S_ISGID else ""
