"""The projects that this machine's owner refuses, as they are kept: a file in the home's state with a name a line, which outlives restarts.

A file that is no good may have lost a name. No job begins then, until the owner refuses or accepts a project: that makes it anew, of what can be read and this.

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
    """The names that can be read, in their order."""
    return _found()[0]


def load() -> list[str]:
    """The names, in their order; WowError if the file is no good."""
    found, wrong = _found()
    if wrong:
        raise WowError(f"{wrong}, so a project may be refused that it does not name, and no job begins here",
                       "Refuse again what is missing, or accept a project: that makes it anew", FILE, code="refused-unreadable")
    return found


def _found() -> tuple[list[str], str]:
    """The names that can be read, in their order, and what is wrong with the file, empty if nothing is."""
    try:
        with open(FILE, encoding="utf-8", errors="replace") as file:
            *lines, rest = file.read(LARGEST).split("\n")
    except FileNotFoundError:
        return [], ""
    except OSError as error:
        return [], f"cannot be read ({error.strerror})"
    found = sorted({line for line in lines if is_name(line)})[:MOST]
    return found, "" if len(found) == len(lines) and not rest else "is not as this program writes it"


def is_name(text: str) -> bool:
    """Whether a project may be shown so."""
    return 0 < len(text) <= names.LONGEST and text == text.strip() and not set(text) - names.LETTERS - {"?"}


def change(name: str, is_refused: bool) -> None:
    """Adds a project or takes one away. WowError where that is none, or one too many; OSError where it cannot be kept."""
    if not is_name(name):
        raise WowError("this is not the name of a project",
                       f"Write it as the page shows it: {names.LONGEST} letters, digits, blanks and . @ _ + - at most", code=allowed.BAD_REQUEST)
    kept, wrong = _found()
    if not wrong and is_refused == (name in kept):
        return
    if is_refused and len({*kept, name}) > MOST:
        raise WowError(f"{MOST} projects are refused already", "Accept one of them first, or pause the machine", code=allowed.NOT_HERE)
    found = sorted({*kept, name}) if is_refused else [one for one in kept if one != name]
    os.makedirs(os.path.dirname(FILE), exist_ok=True)
    files.write(FILE, "".join(f"{one}\n" for one in found), sync=True)
