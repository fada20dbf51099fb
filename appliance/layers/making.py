"""What a recipe with packages becomes: they are installed over base and node in a root of its own, as in a machine in develop mode, and what came of it is
published as `wow module publish` does there. Needs root (mounts, chroot)."""

import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "node/root/usr/lib/wow/node"))

import recipe as recipes  # noqa: E402
import roots  # noqa: E402
from listing import LayerError  # noqa: E402

from wow.module import publish  # noqa: E402

ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive", "HOME": "/root",
               "SOURCE_DATE_EPOCH": str(publish.EPOCH)}
APART = ("tmp", "var/tmp", "var/log", "root", "var/cache/apt", "var/lib/apt/lists", "run")
"""Folders of the root that are no part of a module: as the initrd has them in develop mode."""
DEVELOP = "usr/lib/wow/develop"
"""What the node's layer has for develop mode."""
SOURCES, UNPACKED = "sources.list.d/wow.sources", "dpkg.cfg.d/wow"
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
APT = ("apt-get", "--quiet=2", "--yes", "--no-install-recommends", "-o", "APT::Sandbox::User=root", "-o", "Dpkg::Use-Pty=0")
PROGRAMS = ("build", "hook", "check")
NOBODY = 65534
SHOWN = 1500


class Root(roots.Root):
    """A root as a machine in develop mode has it: some of its folders are no part of what was written."""

    def _stack(self):
        super()._stack()
        (self.path / "dev/shm").mkdir()
        (self.path / "dev/shm").chmod(0o1777)
        (self.scratch / "apart").mkdir()
        for number, name in enumerate(APART):
            own = self.scratch / "apart" / str(number)
            roots.run("cp", "--archive", self.path / name, own)
            self.bind(name, own)

    def bind(self, path, place):
        """A place of this machine stands in the root, for as long as that does."""
        roots.run("mount", "--bind", place, self.path / path)

    def over(self, path, text):
        """A file of the root is another one until the end, and the module has nothing of it."""
        place = self.scratch / "apart" / path.replace("/", "-")
        place.write_text(text, encoding="utf-8")
        self.bind(path, place)

    def inside(self, *words, network=False, user=0, what=""):
        """Runs a program in the root, with processes of its own and, unless it is apt that fetches, without a network. LayerError says what it said."""
        command = ["unshare", "--pid", "--fork", "--kill-child", "--ipc", "--uts", f"--mount-proc={self.path}/proc", *([] if network else ["--net"]),
                   "chroot", f"--userspec={user}:{user}", str(self.path), *words]
        environment = {**ENVIRONMENT, "HOME": "/tmp"} if user else ENVIRONMENT
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, env=environment, stdin=subprocess.DEVNULL)
        if done.returncode:
            said = (done.stdout + done.stderr).strip()[-SHOWN:]
            raise LayerError(f"{what or ' '.join(words)} ended with {done.returncode}:\n{said}")
        return done.stdout


@contextlib.contextmanager
def opened(layers):
    """A root over these layers, for a while."""
    with tempfile.TemporaryDirectory(prefix="wow-recipe-") as scratch, Root(layers, scratch, publish.MOST_BYTES * 2, moves=True) as root:
        yield root


def install(root, packages, sources, cache):
    """Has apt fetch packages, and install them without a network: a package's scripts then depend on nothing that may be gone tomorrow."""
    if not packages:
        return
    root.over(f"etc/apt/{SOURCES}", sources)
    root.over(f"etc/dpkg/{UNPACKED}", (root.path / DEVELOP / "dpkg" / UNPACKED).read_text(encoding="utf-8"))
    root.over("etc/resolv.conf", pathlib.Path("/etc/resolv.conf").read_text(encoding="utf-8"))
    for name, place in (("archives", "var/cache/apt/archives"), ("lists", "var/lib/apt/lists")):
        (cache / name / "partial").mkdir(parents=True, exist_ok=True)
        root.bind(place, cache / name)
    policy = root.no_start()
    root.inside(*APT, "update", network=True, what="apt-get update")
    what = f"apt-get install {' '.join(packages)}"
    root.inside(*APT, "--download-only", "install", *packages, network=True, what=what)
    root.inside(*APT, "--no-download", "install", *packages, what=what)
    policy.unlink()


