"""The projects that this machine's owner refuses, as they are kept: a file in the home's state with a name a line, which outlives restarts.

A name is a project's as this machine shows it (lib/names.py): a character that may hurt is a question mark there, and stands for any."""
import os

from wow.agent import allowed
from wow.lib import files, names, paths
from wow.lib.errors import WowError

FOLDER = f"{paths.STATE}/refused"
FILE = f"{FOLDER}/projects"
MOST = 32
"""Projects that are refused at a time: each is a condition of START."""
LARGEST = 4096


def read() -> list[str]:
    """The names, in their order. What is no name is left out, and so is all where the file cannot be read."""
    try:
        with open(FILE, encoding="utf-8", errors="replace") as file:
            lines = file.read(LARGEST).splitlines()
    except OSError:
        return []
    return sorted({line for line in lines if is_name(line)})[:MOST]


def is_name(text: str) -> bool:
    """Whether a project may be shown so."""
    return 0 < len(text) <= names.LONGEST and text == text.strip() and not set(text) - names.LETTERS - {"?"}


def change(name: str, is_refused: bool) -> None:
    """Adds a project or takes one away. WowError where that is none, or one too many; OSError where it cannot be kept."""
    if not is_name(name):
        raise WowError("this is not the name of a project",
                       f"Write it as the page shows it: {names.LONGEST} letters, digits, blanks and . @ _ + - at most", code=allowed.BAD_REQUEST)
    kept = read()
    if is_refused == (name in kept):
        return
    if is_refused and len(kept) >= MOST:
        raise WowError(f"{MOST} projects are refused already", "Accept one of them first, or pause the machine", code=allowed.NOT_HERE)
    found = sorted([*kept, name]) if is_refused else [one for one in kept if one != name]
    os.makedirs(os.path.dirname(FILE), exist_ok=True)
    files.write(FILE, "".join(f"{one}\n" for one in found), sync=True)
