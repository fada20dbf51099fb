"""wow module"""
import json
import os

from wow.lib import files, table
from wow.lib.errors import WowError
from wow.lib.verb import JSON, Given, UsageError, Verb
from wow.module.words import MADE, OUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    class Layer(TypedDict):
        """What is known of a layer."""
        name: str
        kind: str
        file: str
        size_bytes: int
        stacked: bool
        sha256: str

STACK = "/run/layers/sys/stacks/A.conf"
MOUNTS = "/proc/mounts"


def run(given: Given) -> int:
    """Prints the layers of the image, and which of them this machine uses."""
    if given.words[:1] and given.words[0] in MADE:
        from wow.module import ask
        return ask.run(given)
    if given.words != ["list"]:
        raise UsageError(f"it does one of: list, {', '.join(MADE)}")
    stack, mounted = files_of(STACK), used()
    if given.has(JSON):
        print(json.dumps(layers(stack, mounted)))
    else:
        print("\n".join(lines(stack, mounted)))
    return 0


def files_of(path: str) -> list[list[str]]:
    """[kind, name, file, size, digest] of each line of a stack's list, bottom first."""
    text = files.find(path)
    if text is None:
        raise WowError("is missing: this machine was not started from an image", "Run this inside a machine of the pool", path)
    return [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def used(mounts: str = MOUNTS, folder: str = "/run/layers") -> set[str]:
    """The squashfs files that are mounted, as the loop devices name them."""
    found = set()
    for line in files.read(mounts).splitlines():
        device, place, kind = line.split()[:3]
        if kind == "squashfs" and place.startswith(folder + "/"):
            backing = files.read(f"/sys/block/{os.path.basename(device)}/loop/backing_file")
            if backing:
                found.add(os.path.basename(backing.strip()))
    return found


def layers(stack: list[list[str]], mounted: set[str]) -> "list[Layer]":
    """What is known of each layer."""
    return [{"name": name, "kind": kind, "file": file, "size_bytes": int(size), "stacked": os.path.basename(file) in mounted, "sha256": digest}
            for kind, name, file, size, digest in stack]


def lines(stack: list[list[str]], mounted: set[str]) -> list[str]:
    """A table: name, kind, size, whether it is stacked, digest."""
    rows = [["layer", "kind", "size", "stacked", "sha256"]]
    for one in layers(stack, mounted):
        rows.append([one["name"], one["kind"], table.size(one["size_bytes"]), "yes" if one["stacked"] else "no", one["sha256"][:16]])
    return table.columns(rows, right=(2,))


VERB = Verb("module", "list | diff [MODULE.INI] | publish MODULE.INI", "the layers that this machine is stacked from: base, node and modules; in develop mode "
            "what the module that is made here holds, and why", (JSON, OUT), run, ("list", *MADE))
