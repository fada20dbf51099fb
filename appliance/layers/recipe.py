"""A module's recipe: module.ini and root/, and what it may say."""

import fnmatch
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "node/root/usr/lib/wow/node"))

from wow.module import places, publish, recipe  # noqa: E402
from wow.module.statoverride import RecipeError  # noqa: E402


BIN = ("bin", "sbin")
"""Folders that hold programs and nothing else (FHS 3.0)."""


def read(folder):
    """The checked module.ini of a recipe, as wow.module.recipe gives it."""
    return recipe.read(str(folder / "module.ini"))


def check_files(folder):
    """The files of root/, sorted; refuses what a module may not hold."""
    root = folder / "root"
    entries = sorted(root.rglob("*"))
    files = [path for path in entries if path.is_symlink() or not path.is_dir()]
    if not files:
        raise RecipeError(f"{root}: no files; put there what the module adds, at the places where it will stand")
    publish.bounded(len(entries), sum(path.lstat().st_size for path in files), str(root))
    for path in entries:
        if places.UNNAMABLE.search(path.relative_to(root).as_posix()):
            raise RecipeError(f"{str(path)!r}: a quotation mark, a backslash, a control character or no UTF-8 in a name; rename it")
        if path.is_symlink() and places.UNNAMABLE.search(str(path.readlink())):
            raise RecipeError(f"{path}: leads to {str(path.readlink())!r}, which has a quotation mark, a backslash, a control character or no UTF-8; change the link")
    for path in files:
        name = path.relative_to(root).as_posix()
        if not (path.is_file() or path.is_symlink()):
            raise RecipeError(f"{path}: neither a file nor a link; a module holds nothing else")
        for pattern in places.FORBIDDEN:
            if places.matches(name, pattern):
                raise RecipeError(f"{path}: a module may not hold /{pattern}; put its files under /usr/share, /usr/lib, /opt or /etc")
    return files


def mode(recipe, name, built=0):
    """A file's mode, 755 of a program: one that the recipe names, that lies in a folder bin or sbin, or that `build` left with a run bit (built: the mode that it
    left). Run bits of root/ do not count, for those of a checkout do not survive every way of copying it."""
    named = any(fnmatch.fnmatch(name, pattern) for pattern in recipe.executable)
    return 0o755 if named or pathlib.PurePath(name).parent.name in BIN or built & 0o111 else 0o644


def unnamed(folder, recipe):
    """Paths of root/ that have their run bit there, and are no programs in the module."""
    files = (path for path in sorted((folder / "root").rglob("*")) if path.is_file() and not path.is_symlink() and path.stat().st_mode & 0o111)
    return [name for path in files if mode(recipe, name := path.relative_to(folder / "root").as_posix()) != 0o755]


def held(root):
    """{path: kind as `ls -l` writes it} of what stands in root/."""
    return {path.relative_to(root).as_posix(): "l" if path.is_symlink() else "d" if path.is_dir() else "-" for path in root.rglob("*")}
