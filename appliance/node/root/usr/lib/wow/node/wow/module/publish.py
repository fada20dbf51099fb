"""What is published of an upper layer: an archive of the recomputed difference, the same bytes for the same content. `appliance/layers/publish` makes it a
layer, on the machine that builds images."""
import contextlib
import io
import json
import os
import re
import stat
import tarfile

from wow.lib import files, modes
from wow.lib.errors import WowError
from wow.module import accounts, dpkg, fragments, tree
from wow.module.judge import KEPT, Judge, Verdict
from wow.module.places import INFO, MOST_BYTES, MOST_ENTRIES, REFUSE
from wow.module.recipe import Recipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator

    from wow.module.fragments import Fragments

HOME = "usr/lib/wow/modules"
"""Here each module says what it is: NAME/manifest.json, NAME/fragments.json."""
GLUE = modes.GLUE
"""The name of the layer that joins modules' fragments."""
CAPABILITY = "WOW.capability"
"""A word of our own in an entry of the archive: the file's capabilities, in hexadecimal. tar's own words for attributes take text alone."""
EPOCH = 1735689600
"""The one time of every file of every layer (appliance/layers/squash)."""
MACHINES = {62: "amd64", 183: "arm64"}
"""e_machine of ELF files, as Debian names it."""
ANY = "all"
SHOWN = 20
WANTED = re.compile(r"^etc/systemd/(?:system|user)/[^/]+\.(?:wants|requires)/([^/]+)$")


class Upper:
    """A module's layers over those below it, and all that is to be said of them. `merged` and `lower` are the views with and without them; `plain` is the
    lower one without a glue; said: what fragments.read says; settled: paths of the module that the glue has, as another base wants them. owners: {"passwd": {name:
    number}, "group": ...}, the accounts that its files may have, of the layers below and of its own."""

    __slots__ = ("merged", "plain", "fragments", "wrong", "owners", "verdicts")

    def __init__(self, uppers: list[str], merged: str, lower: str, plain: str, said: "tuple[Fragments, list[str]]", override: list[str], settled: list[str]) -> None:
        self.merged, self.plain = merged, plain
        self.fragments, self.wrong = said
        self.owners = _known(lower, merged, self.fragments)
        judge = Judge(merged, self.fragments, owned(merged, self.fragments), fragments.link_paths(merged), override,
                      {table: set(known.values()) for table, known in self.owners.items()})
        found = {change.path: change for change in tree.changes(uppers, merged, lower)}
        # The glue has them, and they are the module's.
        found |= {path: change for path in settled if (change := tree.explained(path, merged, plain))}
        self.verdicts = [judge.verdict(found[path]) for path in sorted(found, key=lambda path: path.split("/"))]


@contextlib.contextmanager
def opened(upper: str, lowers: list[str], override: list[str], name: str = "", people: dict[str, int] | None = None) -> "Iterator[Upper]":
    """lowers: the layers below, top first. What was published of the module of that name before, and is among them, is the module's, too. people: as
    accounts.added has them. WowError where they cannot be joined."""
    own = [one for one in lowers if name and os.path.isfile(f"{one}/{HOME}/{name}/manifest.json")]
    below = [one for one in lowers if one not in own]
    glue = [one for one in below if os.path.isfile(f"{one}/{HOME}/{GLUE}/manifest.json")]
    bare = [one for one in below if one not in glue]
    beside = {name: said for one in reversed(bare) for name, said in spoken(one).items()} if glue else {}
    with tree.joined(below) as lower, tree.joined(bare) as plain, tree.joined([upper, *lowers]) as merged:
        settled = [path for one in glue for path in json.loads(fragments.text(one, f"{HOME}/{GLUE}/manifest.json")).get("moved", {}).get(name, [])]
        found = Upper([upper, *own], merged, lower, plain, fragments.read(
            plain, merged, beside, {key: said for one in own for key, said in spoken(one).items()} if glue else {}, people), override, settled)
        if any(spoken(one) for one in own) and not glue:
            found.wrong.append(f"the module {name} is below, but not what it shares with others. Choose all modules of the image in [modules] names of pool.conf, "
                               "and start again")
        yield found


def spoken(layer: str) -> "dict[str, Fragments]":
    """{module: its fragments} of a layer."""
    place = f"{layer}/{HOME}"
    found = {}
    for name in sorted(os.listdir(place)) if os.path.isdir(place) else ():
        if said := fragments.text(place, f"{name}/fragments.json"):
            found[name] = json.loads(said)
    return found


