"""The steps of `compose`: mounts the stack with an upper layer in memory, joins the shared files, has Debian's own tools make anew what they make, looks
whether all is well, and packs what came of it."""

import contextlib
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
import elf  # noqa: E402
import gates  # noqa: E402
import listing  # noqa: E402
from listing import LayerError  # noqa: E402

from wow.lib import libc  # noqa: E402
from wow.module import alternatives, fragments, places, publish, tree  # noqa: E402

ROOM = "512m"
"""What the glue, and the triggers on their way, may fill."""
NODES = {"null": (1, 3), "zero": (1, 5), "full": (1, 7), "random": (1, 8), "urandom": (1, 9)}
ALONE = 0x00020000 | 0x04000000 | 0x08000000 | 0x40000000
"""Mounts, names, messages and network of its own (unshare(2))."""
CAPABILITIES = "-all,+chown,+dac_override,+fowner,+fsetid,+setgid,+setuid"
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive", "HOME": "/nonexistent",
               "SOURCE_DATE_EPOCH": str(publish.EPOCH)}
MANIFEST = f"{publish.HOME}/{gates.GLUE}/manifest.json"
POLICY = "usr/sbin/policy-rc.d"
NO_START = "#!/bin/sh\nexit 101\n"
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
    try:
        libc.call("unshare", ALONE)
    except OSError as error:
        raise LayerError(f"no mounts of its own: {error.strerror}; run it as root") from error
    with tempfile.TemporaryDirectory(prefix="wow-compose-") as scratch, mounted(layers, scratch) as (root, upper, lowers):
        library_check(layers, root)
        join(root, found)
        make_anew(root, found, layers)
        faults(root)
        run("umount", f"{root}/dev")
        with tree.joined(lowers) as lower:
            kept = {one.path: one.now for one in tree.changes([upper], root, lower) if is_glue(one)}
            manifest = manifest_of(layers, stack, kept, root)
            archive = pathlib.Path(scratch, "glue.tar")
            with tarfile.open(archive, "w", format=tarfile.PAX_FORMAT) as file:
                publish.fill(file, root, kept, {MANIFEST: manifest})
            with tarfile.open(archive, "r:") as source, tempfile.TemporaryDirectory() as place:
                archived.pack(source, archived.entries(source, archive), pathlib.Path(place), out)
    return manifest


@contextlib.contextmanager
def mounted(layers, scratch):
    """(the stack as a root with an upper layer in memory, that upper, the folders of the layers, top first)."""
    places_ = [f"{scratch}/{number}" for number in range(len(layers))]
    run("mount", "--make-rprivate", "/")
    done = []
    try:
        for one, place in zip(layers, places_):
            os.mkdir(place)
            run("mount", "-t", "squashfs", "-o", "ro,loop", one.file, place)
            done.append(place)
        os.mkdir(f"{scratch}/top")
        run("mount", "-t", "tmpfs", "-o", f"size={ROOM}", "top", f"{scratch}/top")
        done.append(f"{scratch}/top")
        for name in ("top/upper", "top/work", "root"):
            os.mkdir(f"{scratch}/{name}")
        lower = ":".join(map(str, reversed(range(len(layers)))))
        run("mount", "-t", "overlay", "-o", f"lowerdir={lower},upperdir=top/upper,workdir=top/work,redirect_dir=off,index=off,metacopy=off,xino=off", "wow", "root",
            cwd=scratch)
        done.append(f"{scratch}/root")
        run("mount", "-t", "tmpfs", "-o", "mode=755", "dev", f"{scratch}/root/dev")
        for name, (major, minor) in NODES.items():
            os.mknod(f"{scratch}/root/dev/{name}", 0o20666, os.makedev(major, minor))
            os.chmod(f"{scratch}/root/dev/{name}", 0o666)
        yield f"{scratch}/root", f"{scratch}/top/upper", list(reversed(places_))
    finally:
        for place in reversed(done):
            subprocess.run(["umount", "-R", place], check=False)


def run(*words, **options):
    """Runs a tool of this machine; LayerError says what it said."""
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False, **options)
    if done.returncode:
        raise LayerError(f"{' '.join(map(str, words[:6]))}: {(done.stderr or done.stdout).strip()[-300:]}; compose needs root, and a kernel with overlayfs")


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
    with open(f"{root}/{POLICY}", "w", encoding="ascii") as file:
        file.write(NO_START)
    os.chmod(f"{root}/{POLICY}", 0o755)


def make_anew(root, found, layers):
    """What follows from all layers together."""
    for one in found.values():
        for words in alternatives.commands(one["alternatives"], one["chosen"]):
            inside(root, *words)
    inside(root, "ldconfig")
    for name in touched(root, layers):
        inside(root, "dpkg-trigger", "--no-await", "--by-package=dpkg", name)
    inside(root, "dpkg", "--triggers-only", "--pending")
    os.unlink(f"{root}/{POLICY}")


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


def library_check(layers, root):
    """Refuses programs that ask for a library that no layer has."""
    there = {path.rpartition("/")[2] for one in layers for path in one.held}
    lacking = []
    for one in gates.modules(layers):
        for path, said in sorted(one.manifest.get("files", {}).items()):
            if "sha256" not in said or not os.path.isfile(f"{root}/{path}"):
                continue
            with open(f"{root}/{path}", "rb") as file:
                head = file.read(4)
                data = head + file.read() if head == elf.MAGIC[:4] else b""
            try:
                lacking += [f"/{path} of the module {one.name} needs {name}" for name in elf.needed(data) if name not in there]
            except elf.ElfError as error:
                raise LayerError(f"/{path} of the module {one.name}: {error}; {AGAIN}") from error
    if lacking:
        more = f" and {len(lacking) - 10} more" if len(lacking) > 10 else ""
        raise LayerError(f"libraries that no layer has: {'; '.join(lacking[:10])}{more}. Was a module made over another base, or beside another module? Then {AGAIN}")


def is_glue(change):
    """Whether a difference is the glue's: neither what was only looked at, nor what each machine or each boot has."""
    if change.kind == tree.SAME:
        return False
    held = places.held_back(change.path)
    if held and held[0] == places.REFUSE:
        raise LayerError(f"a trigger changed /{change.path}, which no layer may hold: {held[1]}")
    return held is None or held[0] == places.FRAGMENT or held[1] == places.MADE_ANEW


def manifest_of(layers, stack, kept, root):
    """What the glue says of itself. It may replace what it is made of."""
    return {"name": gates.GLUE, "version": stack[:12], "description": "What the modules of this stack share: packages, accounts, alternatives, caches",
            "licence": "Apache-2.0", "stack": stack, "layers": [one.name for one in layers], "base": gates.about(layers), "architecture": publish.ANY, "requires": [], "conflicts": [], "packages": {},
            "files": {path: publish.described(f"{root}/{path}") for path, now in sorted(kept.items()) if now is not None and not os.path.isdir(f"{root}/{path}")
                      or os.path.islink(f"{root}/{path}")},
            "deleted": sorted(path for path, now in kept.items() if now is None), "override": sorted(kept)}
