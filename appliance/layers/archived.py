"""Makes a layer of what `wow module publish` wrote: an archive that may come from anybody. It is looked at as a whole before anything of it is written."""

import contextlib
import errno
import json
import os
import pathlib
import posixpath
import re
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "node/root/usr/lib/wow/node"))

import checked  # noqa: E402
import gates  # noqa: E402
import listing  # noqa: E402
import moved  # noqa: E402
from listing import LayerError  # noqa: E402

from wow.lib import modes  # noqa: E402
from wow.module import accounts, places, publish as publishing, tree as tree_of  # noqa: E402

MOST_JSON = 16 * 1024 * 1024
HIGHEST = 65534
"""The last number of a user or a group that is one."""
SHOWN = 10
"""Paths that a sentence names."""
KINDS = (tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.CHRTYPE)
AGAIN = "publish the module anew on its machine: wow module publish"
RIGHTS = re.compile("0[01]000002[0-9a-f]{32}")
"""struct vfs_cap_data of linux/capability.h in its second revision, which knows no other root."""
TEXTS = {"version", "description", "licence", "architecture"}
LISTS = {"requires", "conflicts", "override", "deleted", "units"}


def publish(archive, base, node, out):
    """Writes the layer, and returns its manifest. base, node: their layers."""
    try:
        with tarfile.open(archive, "r:") as source:
            members = entries(source, archive)
            manifest, fragments = manifest_of(source, members, archive)
            check(members, manifest, archive)
            below = gates.read((("base", "base", base), ("node", "node", node)))
            check_owners(members, manifest, fragments, below, archive)
            with tempfile.TemporaryDirectory() as scratch:
                layer = packed(source, members, pathlib.Path(scratch), out)
                check_replaced(layer, manifest, below, archive)
                put(layer, out)
    except (tarfile.TarError, EOFError) as error:
        raise LayerError(f"{archive}: is no archive of a module, or is cut short ({error}); copy it again, or {AGAIN}") from error
    return manifest


def entries(source, archive):
    """{path: member} in the archive's order. Refuses what `wow module publish` never writes."""
    found, size = {}, 0
    for member in source:
        path = member.name
        if path.startswith("/") or posixpath.normpath(path) != path or path.split("/")[0] in ("..", "."):
            raise LayerError(f"{archive}: {path!r}: leads out of the module; {AGAIN}")
        if places.UNNAMABLE.search(path):
            raise LayerError(f"{archive}: {path!r}: a quotation mark, a backslash, a control character or what is no UTF-8 in its name; rename it there")
        if member.issym() and places.UNNAMABLE.search(member.linkname):
            raise LayerError(f"{archive}: /{path}: leads to {member.linkname!r}, which has a quotation mark, a backslash, a control character or what is no UTF-8; "
                             "have the link lead elsewhere")
        if member.type not in KINDS or member.issparse() or (member.type == tarfile.CHRTYPE and (member.devmajor, member.devminor) != (0, 0)):
            raise LayerError(f"{archive}: /{path}: neither file nor folder nor link; a module holds nothing else")
        parent = posixpath.dirname(path)
        if path in found or (parent and (parent not in found or found[parent].type != tarfile.DIRTYPE)):
            raise LayerError(f"{archive}: /{path}: stands twice, or in no folder of the archive; {AGAIN}")
        if not (0 <= member.uid <= HIGHEST and 0 <= member.gid <= HIGHEST):
            raise LayerError(f"{archive}: /{path}: is of user {member.uid}, group {member.gid}; they have numbers from 0 to {HIGHEST}")
        if (rights := capability(member)) is not None and not (member.isreg() and RIGHTS.fullmatch(rights)):
            raise LayerError(f"{archive}: /{path}: has capabilities that are none; {AGAIN}")
        size += member.size
        found[path] = member
        publishing.bounded(len(found), size, str(archive))
    return found


