"""Which layers go together: looked at before they are made a list, and before they are composed. Sentences say what does not, and what to do."""

import functools
import hashlib
import json
import pathlib
import posixpath
import sys
from typing import NamedTuple

import checked
import listing
import moved
import needing

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "node/root/usr/lib/wow/node"))

from wow.lib import files  # noqa: E402
from wow.module import places, publish  # noqa: E402

ANY = publish.ANY
ABOUT = "usr/lib/wow/base.json"
GLUE = publish.GLUE
VERSION = 3
"""Another one for another glue of the same layers."""


class Layer(NamedTuple):
    """kind: base, node, module or glue. held: as listing.kinds gives it; manifest: what a module says of itself."""
    kind: str
    name: str
    file: object
    held: dict
    manifest: dict


class Layers(tuple):
    """Layers, bottom first. What takes long to work out of all of them, and several gates ask for, is worked out once."""

    @functools.cached_property
    def parts(self):
        """As `parts` says."""
        return _parts(self)

    @functools.cached_property
    def changes(self):
        """As `changes` says."""
        return moved.of(modules(self), below(self), self.parts)


def read(layers):
    """The layers of [(kind, name, file)], bottom first. LayerError for what is none, or is cut, and for a module under another name than its own."""
    found = Layers(Layer(kind, name, file, listing.kinds(file), listing.manifest(file, name) if kind == "module" else {}) for kind, name, file in layers)
    for one in modules(found):
        named = [path.split("/")[-2] for path in one.held if posixpath.dirname(posixpath.dirname(path)) == publish.HOME and path.endswith("/manifest.json")]
        if named and not one.manifest:
            raise listing.LayerError(f"{one.file}: is the layer of the module {named[0]}, and is called {one.name}, by which nobody finds what it says of itself. "
                                     f"Call the module's folder or archive {named[0]}, and publish it again")
    return found


def modules(layers):
    """Those that somebody made."""
    return [one for one in layers if one.kind == "module"]


def parts(layers):
    """{module: its fragments} of those that have a part in shared files, bottom first. layers: Layers, here as in each function that needs this."""
    return layers.parts


def _parts(layers):
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


def below(layers):
    """Base and node."""
    return [one for one in layers if one.kind in ("base", "node")]


def changes(layers):
    """{module: what of it the base has moved} (moved.py), and sentences on what cannot be."""
    return layers.changes


def joined(layers):
    """The names of modules for which there has to be a glue."""
    said, found = parts(layers), changes(layers)[0]
    return [one.name for one in modules(layers) if one.name in said or found[one.name].moves()]


def key(layers):
    """What a glue follows from: its own version, and every layer below it."""
    lines = [f"{one.kind} {one.name} {files.digest(str(one.file))}\n" for one in layers if one.kind != GLUE]
    return hashlib.sha256("".join([f"glue {VERSION}\n", *lines]).encode()).hexdigest()


def unglued(layers):
    """Whether modules that share files stand without the layer that joins them, or with one of other layers."""
    shared, glue = joined(layers), [one for one in layers if one.kind == GLUE]
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
    """Modules for other processors, or for a base that is not said."""
    if not modules(layers):
        return []
    node = next((one for one in layers if one.kind == "node"), None)
    if node is None or ABOUT not in node.held:
        return [f"no layer says of which base the modules are (/{ABOUT} of the node's layer): make image makes one"]
    here = json.loads(listing.text(node.file, ABOUT))
    found = []
    for one in modules(layers):
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


def elsewhere(layers):
    """A sentence for each module that was made over a base with another ABI number: what its programs name is here, what they look for by themselves nobody sees."""
    here = about(layers) if modules(layers) else {}
    return [f"note: the module {one.name} was made over a base with ABI {said.get('abi', 'unknown')} ({said.get('date', 'of no day')}), and this base has "
            f"{here['abi']} ({here['date']}). All libraries, their versions and the Python that its files name are here"
            for one in modules(layers) if (said := one.manifest.get("base", {})).get("abi") != here["abi"]]


def beside(layers):
    """A sentence for each file of configuration that a module has changed, and a newer base, too."""
    return [f"note: /{path} stays as the module {name} has it. This base has changed it, too: its own is beside it, /{path}.dpkg-dist. Publish {name} anew when "
            "you have seen to it" for name, one in changes(layers)[0].items() for path in sorted(one.conffiles)]


def apart(layers):
    """A sentence for each thing that keeps these layers from being together."""
    found, wrong = changes(layers)
    hidden = {name: one.hidden for name, one in found.items()}
    gone = {path for one in found.values() for path in one.gone} | {path for one in modules(layers) for path, kind in one.held.items() if kind == "c"}
    hidden |= {one.name: gone for one in below(layers)}
    return [*strangers(layers), *companions(layers), *versions(layers), *wrong, *needing.lacking(modules(layers), layers, hidden)]


def doubles(layers):
    """Each path of a module that a layer below it holds, too. What both have with the same content, what a package of both brings, and what the upper one's
    `override` names, may be so, and what triggers make anew of both."""
    found, lower, moves = [], [], changes(layers)[0]
    for one in layers:
        if one.kind == "module":
            found += [f"/{path}: in the module {one.name}, and in {'the module ' if other.kind == 'module' else 'the layer '}{other.name}"
                      for other in lower for path in hiding(one, other, moves[one.name]) if not alike(path, one, other)
                      and not (other.kind == "module" and places.is_by_triggers(path))]
        lower.append(one)
    return found


def hiding(one, other, move):
    """The paths of a module at which something of a layer below would be seen no more."""
    allowed = {*one.manifest.get("override", ()), *(() if other.kind == "module" else move.shared), *move.links}
    found = [path for path in listing.replaced(one.held, other.held) if path not in allowed]
    # What stands in such a folder comes to the place where the link leads.
    for folder, target in move.links.items():
        inner = {target + path[len(folder):]: kind for path, kind in one.held.items() if path.startswith(f"{folder}/")}
        found += [folder + path[len(target):] for path in listing.replaced(inner, other.held) if folder + path[len(target):] not in allowed]
    return found


def alike(path, one, other):
    """Whether two modules have one file with one content, as two have that hold one package."""
    described = one.manifest.get("files", {}).get(path)
    return described is not None and described == other.manifest.get("files", {}).get(path)
