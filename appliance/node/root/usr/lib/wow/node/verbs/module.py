"""wow module"""
import json
import os

import dispatch
import files
import table
from errors import WowError

USAGE = "wow module list [--json]"
SUMMARY = "the layers that this machine is stacked from: base, node and modules"
STACK = "/run/layers/sys/stacks/A.conf"
MOUNTS = "/proc/mounts"


def run(arguments):
    """Prints the layers of the image, and which of them this machine uses."""
    found, words = dispatch.options(arguments, ("--json",))
    if words != ["list"]:
        raise dispatch.UsageError("the one thing that it does is list")
    stack, mounted = files_of(STACK), used()
    if "--json" in found:
        print(json.dumps(layers(stack, mounted)))
    else:
        print("\n".join(lines(stack, mounted)))


def files_of(path):
    """[kind, name, file, size, digest] of each line of a stack's list, bottom first."""
    text = files.read(path)
    if text is None:
        raise WowError("is missing: this machine was not started from an image", "Run this inside a machine of the pool", path)
    return [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def used(mounts=MOUNTS, folder="/run/layers"):
    """The squashfs files that are mounted, as the loop devices name them."""
    found = set()
    for line in (files.read(mounts, "") or "").splitlines():
        device, place, kind = line.split()[:3]
        if kind == "squashfs" and place.startswith(folder + "/"):
            backing = files.read(f"/sys/block/{os.path.basename(device)}/loop/backing_file")
            if backing:
                found.add(os.path.basename(backing.strip()))
    return found


def layers(stack, mounted):
    """What is known of each layer."""
    return [{"name": name, "kind": kind, "file": file, "size_bytes": int(size), "stacked": os.path.basename(file) in mounted, "sha256": digest}
            for kind, name, file, size, digest in stack]


def lines(stack, mounted):
    """A table: name, kind, size, whether it is stacked, digest."""
    rows = [["layer", "kind", "size", "stacked", "sha256"]]
    for one in layers(stack, mounted):
        rows.append([one["name"], one["kind"], table.size(one["size_bytes"]), "yes" if one["stacked"] else "no", one["sha256"][:16]])
    return table.columns(rows, right=(2,))