def put(root, recipe, source, built=False):
    """The recipe's own files; built: those that `build` left, whose run bits count."""
    for path in sorted(source.rglob("*")) if source.is_dir() else ():
        name = path.relative_to(source).as_posix()
        place = root.path / name
        if path.is_dir() and not path.is_symlink():
            place.mkdir(exist_ok=True)
            continue
        with contextlib.suppress(FileNotFoundError):
            place.unlink()
        shutil.copyfile(path, place, follow_symlinks=False)
        if not path.is_symlink():
            place.chmod(recipes.mode(recipe, name, path.stat().st_mode if built else 0))


def give(root, recipe):
    """Owners and modes other than root's, as [statoverride] says them."""
    for path, user, group, mode in recipe.statoverride:
        root.inside("chown", f"{user}:{group}", f"/{path}", what=f"[statoverride] /{path}")
        root.inside("chmod", f"{mode:04o}", f"/{path}", what=f"[statoverride] /{path}")


def program(root, folder, name, *words, user=0):
    """Runs one of the recipe's programs in the root, where it has one."""
    if not (folder / name).is_file():
        return
    place = root.path / "tmp" / name
    shutil.copyfile(folder / name, place)
    place.chmod(0o755)
    root.inside(f"/tmp/{name}", *words, user=user, what=f"{folder / name}")
    place.unlink()


def built(folder, recipe, layers, sources, cache, out):
    """Runs `build` in a root of its own, which has the packages for that; what it leaves in its first argument is added to the files of root/."""
    if not (folder / "build").is_file():
        return
    with opened(layers) as root:
        install(root, recipe.build_packages, sources, cache)
        for name, place in (("source", folder / "source"), ("out", out)):
            (root.path / "tmp" / name).mkdir()
            if place.is_dir():
                root.bind(f"tmp/{name}", place)
        program(root, folder, "build", "/tmp/out", "/tmp/source")


def make(folder, layers, about, out):
    """Writes the archive of the recipe in a folder, whole or not at all, and returns its manifest. From here on this process has mounts of its own.

    layers: base and node, bottom first; about: what abi.about says of the base.
    """
    recipe = recipes.read(folder)
    # A recipe of packages alone needs no files, so an empty root/ is as good as none.
    if any((folder / "root").rglob("*")):
        recipes.check_files(folder)
    if os.geteuid():
        raise LayerError(f"{folder}: its packages and programs need a root of their own, which only root may make; run it with sudo")
    roots.alone()
    cache = pathlib.Path(os.environ.get("WOW_CACHE") or pathlib.Path.home() / ".cache/wow") / "module-apt"
    with tempfile.TemporaryDirectory(prefix="wow-built-") as own, opened(layers) as root:
        sources = sources_of(folder, root) if recipe.packages or recipe.build_packages else ""
        built(folder, recipe, layers, sources, cache, pathlib.Path(own))
        install(root, recipe.packages, sources, cache)
        put(root, recipe, folder / "root")
        put(root, recipe, pathlib.Path(own), built=True)
        give(root, recipe)
        program(root, folder, "hook")
        program(root, folder, "check", user=NOBODY)
        plain = recipe._replace(executable=[], statoverride=[], packages=[], build_packages=[])
        with publish.opened(str(root.upper), root.lowers, recipe.override, recipe.name) as upper:
            return publish.write(upper, plain, about, str(out))


def sources_of(folder, root):
    """apt's sources of a recipe: its own, or those of develop mode at the mirrors that this machine uses."""
    if (folder / "apt.sources").is_file():
        return (folder / "apt.sources").read_text(encoding="utf-8")
    said = (root.path / DEVELOP / "apt" / SOURCES).read_text(encoding="utf-8")
    suite = re.search(r"^Suites: (\S+)", said, re.MULTILINE)[1]
    sites = iter(roots.run(HERE.parent / "base/mirror", suite, *more).strip() for more in ((), ("security",)))
    return re.sub("^URIs: .*$", lambda _: f"URIs: {next(sites)}\nSigned-By: {KEYS}", said, flags=re.MULTILINE)
