"""The figures of a run, beside what they are to reach."""

import math
from typing import NamedTuple, Optional

from reach import why_not

# What broke, what is measured of it, and the goals in seconds: for the median, and for the worst.
BREAKS = (
    ("machine killed", "noticed", None, 5.0), ("path cut", "silence", None, 2.0), ("relay killed", "silence", None, 2.0),
    ("NAT moved", "silence", 1.0, 2.0))


class Figure(NamedTuple):
    """A line of the table. `met` is None where there is no goal, or nothing was measured."""
    name: str
    goal: str
    reached: str
    met: Optional[bool]


def percentile(values, share):
    """The nearest-rank percentile, or None of nothing."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else None


def figures(pairs):
    """All figures of the grid."""
    of = {name: [pair for pair in pairs if pair["class"] == name] for name in ("plain", "hard", "both", "tcp", "apart")}
    firsts = [pair["first_s"] for pair in pairs if pair["first_s"] is not None]
    straight = [pair["direct_s"] for pair in of["plain"] if pair["direct_s"] is not None]
    hard = [pair["direct_s"] for pair in of["hard"] if pair["direct_s"] is not None]
    changes = [pair["silence_s"] for pair in pairs if pair["silence_s"] is not None]
    forgot = [pair["forgot_s"] for pair in pairs if pair["forgot_s"] is not None]
    stream = [pair["forgot_s"] for pair in of["tcp"] if pair["forgot_s"] is not None]
    # Who is straight by chance, as one of two machines that share port 443, may lose that when NATs forget.
    again = [pair["straight_s"] for pair in can(pairs) if pair.get("straight_s") is not None]
    return [
        _share("pairs connected", pairs, lambda pair: pair["connected"], 1.0),
        _share("  of those with UDP on both sides", of["plain"] + of["hard"] + of["both"], lambda pair: pair["connected"], 1.0),
        _share("  of those without UDP on a side", of["tcp"], lambda pair: pair["connected"], 1.0),
        _share("  of those without a version of IP in common", of["apart"], lambda pair: pair["connected"], 1.0),
        _share("direct, of pairs that punching at once can win", of["plain"], is_direct, 1.0),
        _share("direct, of pairs with one hard side", of["hard"], is_direct, 0.95),
        _share("direct, of pairs without UDP on a side that can be", can(of["tcp"]), is_direct, 0.95),
        _share("direct, of pairs with two hard sides that can be", can(of["both"]), is_direct, 1.0),
        _share("direct, of all pairs", pairs, is_direct, None),
        _seconds("start of both daemons to both up, median", percentile([pair["up_s"] for pair in pairs if pair["up_s"] is not None], 0.5), None),
        _seconds("first packet, median", percentile(firsts, 0.5), 0.3),
        _seconds("first packet, 99th percentile of the connected", percentile(firsts, 0.99), 2.0),
        _seconds("direct path, median", percentile(straight, 0.5), 1.0),
        _seconds("direct path, slowest", max(straight, default=None), None),
        _seconds("direct path with a hard side, median", percentile(hard, 0.5), 3.0),
        _seconds("direct path with a hard side, slowest", max(hard, default=None), 10.0),
        _seconds("silence while the path changes, median of the longest", percentile(changes, 0.5), None),
        _seconds("silence while the path changes, longest", max(changes, default=None), None),
        _seconds("NAT forgot: silence, median", percentile(forgot, 0.5), 1.0),
        _seconds("NAT forgot: silence, longest", max(forgot, default=None), 2.0),
        _seconds("NAT forgot: silence without UDP on a side, median", percentile(stream, 0.5), 1.0),
        _seconds("NAT forgot: silence without UDP on a side, longest", max(stream, default=None), 2.0),
        _seconds("NAT forgot: straight paths straight again, median", percentile(again, 0.5), None),
        _seconds("NAT forgot: straight paths straight again, last", max(again, default=None), 10.0),
    ]


def broken(breaks):
    """The figures of what broke on purpose: each in the median and at worst, one that was not over in time counting as endless."""
    found = []
    for event, felt, median, worst in BREAKS:
        values = [math.inf if each["s"] is None else each["s"] for each in breaks if each["event"] == event]
        found += [
            _seconds(f"{event}: {felt}, median of {len(values)}", percentile(values, 0.5), median),
            _seconds(f"{event}: {felt}, longest", max(values, default=None), worst)]
    return found


def table(rows):
    """Lines of text."""
    words = {True: "yes", False: "NOT REACHED", None: "-"}
    return [f"{'figure':50}{'to reach':>10}{'reached':>20}  met"] + [
        f"{row.name:50}{row.goal:>10}{row.reached:>20}  {words[row.met]}" for row in rows]


def markdown(rows):
    """The same for docs/performance.md."""
    return ["| figure | to reach | reached |", "|---|---|---|"] + [
        f"| {row.name.strip()} | {row.goal} | {'**not reached**: ' if row.met is False else ''}{row.reached} |" for row in rows]


def can(pairs):
    """Those that can be straight."""
    return [pair for pair in pairs if why_not(pair) is None]


def is_direct(pair):
    """Whether it went straight in the end."""
    return pair["path"] == "direct"


def _share(name, pairs, good, goal):
    count = sum(1 for pair in pairs if good(pair))
    told = f"{100 * goal:.0f} %" if goal is not None else "-"
    if not pairs:
        return Figure(name, told, "no such pair", None)
    return Figure(name, told, f"{100 * count / len(pairs):.1f} % ({count}/{len(pairs)})", None if goal is None else count / len(pairs) >= goal)


def _seconds(name, value, goal):
    told = f"< {goal:g} s" if goal is not None else "-"
    if value is None:
        return Figure(name, told, "none", False if goal is not None else None)
    return Figure(name, told, f"{value:.2f} s", None if goal is None else value < goal)
