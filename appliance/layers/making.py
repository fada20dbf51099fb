"""What a recipe with packages becomes: they are installed over base and node in a root of its own, as in a machine in develop mode, and what came of it is
published as `wow module publish` does there. Needs root (mounts, chroot)."""

import contextlib
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "node/root/usr/lib/wow/node"))

import listing  # noqa: E402
import locking  # noqa: E402
import recipe as recipes  # noqa: E402
import roots  # noqa: E402
from listing import LayerError  # noqa: E402

from wow.config import users  # noqa: E402
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
AGAIN = ("--reinstall",)
"""A package of the base that a recipe names is unpacked again: so the module has what the base leaves out of it."""
PROGRAMS = ("build", "hook", "check")
UPGRADE = re.compile(r"^Inst (\S+) \[([^\]]+)\] \((\S+)", re.MULTILINE)
"""apt-get(8), --simulate: Inst NAME [VERSION THAT IS HERE] (VERSION THAT COMES ..."""
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
        occupy(self.path)

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


def occupy(path):
    """Puts the accounts that each machine makes of its own into a root's tables, so that no package takes their numbers. What is published has none of them
    (wow.module.accounts)."""
    passwd, group, shadow = (roots.within(path, f"etc/{name}") for name in ("passwd", "group", "shadow"))
    texts = [one.read_text(encoding="utf-8") for one in (passwd, group, shadow)]
    texts[0], texts[2] = users.own(texts[0], texts[2])
    for file, text in zip((passwd, group, shadow), users.add(*texts, {})):
        file.write_text(text, encoding="utf-8")


@contextlib.contextmanager
def opened(layers):
    """A root over these layers, for a while."""
    with tempfile.TemporaryDirectory(prefix="wow-recipe-") as scratch, Root(layers, scratch, publish.MOST_BYTES * 2, moves=True) as root:
        yield root


def keep_base(root, names):
    """LayerError where apt would upgrade what the base has: a module that holds it would hide the base's next update."""
    said = root.inside(*APT, *AGAIN, "--simulate", "install", *names, what=f"apt-get install {' '.join(names)}")
    found = [f"{name} {before} by {after}" for name, before, after in UPGRADE.findall(said) if before != after]
    if found:
        raise LayerError(f"packages = {' '.join(names)}: apt would replace packages of the base, which no module may: {', '.join(found)}. Debian has newer ones than "
                         "this base. Take them into the base, and then make the module: WOW_FRESH=1 make image")


def install(root, names, made, is_module=False):
    """Has apt install packages from the recipe's own archive, without a network: what comes of it depends on nothing that may be gone tomorrow.
    made: locking.Packages; is_module: what is installed comes into the module, so the base stays as it is."""
    if not names:
        return
    made.see(root)
    root.over(f"etc/apt/{SOURCES}", locking.SOURCE)
    root.over(f"etc/dpkg/{UNPACKED}", (root.path / DEVELOP / "dpkg" / UNPACKED).read_text(encoding="utf-8"))
    root.no_start()
    root.inside(*APT, "update", what="apt-get update")
    if is_module:
        keep_base(root, names)
    root.inside(*APT, *AGAIN, "install", *names, what=f"apt-get install {' '.join(names)}")
    root.may_start()


def chosen(layers, recipe, sources, cache):
    """The lock of what there is now for the recipe's packages: apt chooses them for a machine with these layers. sources: text, and {archive: address}."""
    text, sites = sources
    with opened(layers) as root:
        root.over(f"etc/apt/{SOURCES}", text)
        root.over("etc/resolv.conf", pathlib.Path("/etc/resolv.conf").read_text(encoding="utf-8"))
        lists = cache / "lists"
        (lists / "partial").mkdir(parents=True, exist_ok=True)
        root.bind("var/lib/apt/lists", lists)
        root.inside(*APT, "-o", "APT::Update::Error-Mode=any", "update", network=True, what="apt-get update")
        found = {}
        if recipe.packages:
            keep_base(root, recipe.packages)
        for names in (recipe.packages, recipe.build_packages):
            if names:
                found |= locking.record.chosen(root.inside, [*AGAIN, *names], sites)
        return locking.locked.Lock(locking.record.moments(lists) if sites else {}, found)


