"""What a layer holds, read from its squashfs file without mounting it."""

import json
import re
import subprocess

LINE = re.compile(r"(.)\S+ \S+ +(?:\d+|\d+, *\d+) \d{4}-\d\d-\d\d \d\d:\d\d squashfs-root(?:/(.*))?")
LINK = " -> "
FOLDER = "d"
"""As `ls -l` writes the kind of a folder."""


class LayerError(Exception):
    """What is wrong with a layer, and what to do."""


def kinds(layer):
    """{path: kind as `ls -l` writes it} of all that a layer holds; paths as the guest sees them, without the first slash."""
    done = subprocess.run(["unsquashfs", "-lln", str(layer)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise LayerError(f"{layer}: {(done.stderr or done.stdout).strip()[-200:]}; `make image` leaves layers in build/image/layers")
    found = {}
    for line in done.stdout.splitlines():
        entry = LINE.fullmatch(line)
        if entry and entry[2]:
            found[entry[2].partition(LINK)[0] if entry[1] == "l" else entry[2]] = entry[1]
    return found


def text(layer, path):
    """A file's text; LayerError if the layer has none."""
    done = subprocess.run(["unsquashfs", "-cat", str(layer), path], capture_output=True, check=False)
    if done.returncode or not done.stdout:
        raise LayerError(f"{layer}: holds no {path}")
    return done.stdout.decode()


def manifest(layer, name):
    """What `publish` wrote of a module; empty for a layer that it did not make."""
    try:
        return json.loads(text(layer, f"usr/lib/wow/modules/{name}/manifest.json"))
    except LayerError:
        return {}


def replaced(upper, lower):
    """The paths at which one layer hides what another holds, both as `kinds` gives them. A folder beside a folder hides nothing."""
    return sorted(path for path, kind in upper.items() if path in lower and not kind == lower[path] == FOLDER)