def owned(merged: str, found: "Fragments") -> set[str]:
    """The paths of the module's own packages, as they stand with /usr merged."""
    names = set()
    for package in found["packages"]:
        for name in (f"{package}.list", f"{package}:amd64.list"):
            names |= dpkg.paths(fragments.text(merged, INFO + name))
    return names


def refusals(upper: Upper) -> list[str]:
    """What keeps it from being published, a sentence each."""
    return upper.wrong + [f"/{one.change.path} {one.why}" for one in upper.verdicts if one.fate == REFUSE]


def write(upper: Upper, recipe: Recipe, base: dict[str, str], out: str) -> dict[str, object]:
    """Writes the archive, whole or not at all, and returns its manifest. WowError names what may not be published."""
    if recipe.executable or recipe.statoverride:
        raise WowError("executable and [statoverride] are for files beside a module.ini", "Owners and modes are those that the files have here: take both out",
                       "module.ini")
    if recipe.packages or recipe.build_packages:
        raise WowError("packages and build-packages are for a recipe on the building machine", "Here, apt-get install is what adds packages: take both out", "module.ini")
    if wrong := refusals(upper):
        more = [f"and {len(wrong) - SHOWN} more: wow module diff"] if len(wrong) > SHOWN else []
        raise WowError("it cannot be published:\n" + "\n".join(f"  {line}" for line in wrong[:SHOWN] + more), "")
    kept = [one for one in upper.verdicts if one.fate == KEPT]
    if not kept and not any(upper.fragments.values()):
        raise WowError("nothing is to be published: no file differs from the layers below", "Install or write something first; wow module diff explains")
    bounded(len(kept), sum(one.change.now.st_size for one in kept if one.change.now is not None), f"module {recipe.name}")
    known = {one.change.path for one in upper.verdicts}
    for path in recipe.override:
        # Another base may be without the file already, or have it as the module wants it.
        if path not in known and os.path.lexists(f"{upper.merged}/{path}"):
            raise WowError(f"override: /{path}: the module has no such file", "Take the path off", "module.ini")
    manifest = _manifest(upper, kept, recipe, base)
    temporary = f"{out}.new"
    try:
        with tarfile.open(temporary, "w", format=tarfile.PAX_FORMAT) as archive:
            own = f"{HOME}/{recipe.name}"
            fill(archive, upper.merged, {one.change.path: one.change.now for one in kept}, {
                f"{own}/manifest.json": manifest, f"{own}/fragments.json": upper.fragments})
        os.rename(temporary, out)
    except OSError as error:
        raise WowError(f"cannot be written: {error.strerror}", "Free some room there, or name another file with -o", out) from error
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
    return manifest


def bounded(entries: int, size: int, what: str) -> None:
    """WowError for a module that is larger than one may be."""
    if entries > MOST_ENTRIES or size > MOST_BYTES:
        raise WowError(f"{entries} files with {-(-size >> 20)} MiB are more than a module may hold ({MOST_ENTRIES}, {MOST_BYTES >> 20} MiB)",
                       "A file with holes counts whole. Take out what is large, or make two modules", what)


def _manifest(upper: Upper, kept: list[Verdict], recipe: Recipe, base: dict[str, str]) -> dict[str, object]:
    """What the module says of itself."""
    held = [one.change for one in kept if one.change.now is not None and not stat.S_ISDIR(one.change.now.st_mode)]
    return {
        "name": recipe.name, "version": recipe.version, "description": recipe.description, "licence": recipe.licence,
        "base": {key: base[key] for key in ("sha256", "date", "abi")},
        "architecture": architecture(f"{upper.merged}/{change.path}" for change in held if change.now and stat.S_ISREG(change.now.st_mode)),
        "requires": recipe.requires, "conflicts": recipe.conflicts,
        "packages": {name: {"version": re.findall("^Version: (.*)$", stanza, re.MULTILINE)[0], "licences": licences(upper.merged, name)}
                     for name, stanza in upper.fragments["packages"].items()},
        "units": sorted({found[1] for change in held if (found := WANTED.match(change.path))}),
        "files": {change.path: described(f"{upper.merged}/{change.path}") for change in held},
        "deleted": [one.change.path for one in kept if one.change.now is None],
        "override": sorted(recipe.override), "statoverride": {}, "owners": _owners(upper, kept), "was": _was(upper, kept)}


def _was(upper: Upper, kept: list[Verdict]) -> dict[str, str]:
    """{path: SHA-256} of files of configuration in the layers below that the module has in their place. Where these change them, somebody has to look."""
    below = ((one.change.path, f"{upper.plain}/{one.change.path}") for one in kept if one.change.path.startswith("etc/") and one.change.now is not None)
    return {path: files.digest(place) for path, place in below if os.path.isfile(place) and not os.path.islink(place)}


