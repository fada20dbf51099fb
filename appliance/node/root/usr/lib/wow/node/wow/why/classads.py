"""HTCondor's own reading of ClassAds (its Python module classad2, which the image has with HTCondor): what an expression says is decided as the
negotiator decides it."""
import math

from wow.lib import table
from wow.lib.errors import WowError

SPOILT = (UnicodeDecodeError, RuntimeError, SystemError)
"""What classad2 raises where somebody spoilt an ad: a text that is no UTF-8, an attribute that names itself, a number beyond 64 bits."""
LARGEST = 1 << 53
"""Of a number: beyond, a whole one may come back as another."""
LONGEST = 500
"""Letters of a text that is shown."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Ad = Any
    """A classad2.ClassAd: a mapping whose values are evaluated when they are read."""


def module() -> "Any":
    """classad2; WowError on a machine without HTCondor."""
    try:
        import classad2
    except ImportError:
        raise WowError("HTCondor is not here", "Ask on a machine of the pool", "classad2") from None
    return classad2


def parse(printed: str) -> "list[Ad]":
    """The ads of what a tool printed with -long:new or -jsonl: each on a line of its own, without an end of line in any text. (With -long there is one wherever
    a text has one, so one ad could look like two.) What is no ad, such as a warning, is left out."""
    classad2 = module()
    found = []
    for line in printed.split("\n"):
        kind = form(line)
        try:
            ad = classad2.parseNext(line, getattr(classad2.ParserType, kind)) if kind else None
        except ValueError:
            ad = None  # whoever sent it said nonsense; the others are wanted all the same
        if ad is not None:
            found.append(ad)
    return found


def form(line: str) -> str:
    """Which of classad2's parsers reads a line; none where it is no ad."""
    if line.startswith("[ ") and line.endswith(" ]"):
        return "New"
    return "JSON" if line.startswith('{"') and line.endswith("}") else ""


def source(ad: "Ad", name: str) -> str:
    """An attribute's expression as text, empty if the ad has none."""
    try:
        return str(ad.lookup(name))
    except KeyError:
        return ""


def is_expression(ad: "Ad", name: str) -> bool:
    """Whether an attribute stands for a condition of several parts, which may be told one by one."""
    return any(operator in source(ad, name) for operator in ("&&", "<", ">", "=", "("))


def value(ad: "Ad", name: str) -> "Any":
    """What an attribute comes to by the ad alone; None where it is undefined, missing or nonsense."""
    try:
        found = ad.eval(name)
    except (KeyError, *SPOILT):
        return None
    return None if is_value(found) else found


def text(ad: "Ad", name: str) -> str:
    """An attribute's value as text that a terminal may show; empty where it has none."""
    found = value(ad, name)
    return table.printable(found[:LONGEST]) if isinstance(found, str) else ""


def file_name(ad: "Ad", name: str) -> str:
    """The same of a path's name behind its last slash, however long the path is."""
    found = value(ad, name)
    return table.printable(found.rpartition("/")[2][:LONGEST]) if isinstance(found, str) else ""


def number(ad: "Ad", name: str) -> float | None:
    """An attribute's value where it is a number."""
    found = value(ad, name)
    return found if isinstance(found, (int, float)) and math.isfinite(found) and abs(found) <= LARGEST else None


def texts(ad: "Ad", name: str) -> list[str]:
    """The texts of a list."""
    found = value(ad, name)
    return [table.printable(one[:LONGEST]) for one in found if isinstance(one, str)] if isinstance(found, list) else []


def is_value(found: "Any") -> bool:
    """Whether it is undefined or an error: classad2 makes these a kind of number."""
    return type(found).__name__ == "Value"


class Condition:
    """An expression that can be tried on many ads. One that HTCondor cannot parse holds nowhere."""

    __slots__ = ("text", "_tree")

    def __init__(self, expression: str) -> None:
        self.text = expression
        try:
            self._tree = module().ExprTree(expression)
        except ValueError:
            self._tree = None

    def holds(self, own: "Ad", target: "Ad") -> bool:
        """Whether it is true, undefined being false; a number other than zero is true, as it is for the negotiator."""
        if self._tree is None:
            return False
        try:
            found = self._tree.eval(own, target)
        except SPOILT:
            return False
        return not is_value(found) and isinstance(found, (bool, int, float)) and bool(found)


def changed(ad: "Ad", values: "dict[str, Any]") -> "Ad":
    """A copy of an ad with other values."""
    copy = module().ClassAd(str(ad))
    for name, wanted in values.items():
        copy[name] = wanted
    return copy
