"""The steps of `compose`: mounts the stack with an upper layer in memory, joins the shared files, has Debian's own tools make anew what they make, looks
whether all is well, and packs what came of it."""

import concurrent.futures
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
import choosing  # noqa: E402
import gates  # noqa: E402
import listing  # noqa: E402
import roots  # noqa: E402
import settling  # noqa: E402
from listing import LayerError  # noqa: E402

from wow.lib.errors import WowError  # noqa: E402
from wow.module import alternatives, fragments, places, publish, tree  # noqa: E402

ROOM = "512m"
"""What the glue, and the triggers on their way, may fill."""
ALONE = 0x00020000 | 0x04000000 | 0x08000000 | 0x40000000
"""Mounts, names, messages and network of its own (unshare(2))."""
CAPABILITIES = "-all,+chown,+dac_override,+fowner,+fsetid,+setgid,+setuid"
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive", "HOME": "/nonexistent",
               "SOURCE_DATE_EPOCH": str(publish.EPOCH)}
MANIFEST = f"{publish.HOME}/{gates.GLUE}/manifest.json"
MOST_AT_ONCE = 4
"""Parts of the glue that are made at once, on as many processors: each has room of its own in memory."""
MADE, NOTHING = "made", "nothing"
AGAIN = "install the module's packages on a machine in develop mode over this base, and publish it anew"


def is_of(file, stack, asked):
    """Whether a glue is there, of that stack, and with these choices asked for."""
    try:
        said = json.loads(listing.text(file, MANIFEST)) if file.is_file() else {}
    except (LayerError, ValueError):
        return False
    return said.get("stack") == stack and said.get("asked") == asked


def compose(layers, asked, out):
    """Writes the glue, whole or not at all; returns its manifest, the rows of its index, and sentences on choices that have no tree. asked: choices that somebody
    wants, lists of names. From here on this process has mounts and a network of its own, so that what a package's script does reaches neither the machine's."""
    roots.alone(ALONE)
    names = [one.name for one in gates.modules(layers)]
    rows, notes = [], []
    with tempfile.TemporaryDirectory(prefix="wow-compose-") as scratch:
        place = pathlib.Path(scratch)
        archive, chosen = place / "glue.tar", choosing.choices(names, asked)
        parts = [place / f"{number}.tar" for number in range(1, len(chosen) + 1)]
        # Each is mostly programs that are waited for.
        with concurrent.futures.ThreadPoolExecutor(min(MOST_AT_ONCE, len(os.sched_getaffinity(0)))) as pool:
            whole = pool.submit(written, archive, layers, asked)
            others = [pool.submit(part_of, part, choosing.of(layers, some)) for part, some in zip(parts, chosen)]
            try:
                manifest = whole.result()
                fates = [one.result() for one in others]
            finally:
                pool.shutdown(cancel_futures=True)
        with tarfile.open(archive, "a", format=tarfile.PAX_FORMAT) as file:
            choosing.folder(file, choosing.FOLDER, 0o700)
            for number, (some, part, fate) in enumerate(zip(chosen, parts, fates), 1):
                if fate == MADE:
                    choosing.plant(file, part, number)
                    part.unlink()
                    rows.append((number, some))
                elif fate == NOTHING:
                    rows.append((choosing.NONE, some))
                else:
                    notes.append(f"{', '.join(some)} alone do not go: {fate}")
            choosing.index(file, rows)
        if (left := choosing.count(names) - len(rows) - len(notes)) > 0:
            notes.append(f"{left} other choices of fewer modules have no glue of their own. Name one that a pool makes: --choice 'NAME NAME'")
        with tarfile.open(archive, "r:") as source:
            archived.pack(source, archived.entries(source, archive), place, out)
    return manifest, rows, notes


def part_of(archive, layers):
    """Writes the glue of a choice into an archive of its own. MADE; NOTHING where these modules need none; else a sentence that says why they do not go."""
    try:
        if wrong := gates.apart(layers):
            return wrong[0]
        if not gates.joined(layers):
            return NOTHING
        written(archive, layers)
    except (LayerError, WowError) as error:
        return str(error)
    return MADE


def written(archive, layers, asked=()):
    """Makes the glue of these layers and writes it as an archive; its manifest."""
    with tarfile.open(archive, "w", format=tarfile.PAX_FORMAT) as file:
        return fill(file, layers, archive.with_suffix(""), asked)


def fill(archive, layers, scratch, asked=()):
    """Makes the glue of these layers, writes it into an archive, and returns its manifest."""
    scratch.mkdir()
    with roots.Root([one.file for one in layers], scratch, ROOM, moves=False) as stacked:
        root, found = str(stacked.path), gates.parts(layers)
        moved = settling.settle(stacked, layers)
        stacked.no_start()
        join(root, found)
        make_anew(root, found, layers)
        stacked.may_start()
        faults(root)
        roots.run("umount", f"{root}/dev")
        with tree.joined(stacked.lowers) as lower:
            kept = {one.path: one.now for one in tree.changes([str(stacked.upper)], root, lower) if is_glue(one)}
            manifest = manifest_of(layers, kept, root, moved, asked)
            publish.fill(archive, root, kept, {MANIFEST: manifest})
    return manifest


def inside(root, *words):
    """Runs a tool of the stack, in it; LayerError says what it said. It may write files, whoever they belong to, and nothing else: a module's scripts run here."""
    done = subprocess.run(["chroot", root, "setpriv", "--bounding-set", CAPABILITIES, "--inh-caps", CAPABILITIES, "--no-new-privs", *words],
                          capture_output=True, text=True, check=False, env=ENVIRONMENT, stdin=subprocess.DEVNULL)
    said = (done.stdout + done.stderr).strip()
    if done.returncode:
        room = f"; the glue may have {ROOM} of memory" if "No space left" in said else f"; {AGAIN}"
        raise LayerError(f"in the stack, {' '.join(words)[:160]} ended with {done.returncode}: {said[-400:]}{room}")
    return said


def join(root, found):
    """Writes the shared files with every module's part. Owners and modes are those of the base. LayerError where a module has a link on the way to one: this machine's
    own files would be read and written by it."""
    for path in fragments.shared(found):
        if roots.within(root, path) != pathlib.Path(root, path):
            raise LayerError(f"/{path}: a module has a link in its place, or on the way to it, and the stack's modules write there. Take that module out")
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


def manifest_of(layers, kept, root, moved, asked):
    """What the glue says of itself. It may replace what it is made of. moved: {module: paths of its files that stand here as another base wants them}."""
    stack = gates.key(layers)
    return {"name": gates.GLUE, "version": stack[:12], "description": "What the modules of this stack share: packages, accounts, alternatives, caches",
            "licence": "Apache-2.0", "stack": stack, "asked": asked, "layers": [one.name for one in layers], "base": gates.about(layers),
            "architecture": publish.ANY, "requires": [], "conflicts": [], "packages": {},
            "files": {path: publish.described(f"{root}/{path}") for path, now in sorted(kept.items()) if now is not None and not os.path.isdir(f"{root}/{path}")
                      or os.path.islink(f"{root}/{path}")},
            "deleted": sorted(path for path, now in kept.items() if now is None), "override": sorted(kept), "moved": moved}
