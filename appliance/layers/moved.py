"""What of a module has another place where the base is another one than it was made over: packages that the base has now, too, folders that are links now, and
owners whose numbers are others. Read from the layers without mounting them; settling.py does what follows."""

import hashlib
import posixpath
import re
from typing import NamedTuple

import listing
from listing import LayerError

from wow.module import accounts, dpkg, places

STATUS = "var/lib/dpkg/status"
DEEPEST = 40
"""Links that lead to links, as in the kernel (path_resolution(7))."""


class Moved(NamedTuple):
    """Of one module. shared: paths of packages that the base has, too; hidden: those of them where the base's version is the newer one, so what the base has or
    has not there counts; gone: paths of the base's packages that the module's newer ones have no more; links: {folder of the module: where the base's link of
    that path leads}; folders: those of the base that the module only stands in, and whose rights or owner are others here; owners: {"passwd": {number: the
    base's}, "group": ...}; conffiles: files of configuration that the module has changed, and the base's newer version, too."""
    shared: set
    hidden: set
    gone: set
    links: dict
    folders: set
    owners: dict
    conffiles: set

    def moves(self):
        """Whether a layer above the module has to say so."""
        return bool(self.hidden or self.gone or self.links or self.folders or self.conffiles or any(self.owners.values()))


def of(modules, below, parts):
    """{module: Moved}, and sentences on what cannot be. below: base and node; parts: {module: its fragments}."""
    bases = [one for one in below if STATUS in one.held]
    status = dpkg.stanzas(listing.text(bases[-1].file, STATUS)) if bases else {}
    known = {path: said for one in below for path, said in listing.folders(one.file).items()} if modules else {}
    tables, _ = numbers(below, parts)
    # A module's files may belong to an account of another one, which it requires.
    for table, rows in tables.items():
        tables[table] = {**accounts.rows("\n".join(line for one in parts.values() for line in one.get("accounts", {}).get(table, []))), **rows}
    found, wrong = {}, []
    for one in modules:
        packages = parts.get(one.name, {}).get("packages", {})
        shared, hidden, gone = _packages(one, bases[-1], status, packages) if bases else (set(), set(), set())
        owners, lacking = _owners(one, tables)
        found[one.name] = Moved(shared, hidden, gone, _links(one.held, below), _folders(one, known), owners, _conffiles(one, below, status, packages))
        wrong += lacking
    return found, wrong


def _packages(one, base, status, packages):
    shared, hidden, gone = set(), set(), set()
    for name, stanza in packages.items():
        if name not in status:
            continue
        ours, theirs = paths(name, one), paths(name, base)
        shared |= (ours | theirs) & set(one.held)
        here, there = dpkg.field(stanza, "Version"), dpkg.field(status[name], "Version")
        if dpkg.is_newer(there, here):
            hidden |= (ours | theirs) & set(one.held) - changed_conffiles(stanza, one)
        elif dpkg.is_newer(here, there):
            gone |= {path for path in theirs - ours if base.held.get(path, "d") != "d"}
    # A folder is many packages'.
    return shared, {path for path in hidden if one.held[path] != "d"}, gone


def paths(package, one):
    """What a layer's dpkg says that a package has, its scripts and lists among it."""
    found = {path for path in one.held if path.startswith(places.INFO) and dpkg.owner_of(path.removeprefix(places.INFO)) == package}
    return found.union(*(dpkg.paths(listing.text(one.file, path)) for path in found if path.endswith(".list")))


def changed_conffiles(stanza, one):
    """The package's files of configuration that its module has with another content than the package brought: dpkg keeps these where it upgrades."""
    return {path for path, digest in conffiles(stanza).items()
            if one.held.get(path) == "-" and hashlib.md5(listing.content(one.file, path), usedforsecurity=False).hexdigest() != digest}


