"""Takes a ClassAd expression apart into the conditions that must all hold, so that each can be tried alone. Text in, text out; what an expression
says is HTCondor's to decide (classads.py). Each character is looked at a fixed number of times: a machine's owner may write any number."""
import re

AND = "&&"
LOOSER = ("||", "?")
"""Operators that bind less than &&: an expression with one of them at its top is one condition."""
DEEPEST = 30
"""Conjunctions within each other that are taken apart; whoever nests deeper is told the rest in one."""
MOST = 100
"""Conditions that are told apart; the rest of them is the last one."""
OPENING, CLOSING = ("(", "[", "{"), (")", "]", "}")
MARK = re.compile(r'"(?:[^"\\]|\\.)*"?|\'(?:[^\'\\]|\\.)*\'?|=\?=|=!=|&&|\|\||[?()\[\]{}]', re.DOTALL)
"""Strings and quoted names, whose inside is passed over; comparisons, that have a ? or a ! and are none of the operators; operators; parentheses."""
Operators = list[tuple[int, str]]


def split(text: str) -> list[str]:
    """The conditions, in order, without the parentheses around each. An expression that is no conjunction is one condition; an empty one is none."""
    ends, operators = marks(text)
    found = _split(text, (0, len(text), -1), ends, operators, 0)
    if len(found) > MOST:
        found[MOST - 1:] = [(found[MOST - 1][0], found[-1][1])]
    return [text[begin:end] for begin, end in found]


def joined(texts: list[str]) -> str:
    """The conditions as one."""
    return f" {AND} ".join(f"({text})" for text in texts)


def bare(text: str) -> str:
    """The text without blanks and parentheses around the whole of it."""
    begin, end, _ = _peeled(text, (0, len(text), -1), marks(text)[0])
    return text[begin:end]


def marks(text: str) -> tuple[dict[int, int], dict[int, Operators]]:
    """({place of a parenthesis: place of the one that closes it}, {place of a parenthesis: each && and looser operator right within it}); -1 stands for no
    parenthesis."""
    ends: dict[int, int] = {}
    operators: dict[int, Operators] = {}
    within = [-1]
    for mark in MARK.finditer(text):
        at, what = mark.start(), mark.group()
        if what in OPENING:
            within.append(at)
        elif what in CLOSING:
            if len(within) > 1:
                ends[within.pop()] = at
        elif what == AND or what in LOOSER:
            operators.setdefault(within[-1], []).append((at, what))
    return ends, operators


def _peeled(text: str, part: tuple[int, int, int], ends: dict[int, int]) -> tuple[int, int, int]:
    """A part (begin, end, the parenthesis that it is right within), without blanks and parentheses around the whole of it."""
    begin, end, within = part
    while True:
        while begin < end and text[begin].isspace():
            begin += 1
        while begin < end and text[end - 1].isspace():
            end -= 1
        if begin == end or text[begin] != "(" or ends.get(begin) != end - 1:
            return begin, end, within
        within, begin, end = begin, begin + 1, end - 1


def _split(text: str, part: tuple[int, int, int], ends: dict[int, int], operators: dict[int, Operators], depth: int) -> list[tuple[int, int]]:
    """(begin, end) of each condition of a part."""
    begin, end, within = _peeled(text, part, ends)
    if begin == end:
        return []
    # What stands beside another condition, and not in parentheses of its own, has none of their operators in it.
    found = operators.get(within, []) if within != part[2] or depth == 0 else []
    places = [at for at, what in found if what == AND]
    if not places or depth == DEEPEST or any(what in LOOSER for _, what in found):
        return [(begin, end)]
    parts = zip([begin, *(at + len(AND) for at in places)], [*places, end])
    return [condition for first, last in parts for condition in _split(text, (first, last, within), ends, operators, depth + 1)]
