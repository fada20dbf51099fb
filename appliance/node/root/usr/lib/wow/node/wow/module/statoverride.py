"""Owners and modes that a module's files have in the guest, in the words of Debian's dpkg-statoverride(1): user, group, mode, path.

    [statoverride]
    /var/lib/surge = condor condor 0750
"""

import posixpath
import re
from typing import NamedTuple

from wow.lib.errors import WowError

FORM = "write `/PATH = USER GROUP MODE`, for example `/var/lib/surge = condor condor 0750`"
SET_USER, SET_GROUP = 0o4000, 0o2000


class RecipeError(WowError):
    """What is wrong with a recipe: file, key, and what to do, in one text."""

    def __init__(self, text: str) -> None:
        super().__init__(text, "")


class Entry(NamedTuple):
    """One line. The path is without its first slash."""
    path: str
    user: str
    group: str
    mode: int


def path_of(word: str, where: str) -> str:
    """A path as the guest has it, without its first slash. RecipeError if it is none."""
    if not word.startswith("/") or word == "/" or posixpath.normpath(word) != word:
        raise RecipeError(f"{where}: {word}: write the path as the guest has it, like /etc/surge.conf, without . and .. and a slash at its end")
    return word[1:]


def read(lines: dict[str, str], where: str) -> list[Entry]:
    """The entries of {path: "USER GROUP MODE"}."""
    entries = []
    for key, value in lines.items():
        path, words = path_of(key, where), value.split()
        if len(words) != 3:
            raise RecipeError(f"{where} {key} = {value}: {len(words)} words instead of three; {FORM}")
        user, group, mode = words
        if not re.fullmatch("[0-7]{3,4}", mode):
            raise RecipeError(f"{where} {key} = {value}: {mode} is no mode; use three or four digits from 0 to 7, as for chmod")
        entries.append(Entry(path, user, group, int(mode, 8)))
    return entries


def numbers(text: str) -> dict[str, int]:
    """{name: number} of /etc/passwd or /etc/group."""
    rows = [line.split(":") for line in text.splitlines() if line.count(":") >= 2]
    return {row[0]: int(row[2]) for row in rows}


def pseudo(entries: list[Entry], held: dict[str, str], overrides: list[str], users: dict[str, int], groups: dict[str, int], where: str) -> str:
    """The lines by which mksquashfs sets them (`-pf`, kind m). held: what the module has, {path: kind}; overrides: paths for which the recipe says so;
    users, groups: the base's, by name."""
    lines = []
    for path, user, group, mode in entries:
        kind, here = held.get(path), f"{where} [statoverride] /{path}"
        if kind not in ("-", "d"):
            raise RecipeError(f"{here}: " + ("is a link, which has no owner and mode of its own; name what it points to" if kind else
                                             "the module's root/ has no such file or folder; put it there, or take the line off"))
        for name, known, what, list_ in ((user, users, "user", "passwd"), (group, groups, "group", "group")):
            if name not in known:
                raise RecipeError(f"{here}: the base has no {what} {name}; take one of its /etc/{list_}: {', '.join(known)}")
        gains = "set-uid" if mode & SET_USER else "set-gid" if mode & SET_GROUP and kind == "-" else None
        if gains and path not in overrides:
            raise RecipeError(f"{here}: {mode:04o} makes it {gains}: whoever runs it, jobs too, has {user if gains == 'set-uid' else group}'s rights. Take another "
                              f"mode; or, if that is meant, add /{path} to `override` of [module]")
        lines.append(f'"{path}" m {mode:o} {users[user]} {groups[group]}\n')
    return "".join(lines)