def conffiles(stanza):
    """{path: MD5} of a package's files of configuration, as dpkg's status has them."""
    return dict(re.findall(r"^ /(\S+) ([0-9a-f]{32})", stanza, re.MULTILINE))


def _conffiles(one, below, status, packages):
    """Where Debian would ask: the module has a file of configuration as somebody changed it, and what the base has by now is another than that was. Either the
    module has an older version of the package, or the base's file in its `override`."""
    now = {path: listing.content(layer.file, path) for layer in below for path in {*one.manifest.get("was", {}), *_upgraded(one, status, packages)}
           if layer.held.get(path) == "-"}
    found = {path for path, digest in one.manifest.get("was", {}).items() if path in now and hashlib.sha256(now[path]).hexdigest() != digest}
    found |= {path for path in _upgraded(one, status, packages) if path in now}
    # Who has what the newer version has by now asks for nothing.
    return {path for path in found if one.held.get(path) == "-" and now[path] != listing.content(one.file, path)}


def _upgraded(one, status, packages):
    """Changed files of configuration of packages that the base has in a newer version, in which they are others."""
    found = set()
    for name, stanza in packages.items():
        if name in status and dpkg.is_newer(dpkg.field(status[name], "Version"), dpkg.field(stanza, "Version")):
            was, now = conffiles(stanza), conffiles(status[name])
            found |= {path for path in changed_conffiles(stanza, one) if now.get(path, was[path]) != was[path]}
    return found


def _links(held, below):
    """Folders of a module where a layer below has a link to a folder. dpkg follows such a link where it unpacks."""
    found = {}
    leads = None
    for path, kind in held.items():
        if kind == listing.FOLDER and any(one.held.get(path) == "l" for one in below):
            if leads is None:
                leads = {name: target for one in below for name, target in listing.links(one.file).items()}
            target = resolved(path, leads)
            if target and any(one.held.get(target) == listing.FOLDER for one in below):
                found[path] = target
    return found


def _folders(one, known):
    """Those that the module only stands in, with other rights or another owner than the layers below have."""
    return {path for path, said in listing.folders(one.file).items() if known.get(path, said) != said and path not in meant(one)}


def meant(one):
    """Paths of which its module.ini says that they are as the module has them."""
    return {*one.manifest.get("override", ()), *one.manifest.get("statoverride", ())}


def resolved(path, leads):
    """Where a path leads in the end, links in its folders followed, too; "" where links lead in a circle or out of the root."""
    for _ in range(DEEPEST):
        words = path.split("/")
        at = next(("/".join(words[:number]) for number in range(1, len(words) + 1) if "/".join(words[:number]) in leads), None)
        if at is None:
            return path
        path = posixpath.normpath(posixpath.join("/", posixpath.dirname(at), leads[at], path[len(at) + 1:])).lstrip("/")
    return ""


def numbers(below, parts):
    """The tables of accounts {"passwd": {name: fields}, "group": ...} of base and node, with room for those of modules; and which of their numbers are others
    for that, {"passwd": {before: now}, "group": ...}."""
    texts = {table: next((listing.text(one.file, f"etc/{table}") for one in reversed(below) if f"etc/{table}" in one.held), "") for table in accounts.NUMBERED}
    tables = {table: accounts.rows(text) for table, text in texts.items()}
    return tables, accounts.make_room(tables, {name: one.get("accounts", {}) for name, one in parts.items()})


def _owners(one, tables):
    """Numbers of the accounts of other layers that own files of the module, and are others here."""
    found, wrong = {}, []
    for table, what in (("passwd", "user"), ("group", "group")):
        found[table] = {}
        for name, number in one.manifest.get("owners", {}).get(table, {}).items():
            if name not in tables[table]:
                wrong.append(f"files of the module {one.name} belong to the {what} {name}, which neither this base nor another module has. Publish the module "
                             "anew over this base, or add the module with that account")
            elif int(tables[table][name][2]) != number:
                found[table][number] = int(tables[table][name][2])
    return found, wrong
