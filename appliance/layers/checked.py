"""Whether fragments that come from elsewhere are what `wow module publish` writes: they become lines of files that root's programs read."""
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "node/root/usr/lib/wow/node"))

from wow.module import accounts, dpkg  # noqa: E402
from wow.module.fragments import LINES, NO_INTEREST  # noqa: E402

FIELDS = {"passwd": 7, "group": 4, "shadow": 9, "gshadow": 4}
NAME = r"[a-zA-Z0-9_][a-zA-Z0-9_.+~:-]*"
KEYS = ("packages", "extended_states", "diversions", "triggers", "lines", "accounts", "alternatives", "chosen")


def wrong(said):
    """What is wrong with them, in a few words; "" if nothing is."""
    if not isinstance(said, dict) or not set(said) <= set(KEYS):
        return "other keys than there are"
    for key in ("packages", "extended_states"):
        for name, stanza in _pairs(said, key):
            if not isinstance(stanza, str) or "\n\n" in stanza or dpkg.field(stanza, "Package") != name or not re.fullmatch(NAME, name):
                return f"{key}: {name!r} is no stanza of that package"
            if key == "packages" and dpkg.field(stanza, "Status") not in dpkg.INSTALLED:
                return f"packages: {name} is not installed"
    for key, known in (("triggers", re.compile(f"(?!{'|'.join(NO_INTEREST)}$){NAME}")), ("lines", re.compile("|".join(map(re.escape, LINES)))),
                       ("accounts", re.compile("|".join((*FIELDS, "members"))))):
        for name, lines in _pairs(said, key):
            if not known.fullmatch(name) or not _are_lines(lines):
                return f"{key}: {name!r} is none, or has no list of lines"
    for name, lines in _pairs(said, "accounts"):
        if bad := next((line for line in lines if not _is_account(name, line)), None):
            return f"accounts: {bad!r} is no line of {name}"
    return _wrong_choices(said)


def _pairs(said, key):
    """The pairs of a dictionary; one that is none gives a pair that is wrong everywhere."""
    found = said.get(key, {})
    return list(found.items()) if isinstance(found, dict) else [("", [])]


def _are_lines(lines):
    # ucf's registry has tabs in its lines.
    return isinstance(lines, list) and bool(lines) and all(isinstance(line, str) and line and line.replace("\t", " ").isprintable() for line in lines)


def _is_account(table, line):
    fields = line.split(":")
    if table == "members":
        return bool(re.fullmatch(f"{NAME} {NAME}", line))
    if len(fields) != FIELDS[table] or not re.fullmatch(NAME, fields[0]) or (table == "shadow" and fields[1][:1] not in ("!", "*")):
        return False
    return table not in accounts.NUMBERED or (fields[1] == "x" and all(re.fullmatch("[0-9]{1,5}", one) for one in fields[2:4 if table == "passwd" else 3])
                                              and accounts.is_one(int(fields[2])))


def _wrong_choices(said):
    """Of diversions and alternatives."""
    diversions, choices = said.get("diversions", []), said.get("alternatives", [])
    if not isinstance(diversions, list) or not all(isinstance(one, str) and re.fullmatch(r"/[^\n]+\n/[^\n]+\n[^\n/]+", one) for one in diversions):
        return "diversions: not three lines each"
    if not isinstance(choices, list):
        return "alternatives: no list"
    for one in choices:
        if not isinstance(one, dict) or set(one) != {"link", "name", "path", "priority", "others"} or not isinstance(one["priority"], int) \
                or not isinstance(one["others"], list) or not all(isinstance(each, list) and len(each) == 3 for each in one["others"]):
            return f"alternatives: {one!r:.80} is none"
        links = [[one["link"], one["name"], one["path"]], *one["others"]]
        if not all(_is_link(link, name, path) for link, name, path in links):
            return f"alternatives: {one!r:.80} has a path that is none"
    if not all(_is_link("/x", name, path) for name, path in _pairs(said, "chosen")):
        return "chosen: a path that is none"
    return ""


def _is_link(link, name, path):
    return (all(isinstance(one, str) and one.startswith("/") and one.isprintable() and ".." not in one.split("/") for one in (link, path))
            and isinstance(name, str) and bool(re.fullmatch(NAME, name)))
