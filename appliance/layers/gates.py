"""Which layers go together: looked at before they are made a list, and before they are composed. Sentences say what does not, and what to do."""

import hashlib
import json
import pathlib
import sys
from typing import NamedTuple

import checked
import listing

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "node/root/usr/lib/wow/node"))

from wow.module import publish  # noqa: E402

ANY = publish.ANY
ABOUT = "usr/lib/wow/base.json"
GLUE = publish.GLUE
VERSION = 1
"""Another one for another glue of the same layers."""


class Layer(NamedTuple):
    """kind: base, node, module or glue. held: as listing.kinds gives it; manifest: what a module says of itself."""
    kind: str
    name: str
    file: object
    held: dict
    manifest: dict


def read(layers):
    """The layers of [(kind, name, file)], bottom first. LayerError for what is none, or is cut."""
    return [Layer(kind, name, file, listing.kinds(file), listing.manifest(file, name) if kind == "module" else {}) for kind, name, file in layers]


def modules(layers):
    """Those that somebody made."""
    return [one for one in layers if one.kind == "module"]


def parts(layers):
    """{module: its fragments} of those that have a part in shared files, bottom first."""
    found = {}
    for one in modules(layers):
        path = f"{publish.HOME}/{one.name}/fragments.json"
        if path in one.held:
            said = json.loads(listing.text(one.file, path))
            if wrong := checked.wrong(said):
                raise listing.LayerError(f"{one.file}: {path}: {wrong}; publish the module anew")
            if any(said.values()):
                found[one.name] = said
    return found


def key(layers):
    """What a glue follows from: its own version, and every layer below it."""
    lines = [f"{one.kind} {one.name} {publish.digest(str(one.file))}\n" for one in layers if one.kind != GLUE]
    return hashlib.sha256("".join([f"glue {VERSION}\n", *lines]).encode()).hexdigest()


def unglued(layers):
    """Whether modules that share files stand without the layer that joins them, or with one of other layers."""
    shared, glue = parts(layers), [one for one in layers if one.kind == GLUE]
    if not shared and not glue:
        return []
    if len(glue) == 1 and layers[-1].kind == GLUE and listing.manifest(glue[0].file, GLUE).get("stack") == key(layers):
        return []
    return [f"the modules {', '.join(shared) or 'of this list'} need a glue that was made of these layers, above all others. "
            "Make it: appliance/layers/compose -o glue.squashfs KIND=FILE..., and name it last: glue=glue.squashfs"]


def about(layers):
    """What the node's layer says of the base below it, as far as a manifest has it."""
    said = json.loads(listing.text(next(one.file for one in layers if one.kind == "node"), ABOUT))
    return {key: said[key] for key in ("sha256", "date", "abi")}


def strangers(layers):
    """Modules for another base or other processors."""
    if not modules(layers):
        return []
    node = next((one for one in layers if one.kind == "node"), None)
    if node is None or ABOUT not in node.held:
        return [f"no layer says of which base the modules are (/{ABOUT} of the node's layer): make image makes one"]
    here = json.loads(listing.text(node.file, ABOUT))
    found = []
    for one in modules(layers):
        base = one.manifest.get("base", {})
        if base.get("abi") != here["abi"]:
            found.append(f"the module {one.name} was made over a base with ABI {base.get('abi', 'unknown')} ({base.get('date', 'of no day')}), and this base has "
                         f"{here['abi']} ({here['date']}): libraries that its programs need may be others here. Publish it anew over this base")
        wants, has = one.manifest.get("architecture", ANY), here["architecture"]
        if wants not in (ANY, has):
            found.append(f"the module {one.name} is for {wants}, and this base for {has}. Take one that was made for {has}")
    return found


def companions(layers):
    """Modules that lack one that they require, or stand beside one that they conflict with."""
    names = {one.name for one in modules(layers)}
    found = []
    for one in modules(layers):
        found += [f"the module {one.name} requires {other}, which is not there. Add it, or take {one.name} out"
                  for other in one.manifest.get("requires", ()) if other not in names]
        found += [f"the module {one.name} conflicts with {other}. Take one of them out" for other in one.manifest.get("conflicts", ()) if other in names]
    return found


def versions(layers):
    """Packages that two modules have in two versions: dpkg knows one."""
    known, found = {}, []
    for one in modules(layers):
        for name, said in one.manifest.get("packages", {}).items():
            version, other = known.setdefault(name, (said["version"], one.name))
            if version != said["version"]:
                found.append(f"the package {name} is {version} in the module {other}, and {said['version']} in the module {one.name}: a machine can have one of "
                             "them. Publish one of the two anew with the other's version")
    return found


def apart(layers):
    """A sentence for each thing that keeps these layers from being together."""
    return [*strangers(layers), *companions(layers), *versions(layers)]


def doubles(layers):
    """Each path of a module that a layer below it holds, too. What both have with the same content, and what the upper one's `override` names, may be so."""
    found, below = [], []
    for one in layers:
        if one.kind == "module":
            allowed = set(one.manifest.get("override", ()))
            found += [f"/{path}: in the module {one.name}, and in {'the module ' if other.kind == 'module' else 'the layer '}{other.name}"
                      for other in below for path in listing.replaced(one.held, other.held) if path not in allowed and not alike(path, one, other)]
        below.append(one)
    return found


def alike(path, one, other):
    """Whether two modules have one file with one content, as two have that hold one package."""
    described = one.manifest.get("files", {}).get(path)
    return described is not None and described == other.manifest.get("files", {}).get(path)
