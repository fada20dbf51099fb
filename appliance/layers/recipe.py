"""A module's recipe: module.ini and root/, and what it may say."""

import fnmatch
import pathlib
import re
import sys

import statoverride
from statoverride import RecipeError

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "node/root/usr/lib/wow/node"))

from wow.lib import ini  # noqa: E402
from wow.lib.errors import WowError  # noqa: E402

KEYS = {"name": True, "version": True, "description": True, "licence": True, "executable": False, "override": False}
SECTIONS = ("module", "statoverride")
# A module adds files of its own; these belong to the base, to one machine, or to one boot.
FORBIDDEN = ["boot", "dev", "proc", "sys", "run", "tmp", "home", "root", "var/lib/wow", "var/log", "var/cache", "var/tmp", "usr/lib/modules",
             "etc/passwd", "etc/group", "etc/shadow", "etc/gshadow", "etc/machine-id", "etc/hostname", "etc/ssh/ssh_host_*",
             "var/lib/dpkg", "bin", "sbin", "lib", "lib64"]


def read(folder):
    """The checked [module] section of a recipe as a dict, in which `override` is a list of paths and `statoverride` one of statoverride.Entry."""
    file = folder / "module.ini"
    if not file.is_file():
        raise RecipeError(f"{file}: no such file; a module is a folder with module.ini and root/ (see modules/tutorial)")
    try:
        sections = ini.parse(file.read_bytes(), str(file))
    except WowError as error:
        raise RecipeError(str(error)) from error
    for section in sections:
        if section not in SECTIONS:
            raise RecipeError(f"{file}: unknown section [{section}]; there are [{'] and ['.join(SECTIONS)}]")
    values = {key: value for key, (value, _) in sections.get("module", {}).items()}
    for key in values:
        if key not in KEYS:
            raise RecipeError(f"{file}: unknown key {key}; known are {', '.join(KEYS)}")
    for key, required in KEYS.items():
        if required and not values.get(key):
            raise RecipeError(f"{file}: {key} is missing; add `{key} = ...` to [module]")
    if not re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?", values["name"]):
        raise RecipeError(f"{file}: name = {values['name']}: use 1 to 32 of a-z, 0-9 and hyphens, as in a host name")
    if values["name"] in ("base", "node"):
        raise RecipeError(f"{file}: name = {values['name']}: this is the name of a layer that every image has; take another")
    if not re.fullmatch(r"[0-9A-Za-z][0-9A-Za-z.+~-]*", values["version"]):
        raise RecipeError(f"{file}: version = {values['version']}: use digits, letters, and . + ~ -, for example 1.0")
    values["override"] = [statoverride.path_of(word, f"{file}: override") for word in values.get("override", "").split()]
    values["statoverride"] = statoverride.read({key: value for key, (value, _) in sections.get("statoverride", {}).items()}, f"{file}: [statoverride]")
    return values


def check_files(folder):
    """The files of root/, sorted; refuses what a module may not hold."""
    root = folder / "root"
    entries = sorted(root.rglob("*"))
    files = [path for path in entries if path.is_symlink() or not path.is_dir()]
    if not files:
        raise RecipeError(f"{root}: no files; put there what the module adds, at the places where it will stand")
    for path in entries:
        if re.search(r'["\\\x00-\x1f\x7f]', path.relative_to(root).as_posix()):
            raise RecipeError(f"{str(path)!r}: a quotation mark, a backslash or a control character in a name; rename it")
    for path in files:
        name = path.relative_to(root).as_posix()
        if not (path.is_file() or path.is_symlink()):
            raise RecipeError(f"{path}: neither a file nor a link; a module holds nothing else")
        for pattern in FORBIDDEN:
            if fnmatch.fnmatch(name, pattern) or name.startswith(pattern + "/"):
                raise RecipeError(f"{path}: a module may not hold /{pattern}; put its files under /usr/share, /usr/lib, /opt or /etc")
    return files


def held(root):
    """{path: kind as `ls -l` writes it} of what stands in root/."""
    return {path.relative_to(root).as_posix(): "l" if path.is_symlink() else "d" if path.is_dir() else "-" for path in root.rglob("*")}
