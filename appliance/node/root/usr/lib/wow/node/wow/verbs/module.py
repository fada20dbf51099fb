"""wow module"""
import json
import os

from wow.acts.boot import OVER
from wow.agent import again
from wow.lib import base, files, modes, sure, table
from wow.lib.errors import WowError
from wow.lib.verb import Given, JSON, Option, UsageError, Verb
from wow.module.words import MADE, OUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    class Layer(TypedDict):
        """What is known of a layer; of a module in work there is no file yet, and the day on which it was begun."""
        name: str
        kind: str
        file: str
        size_bytes: int
        stacked: bool
        sha256: str
        started: str | None

MOUNTS = "/proc/mounts"
WORKS = "/run/layers/works"
"""The initrd's: a line NAME KIB STARTED of each module in work."""
OVER_THIS_BASE = Option(f"--{OVER}", "", "develop: also where the module was begun over another base")


def run(given: Given) -> int:
    """Prints the layers of the image and the modules in work, has the machine start again to develop one, or asks of the one that is developed."""
    if given.words[:1] and given.words[0] in MADE:
        from wow.module import ask
        return ask.run(given)
    if given.words[:1] == ["develop"]:
        if len(given.words) != 2 or not modes.is_name(given.words[1]):
            raise UsageError("develop needs the name of one module: 1 to 32 of a-z, 0-9 and hyphens, none of them at an end")
        return again.start(given, modes.DEVELOP, module=given.words[1], **({"over": "yes"} if given.has(OVER_THIS_BASE) else {}))
    if given.words != ["list"] or given.has(sure.YES) or given.has(OVER_THIS_BASE):
        raise UsageError(f"say list, develop and a name, or {' or '.join(MADE)}")
    found = layers(files_of(base.started()), used()) + works()
    print(json.dumps(found) if given.has(JSON) else "\n".join(lines(found)))
    return 0


def files_of(path: str) -> list[list[str]]:
    """[kind, name, file, size, digest] of each line of a stack's list, bottom first."""
    text = files.find(path)
    if text is None:
        raise WowError("is missing: this machine was not started from an image", "Run this inside a machine of the pool", path)
    return [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def used(mounts: str = MOUNTS, folder: str = "/run/layers", block: str = "/sys/block") -> set[str]:
    """The squashfs files that are mounted, as the loop devices name them, or dm-verity's mappings (appliance/initrd/verity.sh)."""
    found = set()
    for line in files.read(mounts).splitlines():
        device, place, kind = line.split()[:3]
        if kind == "squashfs" and place.startswith(folder + "/"):
            about = f"{block}/{os.path.basename(device)}"
            backing, mapped = files.read(f"{about}/loop/backing_file"), files.read(f"{about}/dm/name")
            if backing:
                # A layer that was found damaged is fetched anew, and used as it was until then.
                found.add(os.path.basename(backing.strip()).removesuffix(" (deleted)"))
            elif mapped:
                found.add(f"{mapped.strip()}.squashfs")
    return found


def layers(stack: list[list[str]], mounted: set[str]) -> "list[Layer]":
    """What is known of each layer."""
    return [{"name": name, "kind": kind, "file": file, "size_bytes": int(size), "stacked": os.path.basename(file) in mounted, "sha256": digest,
             "started": None}
            for kind, name, file, size, digest in stack]


def works(path: str = "") -> "list[Layer]":
    """The modules in work; of the sizes, those at this start."""
    found = [line.split() for line in files.read(path or WORKS).splitlines()]
    return [{"name": line[0], "kind": "in work", "file": "", "size_bytes": int(line[1]) * 1024, "stacked": line[0] == modes.developed(), "sha256": "",
             "started": line[2]} for line in found if len(line) == 3 and line[1].isdigit()]


def lines(found: "list[Layer]") -> list[str]:
    """A table: name, kind, size, whether it is stacked, digest or the day on which it was begun."""
    rows = [["layer", "kind", "size", "stacked", "sha256"]]
    for one in found:
        rows.append([one["name"], one["kind"], table.size(one["size_bytes"]), "yes" if one["stacked"] else "no",
                     f"begun {one['started']}" if one["started"] else one["sha256"][:16]])
    return table.columns(rows, right=(2,))


VERB = Verb("module", "list | develop NAME | diff [MODULE.INI] | publish MODULE.INI", "lists the layers that this machine is stacked from and the modules in work; "
            "starts the machine again to develop one, in which start you are root (su); there: what that module holds and why, and its archive for make image",
            (sure.YES, OVER_THIS_BASE, OUT, JSON), run, ("list", "develop", *MADE))
