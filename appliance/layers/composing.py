"""The steps of `compose`: mounts the stack with an upper layer in memory, joins the shared files, has Debian's own tools make anew what they make, looks
whether all is well, and packs what came of it."""

import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "node/root/usr/lib/wow/node"))

import archived  # noqa: E402
import gates  # noqa: E402
import listing  # noqa: E402
import roots  # noqa: E402
import settling  # noqa: E402
from listing import LayerError  # noqa: E402

from wow.module import alternatives, fragments, places, publish, tree  # noqa: E402

ROOM = "512m"
"""What the glue, and the triggers on their way, may fill."""
ALONE = 0x00020000 | 0x04000000 | 0x08000000 | 0x40000000
"""Mounts, names, messages and network of its own (unshare(2))."""
CAPABILITIES = "-all,+chown,+dac_override,+fowner,+fsetid,+setgid,+setuid"
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive", "HOME": "/nonexistent",
               "SOURCE_DATE_EPOCH": str(publish.EPOCH)}
MANIFEST = f"{publish.HOME}/{gates.GLUE}/manifest.json"
AGAIN = "install the module's packages on a machine in develop mode over this base, and publish it anew"


def is_of(file, stack):
    """Whether a glue is there, and of that stack."""
    try:
        return file.is_file() and json.loads(listing.text(file, MANIFEST)).get("stack") == stack
    except (LayerError, ValueError):
        return False


def compose(layers, found, stack, out):
    """Writes the glue, whole or not at all, and returns its manifest. From here on this process has mounts and a network of its own, so that what a package's
    script does reaches neither the machine's."""
    roots.alone(ALONE)
    with tempfile.TemporaryDirectory(prefix="wow-compose-") as scratch, roots.Root([one.file for one in layers], scratch, ROOM, moves=False) as stacked:
        root = str(stacked.path)
        moved = settling.settle(stacked, layers)
        policy = stacked.no_start()
        join(root, found)
        make_anew(root, found, layers)
        policy.unlink()
        faults(root)
        roots.run("umount", f"{root}/dev")
        with tree.joined(stacked.lowers) as lower:
            kept = {one.path: one.now for one in tree.changes([str(stacked.upper)], root, lower) if is_glue(one)}
            manifest = manifest_of(layers, stack, kept, root, moved)
            archive = pathlib.Path(scratch, "glue.tar")
            with tarfile.open(archive, "w", format=tarfile.PAX_FORMAT) as file:
                publish.fill(file, root, kept, {MANIFEST: manifest})
            with tarfile.open(archive, "r:") as source, tempfile.TemporaryDirectory() as place:
                archived.pack(source, archived.entries(source, archive), pathlib.Path(place), out)
    return manifest


def inside(root, *words):
    """Runs a tool of the stack, in it; LayerError says what it said. It may write files, whoever they belong to, and nothing else: a module's scripts run here."""
    done = subprocess.run(["chroot", root, "setpriv", "--bounding-set", CAPABILITIES, "--inh-caps", CAPABILITIES, "--no-new-privs", *words], capture_output=True, text=True, check=False, env=ENVIRONMENT, stdin=subprocess.DEVNULL)
    said = (done.stdout + done.stderr).strip()
    if done.returncode:
        room = f"; the glue may have {ROOM} of memory" if "No space left" in said else f"; {AGAIN}"
        raise LayerError(f"in the stack, {' '.join(words)[:160]} ended with {done.returncode}: {said[-400:]}{room}")
    return said


def join(root, found):
    """Writes the shared files with every module's part. Owners and modes are those of the base."""
    for path, text in fragments.join(root, found).items():
        with open(f"{root}/{path}", "w", encoding="utf-8") as file:
            file.write(text)


def make_anew(root, found, layers):
    """What follows from all layers together."""
    for one in found.values():
        for words in alternatives.commands(one["alternatives"], one["chosen"]):
            inside(root, *words)
    inside(root, "ldconfig")
    for name in touched(root, layers):
        inside(root, "dpkg-trigger", "--no-await", "--by-package=dpkg", name)
    inside(root, "dpkg", "--triggers-only", "--pending")


def touched(root, layers):
    """The files' triggers that the modules' files set off: dpkg never unpacked these here."""
    watched = {line.split()[0] for line in fragments.text(root, f"{fragments.DPKG}/triggers/File").splitlines() if line.strip()}
    paths = {f"/{path}" for one in gates.modules(layers) for path in one.held}
    return sorted(place for place in watched if any(path == place or path.startswith(f"{place}/") for path in paths))


def faults(root):
    """Refuses what dpkg or apt find fault with."""
    if said := inside(root, "dpkg", "--audit"):
        raise LayerError(f"dpkg --audit finds fault with the stack: {said[-400:]}; {AGAIN}")
    inside(root, "apt-get", "--option", "Dir::Etc::SourceList=/dev/null", "--option", "Dir::Etc::SourceParts=/dev/null", "check")


def is_glue(change):
    """Whether a difference is the glue's: neither what was only looked at, nor what each machine or each boot has."""
    if change.kind == tree.SAME:
        return False
    if change.path.startswith(places.INFO):
        return True
    held = places.held_back(change.path)
    if held and held[0] == places.REFUSE:
        raise LayerError(f"a trigger changed /{change.path}, which no layer may hold: {held[1]}")
    return held is None or held[0] == places.FRAGMENT or held[1] == places.MADE_ANEW


def manifest_of(layers, stack, kept, root, moved):
    """What the glue says of itself. It may replace what it is made of. moved: {module: paths of its files that stand here as another base wants them}."""
    return {"name": gates.GLUE, "version": stack[:12], "description": "What the modules of this stack share: packages, accounts, alternatives, caches",
            "licence": "Apache-2.0", "stack": stack, "layers": [one.name for one in layers], "base": gates.about(layers), "architecture": publish.ANY, "requires": [], "conflicts": [], "packages": {},
            "files": {path: publish.described(f"{root}/{path}") for path, now in sorted(kept.items()) if now is not None and not os.path.isdir(f"{root}/{path}")
                      or os.path.islink(f"{root}/{path}")},
            "deleted": sorted(path for path, now in kept.items() if now is None), "override": sorted(kept), "moved": moved}