def capability(member):
    """What an archive says of a file's capabilities, in hexadecimal; None where it has none."""
    return member.pax_headers.get(publishing.CAPABILITY)


def manifest_of(source, members, archive):
    """The one manifest, and the fragments beside it, checked as far as the tools rely on them."""
    found = [path for path in members if (said := re.fullmatch(f"{publishing.HOME}/([^/]+)/manifest.json", path)) and modes.is_name(said[1])]
    if len(found) != 1:
        raise LayerError(f"{archive}: holds {len(found)} manifests instead of one; take what `wow module publish` wrote")
    texts = {}
    for path in (found[0], posixpath.join(posixpath.dirname(found[0]), "fragments.json")):
        if path not in members or not members[path].isreg() or members[path].size > MOST_JSON:
            raise LayerError(f"{archive}: /{path}: missing, or more than {MOST_JSON >> 20} MiB; {AGAIN}")
        try:
            texts[path] = json.loads(source.extractfile(members[path]).read())
        except (ValueError, RecursionError) as error:
            raise LayerError(f"{archive}: /{path}: no JSON ({error}); {AGAIN}") from error
    manifest = texts[found[0]]
    name = found[0].split("/")[-2]
    right = (isinstance(manifest, dict) and manifest.get("name") == name and name not in modes.TAKEN and all(isinstance(manifest.get(key), str) for key in TEXTS)
             and all(isinstance(manifest.get(key), list) and all(isinstance(one, str) for one in manifest[key]) for key in LISTS)
             and all(isinstance(manifest.get(key), dict) for key in ("base", "files", "packages"))
             and all(isinstance(manifest["base"].get(key), str) for key in ("sha256", "date", "abi"))
             and all(isinstance(one, dict) and isinstance(one.get("version"), str) for one in manifest["packages"].values())
             and are_owners(manifest.get("owners", {})) and are_digests(manifest.get("was", {})))
    if not right:
        raise LayerError(f"{archive}: /{found[0]}: a key is missing or not of its kind; {AGAIN}")
    fragments = texts[posixpath.join(posixpath.dirname(found[0]), "fragments.json")]
    if wrong := checked.wrong(fragments):
        raise LayerError(f"{archive}: fragments.json: {wrong}; {AGAIN}")
    return manifest, fragments


def are_owners(said):
    """Whether it is {"passwd": {name: number}, "group": ...}: who owns files, without root, which has one number everywhere."""
    return isinstance(said, dict) and set(said) <= set(accounts.NUMBERED) and all(
        isinstance(names, dict) and all(re.fullmatch(checked.NAME, name) and type(number) is int and 0 < number <= HIGHEST for name, number in names.items())
        for names in said.values())


def are_digests(said):
    """Whether it is {path of /etc: SHA-256}."""
    return isinstance(said, dict) and all(path.startswith("etc/") and posixpath.normpath(path) == path and isinstance(digest, str)
                                          and re.fullmatch("[0-9a-f]{64}", digest) for path, digest in said.items())


def check(members, manifest, archive):
    """Refuses files where none may be, and rights that its module.ini does not name."""
    for path, member in members.items():
        if member.isdir() or path.startswith((places.INFO, f"{publishing.HOME}/{manifest['name']}/")):
            continue
        if held := places.held_back(path):
            raise LayerError(f"{archive}: /{path}: a module may not hold it: {held[1]}; {AGAIN}")
        gains = capability(member) or (member.isreg() and member.mode & (stat.S_ISUID | stat.S_ISGID))
        if gains and path not in manifest["override"]:
            raise LayerError(f"{archive}: /{path}: set-uid, set-gid or with capabilities, and not in `override` of its module.ini; {AGAIN}")


