"""Says to people and to programs what became of each difference."""
import stat

from wow.lib import table
from wow.module.judge import KEPT, Verdict
from wow.module.places import DROP, FRAGMENT, REFUSE
from wow.module.publish import Upper

ORDER = (REFUSE, KEPT, FRAGMENT, DROP)
MARKS = {"added": "+", "changed": "~", "deleted": "-", "same": "="}


def lines(upper: Upper) -> list[str]:
    """What cannot be published first; then file by file, and at the end how much it is."""
    told = [f"! {line}" for line in upper.wrong]
    for fate in ORDER:
        told += [f"{MARKS[one.change.kind]} /{one.change.path}: {fate}: {one.why}" for one in upper.verdicts if one.fate == fate]
    return told + [*fragments(upper), summary(upper)]


def fragments(upper: Upper) -> list[str]:
    """What is published of shared files, in a few words."""
    found = upper.fragments
    told = [f"+ package {name}" for name in found["packages"]]
    told += [f"+ line of /etc/{name}: {line}" for name, rows in found["accounts"].items() for line in rows if name in ("passwd", "group")]
    told += [f"+ member: {line}" for line in found["accounts"].get("members", [])]
    return told + [f"+ alternative {one['name']}: {one['path']}" for one in found["alternatives"]]


def size(verdicts: list[Verdict]) -> int:
    """Bytes of the files that are published."""
    return sum(one.change.now.st_size for one in verdicts if one.fate == KEPT and one.change.now is not None and stat.S_ISREG(one.change.now.st_mode))


def summary(upper: Upper) -> str:
    """One line."""
    counts = {fate: sum(one.fate == fate for one in upper.verdicts) for fate in ORDER}
    refused = counts[REFUSE] + len(upper.wrong)
    return (f"{counts[KEPT]} published, {table.size(size(upper.verdicts))}; {counts[FRAGMENT]} as fragments; {counts[DROP]} left out; "
            + (f"{refused} must be seen to before it can be published" if refused else "nothing is in the way"))


def facts(upper: Upper) -> dict[str, object]:
    """The same for programs."""
    return {
        "wrong": upper.wrong,
        "entries": [{"path": f"/{one.change.path}", "change": one.change.kind, "fate": one.fate, "why": one.why} for one in upper.verdicts],
        "packages": sorted(upper.fragments["packages"]), "size_bytes": size(upper.verdicts)}