def _known(lower: str, merged: str, found: "Fragments") -> dict[str, dict[str, int]]:
    """The accounts that files of the module may have, with the numbers that they have here."""
    texts = {table: (fragments.text(lower, f"etc/{table}"), *found["accounts"].get(table, [])) for table in accounts.NUMBERED}
    return {table: {name: int(fields[2]) for name, fields in accounts.rows(fragments.text(merged, f"etc/{table}")).items() if name in accounts.rows("\n".join(known))}
            for table, known in texts.items()}


def _owners(upper: Upper, kept: list[Verdict]) -> dict[str, dict[str, int]]:
    """Accounts of the layers below that own what is published, or a folder in which that stands: {"passwd": {name: number}, "group": ...}. In another stack they may
    have other numbers."""
    found = [one.change.now for one in kept if one.change.now]
    found += [os.lstat(f"{upper.merged}/{folder}") for folder in {parent for one in kept for parent in _parents(one.change.path)}]
    numbers = {"passwd": {one.st_uid for one in found}, "group": {one.st_gid for one in found}}
    own = {table: accounts.rows("\n".join(upper.fragments["accounts"].get(table, []))) for table in numbers}
    return {table: {name: number for name, number in sorted(upper.owners[table].items()) if number in used - {0} and name not in own[table]}
            for table, used in numbers.items()}


def described(path: str) -> dict[str, object]:
    """A file in the manifest."""
    if os.path.islink(path):
        return {"link": os.readlink(path)}
    return {"sha256": files.digest(path), "size": os.path.getsize(path)}


def architecture(places: "Iterator[str]") -> str:
    """For which processors they are: `all` where no program is among them. WowError for those of two kinds."""
    found: dict[str, str] = {}
    for path in places:
        with open(path, "rb") as file:
            head = file.read(20)
        if head[:4] == b"\x7fELF" and len(head) == 20:
            number = int.from_bytes(head[18:20], "little" if head[5] == 1 else "big")
            found.setdefault(MACHINES.get(number, f"ELF machine {number}"), path)
    if len(found) > 1:
        raise WowError(f"holds programs for {' and '.join(sorted(found))}: {', '.join(sorted(found.values()))}", "Keep those of one architecture")
    return next(iter(found), ANY)


def licences(root: str, package: str) -> list[str]:
    """The short names in a package's copyright file; none where it is not written for programs (Debian policy 12.5)."""
    text = fragments.text(root, f"usr/share/doc/{package}/copyright")
    return sorted(set(re.findall(r"^License: *(\S+)", text, re.MULTILINE)))


def fill(archive: tarfile.TarFile, root: str, changes: dict[str, os.stat_result | None], texts: dict[str, object]) -> None:
    """Every folder comes before what stands in it, with the owner and the mode that it has in the root. changes: {path: as it is there, None for what is
    gone}; texts: files that are written as JSON."""
    folders = {parent for path in [*changes, *texts] for parent in _parents(path)}
    for path in sorted(folders | set(changes) | set(texts)):
        entry = tarfile.TarInfo(path)
        entry.mtime = EPOCH
        if path in texts:
            data = (json.dumps(texts[path], indent=2, sort_keys=True) + "\n").encode()
            entry.size, entry.mode = len(data), 0o644
            archive.addfile(entry, io.BytesIO(data))
            continue
        place = f"{root}/{path}"
        status = changes.get(path) or (os.lstat(place) if os.path.lexists(place) else None)
        if status is not None:
            entry.mode, entry.uid, entry.gid = stat.S_IMODE(status.st_mode), status.st_uid, status.st_gid
        if path in changes and changes[path] is None:
            # As overlayfs writes that a file is gone.
            entry.type, entry.devmajor, entry.devminor, entry.mode = tarfile.CHRTYPE, 0, 0, 0
            archive.addfile(entry)
        elif status is None or stat.S_ISDIR(status.st_mode):
            entry.type, entry.mode = tarfile.DIRTYPE, 0o755 if status is None else entry.mode
            archive.addfile(entry)
        elif stat.S_ISLNK(status.st_mode):
            entry.type, entry.linkname, entry.mode = tarfile.SYMTYPE, os.readlink(place), 0o777
            archive.addfile(entry)
        else:
            entry.size = status.st_size
            if (rights := tree.attributes(place).get(tree.CAPABILITY)) is not None:
                entry.pax_headers = {CAPABILITY: rights.hex()}
            with open(place, "rb") as file:
                archive.addfile(entry, file)


def _parents(path: str) -> list[str]:
    """The folders above it."""
    words = path.split("/")
    return ["/".join(words[:number]) for number in range(1, len(words))]