def check_owners(members, manifest, fragments, below, archive):
    """Refuses files of whoever has a number on the machine that they come to, a person or a job: their owners are root, accounts of the base or of other layers that
    the manifest names (moved.py looks for these), and the module's own."""
    tables, _ = moved.numbers(below, {})
    known = {}
    for table, rows in tables.items():
        own = accounts.rows("\n".join(fragments.get("accounts", {}).get(table, [])))
        known[table] = {0, *manifest.get("owners", {}).get(table, {}).values(), *(int(fields[2]) for fields in (*rows.values(), *own.values()))}
    found = [f"/{path} (user {one.uid}, group {one.gid})" for path, one in members.items() if one.uid not in known["passwd"] or one.gid not in known["group"]]
    if found:
        raise LayerError(f"{archive}: {named(found)}: each of an account that neither the base nor the module has. Type where it was made: chown -R root:root PATH; "
                         f"and {AGAIN}")


def named(found):
    """The first of a list, and how many more there are."""
    return ", ".join(found[:SHOWN]) + (f" and {len(found) - SHOWN} more" if len(found) > SHOWN else "")


def check_replaced(layer, manifest, below, archive):
    """Names what it would hide of base and node. below: these two, as gates.read gives them."""
    one = gates.Layer("module", manifest["name"], layer, listing.kinds(layer), manifest)
    over = [path for path, kind in one.held.items() if kind not in (listing.FOLDER, "c") and any(other.held.get(path) == listing.FOLDER for other in below)]
    if over:
        raise LayerError(f"{archive}: /{over[0]}: a file or a link in the place of a folder of the system, and all that is in it; have the module leave that folder")
    move = gates.changes(gates.Layers([*below, one]))[0][one.name]
    found = [f"/{path} of the {other.name}" for other in below for path in gates.hiding(one, other, move)]
    if found:
        raise LayerError(f"{archive}: the module would replace {named(found)}. Was it made over another base? Develop it on this one; "
                         "or add the paths to `override` of its module.ini there")


def pack(source, members, scratch, out):
    """Makes a layer of an archive's members."""
    put(packed(source, members, scratch, out), out)


def packed(source, members, scratch, out):
    """The layer, in scratch: unpacked without its owners, and packed with them; so nobody need be root, but for capabilities."""
    tree, lines = scratch / "tree", scratch / "owners"
    tree.mkdir()
    said, attributes = [], "-no-xattrs"
    for path, member in members.items():
        place = tree / path
        if member.isdir():
            place.mkdir()
        elif member.isreg():
            with source.extractfile(member) as data, place.open("wb") as file:
                while block := data.read(1 << 20):
                    file.write(block)
            if rights := capability(member):
                attributes = "-xattrs"
                try:
                    os.setxattr(place, tree_of.CAPABILITY, bytes.fromhex(rights))
                except OSError as error:
                    raise LayerError(f"/{path}: its capabilities cannot be written: {error.strerror}; run it as root, on a file system that keeps them") from error
        elif member.issym():
            place.symlink_to(member.linkname)
        mode = 0o777 if member.issym() else stat.S_IMODE(member.mode)
        said.append(f'"{path}" c 0 0 0 0 0\n' if member.ischr() else f'"{path}" m {mode:o} {member.uid} {member.gid}\n')
    lines.write_text("".join(said), encoding="utf-8")
    done = subprocess.run([HERE / "squash", tree, scratch / "layer", "-root-uid", "0", "-root-gid", "0", "-root-mode", "755", attributes, "-pf", lines],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        raise LayerError(f"{out}: cannot be packed: {done.stderr.strip()[-300:]}")
    return scratch / "layer"


def put(layer, out):
    """A finished layer comes to its place."""
    try:
        # A copy first, for a layer is whole or not there.
        new = out.with_name(out.name + ".new")
        shutil.copyfile(layer, new)
        new.rename(out)
    except OSError as error:
        with contextlib.suppress(OSError):
            new.unlink(missing_ok=True)
        todo = "free some room there" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "name another place with -o"
        raise LayerError(f"{out}: cannot be written: {error.strerror}; {todo}") from error
