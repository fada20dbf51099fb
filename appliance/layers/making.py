"""What a recipe with packages becomes: they are installed over base and node in a root of its own, as in a machine in develop mode, and what came of it is
published as `wow module publish` does there. Needs root (mounts, chroot)."""

import contextlib
import fnmatch
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "node/root/usr/lib/wow/node"))

import recipe as recipes  # noqa: E402
from listing import LayerError  # noqa: E402

from wow.lib import libc  # noqa: E402
from wow.module import publish  # noqa: E402

NODES = {"null": (1, 3), "zero": (1, 5), "full": (1, 7), "random": (1, 8), "urandom": (1, 9)}
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive", "HOME": "/root",
               "SOURCE_DATE_EPOCH": str(publish.EPOCH)}
APART = ("tmp", "var/tmp", "var/log", "root", "var/cache/apt", "var/lib/apt/lists", "run")
"""Folders of the root that are no part of a module: as the initrd has them in develop mode."""
POLICY = "usr/sbin/policy-rc.d"
NO_START = "#!/bin/sh\nexit 101\n"
APT = ("apt-get", "--quiet=2", "--yes", "--no-install-recommends", "-o", "APT::Sandbox::User=root", "-o", "Dpkg::Use-Pty=0")
PROGRAMS = ("build", "hook", "check")
MOUNTS = 0x00020000
"""CLONE_NEWNS (unshare(2))."""
NOBODY = 65534
SHOWN = 1500


class Root:
    """A stack with a writable layer above, whose end leaves nothing behind. layers: squashfs files, bottom first; `lowers` are their folders, top first."""

    def __init__(self, layers, scratch):
        self._scratch, self._mounted = pathlib.Path(scratch), []
        self.path, self.upper = self._scratch / "root", self._scratch / "top/upper"
        self.lowers = [str(self._scratch / str(number)) for number in reversed(range(len(layers)))]
        self._layers = layers

    def __enter__(self):
        try:
            self._mount()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for place in reversed(self._mounted):
            subprocess.run(["umount", "--recursive", place], check=False)
        self._mounted.clear()

    def mount(self, place, *words, **options):
        """Mounts something until the end."""
        run("mount", *words, place, **options)
        self._mounted.append(str(place))

    def _mount(self):
        for place, layer in zip(reversed(self.lowers), self._layers):
            os.mkdir(place)
            self.mount(place, "-t", "squashfs", "-o", "ro,loop", layer)
        for name in ("top", "root", "apart"):
            (self._scratch / name).mkdir()
        # In memory: not every file system may be the upper one of an overlay. What it holds goes to swap before memory is full.
        self.mount(self._scratch / "top", "-t", "tmpfs", "-o", f"size={publish.MOST_BYTES * 2}", "top")
        for name in ("upper", "work"):
            (self._scratch / "top" / name).mkdir()
        lower = ":".join(map(str, reversed(range(len(self._layers)))))
        self.mount(self.path, "-t", "overlay", "-o", f"lowerdir={lower},upperdir=top/upper,workdir=top/work,redirect_dir=on,index=off,metacopy=off,xino=off", "wow",
                   cwd=self._scratch)
        self.mount(self.path / "dev", "-t", "tmpfs", "-o", "mode=755", "dev")
        for name, (major, minor) in NODES.items():
            os.mknod(self.path / "dev" / name, 0o20666, os.makedev(major, minor))
            os.chmod(self.path / "dev" / name, 0o666)
        (self.path / "dev/shm").mkdir()
        (self.path / "dev/shm").chmod(0o1777)
        for number, name in enumerate(APART):
            own = self._scratch / "apart" / str(number)
            run("cp", "--archive", self.path / name, own)
            self.mount(self.path / name, "--bind", own)

    def over(self, path, text):
        """A file of the root is another one until the end, and the module has nothing of it."""
        place = self._scratch / "apart" / path.replace("/", "-")
        place.write_text(text, encoding="utf-8")
        self.mount(self.path / path, "--bind", place)

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


def run(*words, **options):
    """Runs a tool of this machine."""
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False, **options)
    if done.returncode:
        raise LayerError(f"{' '.join(map(str, words[:4]))}: {(done.stderr or done.stdout).strip()[-300:]}; it needs root, and a kernel with overlayfs")
    return done.stdout


@contextlib.contextmanager
def opened(layers):
    """A root over these layers, for a while."""
    with tempfile.TemporaryDirectory(prefix="wow-recipe-") as scratch, Root(layers, scratch) as root:
        yield root


