"""What a layer holds, read from its squashfs file without mounting it."""

import functools
import json
import os
import re
import subprocess

LINE = re.compile(r"(.)(\S+) (\S+) +(?:\d+|\d+, *\d+) \d{4}-\d\d-\d\d \d\d:\d\d squashfs-root(?:/(.*))?")
LINK = " -> "
FOLDER = "d"
"""As `ls -l` writes the kind of a folder."""


class LayerError(Exception):
    """What is wrong with a layer, and what to do."""


def _state(layer):
    """What is another as soon as a layer's file is another."""
    try:
        about = os.stat(layer)
    except OSError as error:
        raise LayerError(f"{layer}: {error.strerror}; `make image` leaves layers in build/image/layers") from error
    return about.st_ino, about.st_size, about.st_mtime_ns


def _entries(layer):
    """(kind, rights, owner, path, where a link leads) of all that a layer holds."""
    return _listed(str(layer), _state(layer))


@functools.lru_cache(maxsize=64)
def _listed(layer, _):
    """The same of a file that has not changed meanwhile."""
    done = subprocess.run(["unsquashfs", "-lln", layer], capture_output=True, text=True, check=False)
    if done.returncode:
        raise LayerError(f"{layer}: {(done.stderr or done.stdout).strip()[-200:]}; `make image` leaves layers in build/image/layers")
    found = {}
    for line in done.stdout.split("\n"):
        entry = LINE.fullmatch(line)
        if line and not entry:
            raise LayerError(f"{layer}: a name or a link in it has a line's end: {line[-200:]!r}; no tool of WOW writes such a layer")
        if entry and entry[4]:
            path, _, target = entry[4].partition(LINK) if entry[1] == "l" else (entry[4], "", "")
            if path in found:
                # A link may lead to what looks like a line of this list.
                raise LayerError(f"{layer}: /{path} stands in it twice; no tool of WOW writes such a layer")
            found[path] = (entry[1], entry[2], entry[3], path, target)
    return list(found.values())


def kinds(layer):
    """{path: kind as `ls -l` writes it} of all that a layer holds; paths as the guest sees them, without the first slash."""
    return {path: kind for kind, _, _, path, _ in _entries(layer)}


def links(layer):
    """{path: where it leads} of a layer's links."""
    return {path: target for kind, _, _, path, target in _entries(layer) if kind == "l"}


def folders(layer):
    """{path: rights and owner, as they are listed} of a layer's folders."""
    return {path: f"{rights} {owner}" for kind, rights, owner, path, _ in _entries(layer) if kind == FOLDER}


def programs(layer):
    """The paths of files that may be run or loaded: those with a right to run, and those that are named as libraries are."""
    return [path for kind, rights, _, path, _ in _entries(layer) if kind == "-" and ("x" in rights or "s" in rights or ".so" in path.rpartition("/")[2])]


def text(layer, path):
    """A file's text; LayerError if the layer has none."""
    if data := _content(str(layer), path, _state(layer)):
        return data.decode()
    raise LayerError(f"{layer}: holds no {path}")


def content(layer, path):
    """The bytes of a file that a layer holds; none where it is empty, or not there."""
    return _content(str(layer), path, _state(layer))


@functools.lru_cache(maxsize=64)
def _content(layer, path, _):
    """The same of a file that has not changed meanwhile: each gate asks for the same few."""
    done = subprocess.run(["unsquashfs", "-cat", layer, path], capture_output=True, check=False)
    return b"" if done.returncode else done.stdout


def manifest(layer, name):
    """What `publish` wrote of a module; empty for a layer that it did not make."""
    try:
        return json.loads(text(layer, f"usr/lib/wow/modules/{name}/manifest.json"))
    except LayerError:
        return {}


def replaced(upper, lower):
    """The paths at which one layer hides what another holds, both as `kinds` gives them. A folder beside a folder hides nothing."""
    return sorted(path for path, kind in upper.items() if path in lower and not kind == lower[path] == FOLDER)