@contextlib.contextmanager
def packages(folder, recipe, layers, update):
    """The recipe's packages, fetched (locking.Packages); None for a recipe without. Its lock is left beside it once it is made."""
    if not recipe.packages and not recipe.build_packages:
        yield None
        return
    cache = pathlib.Path(os.environ.get("WOW_CACHE") or pathlib.Path.home() / ".cache/wow") / "module-apt"
    sources = functools.cache(lambda: sources_of(folder, layers[-1]))
    with locking.packages(folder, update, lambda: chosen(layers, recipe, sources(), cache), lambda: sources()[1], cache) as made:
        try:
            yield made
        except LayerError as error:
            if made.lock is made.former and "apt-get" in str(error):
                raise LayerError(f"{error}\n{folder / locking.FILE} says which packages there are, and is for another base or for other `packages`. --update records "
                                 "what there is now") from error
            raise
        if made.lock is not made.former:
            locking.keep(folder, made.lock)


def put(root, recipe, source, built=False):
    """The recipe's own files; built: those that `build` left, whose run bits count."""
    for path in sorted(source.rglob("*")) if source.is_dir() else ():
        name = path.relative_to(source).as_posix()
        # A link of a package leads to a place of the root, and not to this machine's.
        place = roots.within(root.path, path.relative_to(source).parent.as_posix()) / path.name
        is_folder = path.is_dir() and not path.is_symlink()
        if is_folder and roots.within(root.path, name).is_dir():
            continue
        if place.is_dir() and not place.is_symlink() or is_folder and os.path.lexists(place):
            raise LayerError(f"{path}: is {'a folder' if is_folder else 'none'} here, and {'none' if is_folder else 'a folder'} in the packages; call it something else")
        if is_folder:
            place.mkdir()
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


def built(folder, recipe, layers, made, out):
    """Runs `build` in a root of its own, which has the packages for that; what it leaves in its first argument is added to the files of root/."""
    if not (folder / "build").is_file():
        return
    with opened(layers) as root:
        install(root, recipe.build_packages, made)
        shown(root, "source", folder / "source")
        shown(root, "out", out)
        program(root, folder, "build", "/tmp/out", "/tmp/source")


def shown(root, name, place):
    """A folder of this machine stands in the root's /tmp, an empty one where it is none."""
    (root.path / "tmp" / name).mkdir()
    if place.is_dir():
        root.bind(f"tmp/{name}", place)


def make(folder, layers, about, out, update=False):
    """Writes the archive of the recipe in a folder, whole or not at all, and returns what locking.told says of its packages. From here on this process has mounts of
    its own.

    layers: base and node, bottom first; about: what abi.about says of the base; update: whether it takes newer packages than those of its lock.
    """
    recipe = recipes.read(folder)
    # A recipe of packages alone needs no files, so an empty root/ is as good as none.
    if any((folder / "root").rglob("*")):
        recipes.check_files(folder)
    if about.get("architecture", locking.record.ARCHITECTURE) != locking.record.ARCHITECTURE:
        raise LayerError(f"{folder}: a recipe with packages or programs is made for {locking.record.ARCHITECTURE} alone, and this base is for {about['architecture']}. "
                         "Leave it out of that stack")
    if os.geteuid():
        raise LayerError(f"{folder}: its packages and programs need a root of their own, which only root may make; run it with sudo")
    roots.alone()
    with packages(folder, recipe, layers, update) as made, tempfile.TemporaryDirectory(prefix="wow-built-") as own, opened(layers) as root:
        built(folder, recipe, layers, made, pathlib.Path(own))
        install(root, recipe.packages, made, is_module=True)
        put(root, recipe, folder / "root")
        put(root, recipe, pathlib.Path(own), built=True)
        give(root, recipe)
        shown(root, "source", folder / "source")
        program(root, folder, "hook", "/tmp/source")
        program(root, folder, "check", user=NOBODY)
        plain = recipe._replace(executable=[], statoverride=[], packages=[], build_packages=[])
        with publish.opened(str(root.upper), root.lowers, recipe.override, recipe.name) as upper:
            publish.write(upper, plain, about, str(out))
    return locking.told(folder, made) if made else []


def sources_of(folder, node):
    """apt's sources of a recipe, and {archive: address} of Debian's among them: the recipe's own, or those of develop mode at the mirrors that this
    machine uses. node: the node's layer."""
    if (folder / "apt.sources").is_file():
        return (folder / "apt.sources").read_text(encoding="utf-8"), {}
    said = listing.text(node, f"{DEVELOP}/apt/{SOURCES}")
    suite = re.search(r"^Suites: (\S+)", said, re.MULTILINE)[1]
    sites = {name: roots.run(HERE.parent / "base/mirror", suite, *more).strip() for name, more in zip(locking.locked.ARCHIVES, ((), ("security",)))}
    each = iter(sites.values())
    return re.sub("^URIs: .*$", lambda _: f"URIs: {next(each)}\nSigned-By: {KEYS}", said, flags=re.MULTILINE), sites
