"""Names that strangers give: people, projects, owners, versions. They stand in tables, in labels of Prometheus and on terminals, so they are letters,
digits and a few marks by the time anybody sees them, and only so many are told apart."""

LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .@_+-")
LONGEST = 64
OTHERS = "(others)"
"""Who is not told apart. No cleaned name is this one."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping


def clean(value: object) -> str:
    """A name with ? for each character that it may not have; empty for what is no text or has nothing in it."""
    if not isinstance(value, str):
        return ""
    return "".join(one if one in LETTERS else "?" for one in value[:LONGEST]).strip()


def most(counts: "Mapping[str, float]", limit: int) -> dict[str, float]:
    """The largest of these, so many at most, and the sum of the rest under OTHERS where there is a rest. Equal ones go by name."""
    ranked = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    kept = dict(ranked[:limit])
    if ranked[limit:]:
        kept[OTHERS] = kept.get(OTHERS, 0) + sum(value for _, value in ranked[limit:])
    return kept