def install(root, folder, packages, cache):
    """Has apt fetch packages, and install them without a network: a package's scripts then depend on nothing that may be gone tomorrow."""
    if not packages:
        return
    root.over("etc/apt/sources.list.d/wow.sources", sources_of(folder))
    root.over("etc/dpkg/dpkg.cfg.d/wow", (root.path / "usr/lib/wow/develop/dpkg/dpkg.cfg.d/wow").read_text(encoding="utf-8"))
    root.over("etc/resolv.conf", pathlib.Path("/etc/resolv.conf").read_text(encoding="utf-8"))
    for name, place in (("archives", "var/cache/apt/archives"), ("lists", "var/lib/apt/lists")):
        (cache / name / "partial").mkdir(parents=True, exist_ok=True)
        root.mount(root.path / place, "--bind", cache / name)
    policy = root.path / POLICY
    policy.write_text(NO_START, encoding="ascii")
    policy.chmod(0o755)
    root.inside(*APT, "update", network=True, what="apt-get update")
    what = f"apt-get install {' '.join(packages)}"
    root.inside(*APT, "--download-only", "install", *packages, network=True, what=what)
    root.inside(*APT, "--no-download", "install", *packages, what=what)
    policy.unlink()


def put(root, recipe, source):
    """The recipe's own files, with owners and modes as it says them."""
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
            place.chmod(0o755 if any(fnmatch.fnmatch(name, pattern) for pattern in recipe.executable) else 0o644)
    for path, user, group, mode in recipe.statoverride:
        root.inside("chown", f"{user}:{group}", f"/{path}", what=f"[statoverride] /{path}")
        root.inside("chmod", f"{mode:04o}", f"/{path}", what=f"[statoverride] /{path}")


def program(root, folder, name, *words, user=0):
    """Runs one of the recipe's programs in the root, where it has one."""
    if not (folder / name).is_file():
        return ""
    place = root.path / "tmp" / name
    shutil.copyfile(folder / name, place)
    place.chmod(0o755)
    said = root.inside(f"/tmp/{name}", *words, user=user, what=f"{folder / name}")
    place.unlink()
    return said


def built(folder, recipe, layers, cache, out):
    """Runs `build` in a root of its own, which has the packages for that; what it leaves in its first argument is added to the files of root/."""
    if not (folder / "build").is_file():
        return
    with opened(layers) as root:
        install(root, folder, recipe.build_packages, cache)
        for name, place in (("source", folder / "source"), ("out", out)):
            (root.path / "tmp" / name).mkdir()
            if place.is_dir():
                root.mount(root.path / "tmp" / name, "--bind", place)
        program(root, folder, "build", "/tmp/out", "/tmp/source")


def make(folder, layers, about, out):
    """Writes the archive of the recipe in a folder, whole or not at all, and returns its manifest. From here on this process has mounts of its own.

    layers: base and node, bottom first; about: what abi.about says of the base.
    """
    recipe = recipes.read(folder)
    if (folder / "root").is_dir():
        recipes.check_files(folder)
    if os.geteuid():
        raise LayerError(f"{folder}: its packages and programs need a root of their own, which only root may make; run it with sudo")
    libc.call("unshare", MOUNTS)
    run("mount", "--make-rprivate", "/")
    cache = pathlib.Path(os.environ.get("WOW_CACHE") or pathlib.Path.home() / ".cache/wow") / "module-apt"
    with tempfile.TemporaryDirectory(prefix="wow-built-") as own, opened(layers) as root:
        built(folder, recipe, layers, cache, pathlib.Path(own))
        install(root, folder, recipe.packages, cache)
        put(root, recipe, folder / "root")
        put(root, recipe, pathlib.Path(own))
        program(root, folder, "hook")
        program(root, folder, "check", user=NOBODY)
        plain = recipe._replace(executable=[], statoverride=[], packages=[], build_packages=[])
        with publish.opened(str(root.upper), root.lowers, recipe.override, recipe.name) as upper:
            return publish.write(upper, plain, about, str(out))


def sources_of(folder):
    """apt's sources of a recipe: its own, or those of the base."""
    if (folder / "apt.sources").is_file():
        return (folder / "apt.sources").read_text(encoding="utf-8")
    suite = "trixie"
    archive, security = (run(HERE.parent / "base/mirror", suite, *more).strip() for more in ((), ("security",)))
    key = "Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n"
    return (f"Types: deb\nURIs: {archive}\nSuites: {suite} {suite}-updates\nComponents: main\n{key}\n"
            f"Types: deb\nURIs: {security}\nSuites: {suite}-security\nComponents: main\n{key}")
