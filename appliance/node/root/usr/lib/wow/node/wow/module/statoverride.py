"""Owners and modes that a module's files have in the guest, in the words of Debian's dpkg-statoverride(1): user, group, mode, path.

    [statoverride]
    /var/lib/surge = condor condor 0750
"""

import posixpath
import re
from typing import NamedTuple

from wow.lib.errors import WowError

FORM = "write `/PATH = USER GROUP MODE`, for example `/var/lib/surge = condor condor 0750`"


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
