"""What the bench's parts say, as figures with their goals."""

import statistics

from runner import measured
from runner.measured import figure


def at_most(words, goal, value, rounds=()):
    return figure(words, f"<= {goal:g}", f"{value:.3g}", value <= goal, rounds)


def _node(part):
    return [at_most("a machine's page, first byte asleep, median, s", 0.7, statistics.median(part["asleep"]), part["asleep"]),
            at_most("the same awake, median, s", 0.05, statistics.median(part["awake"]), part["awake"]),
            at_most("processes of it while nobody looks", 0, part["processes"])]


def _pause(part):
    return [at_most("a click on *Pause now* to jobs that stand still, worst, s", 2, max(part["stops"]), part["stops"]),
            at_most("a click on *Resume now* to jobs that go on, worst, s", 2, max(part["goes_on"]), part["goes_on"])]


def _pool(part):
    found = [at_most("a view, of a processor, the slowest of its pages, ms", 50, max(part["view_ms"].values())),
             figure("each page", "", " ".join(f"{path.rpartition('/')[2]} {value:.3g}" for path, value in part["view_ms"].items()) + " ms"),
             at_most("memory of the page's server, at most, MB", 60, part["memory"]["most"]),
             figure("of that its own, by shares (PSS)", "", f"{part['memory']['pss']:.3g} MB"),
             at_most("bytes of the largest page with its files, kB", 300, max(part["kb"].values()))]
    for when, goal in (("first", 1), ("again", 0.3)):
        slowest = max(part[when].values(), key=statistics.median)
        found.append(at_most(f"Chromium, {when}, the slowest page, median, s", goal, statistics.median(slowest), slowest))
    return [*found, at_most("a snapshot, of wow-pool's processor, without HTCondor's tool, median, s", 0.3, statistics.median(part["snapshot"]), part["snapshot"]),
            figure("wow-pool's memory, before, and at most", "", f"{part['wow_pool']['before']:.3g} and {part['wow_pool']['most']:.3g} MB")]


MAKERS = {"node": _node, "pause": _pause, "pool": _pool}


def figures(parts):
    """The figures of the parts that were measured."""
    return measured.figures(MAKERS, parts)


def text(found):
    """The same as text."""
    return measured.lines(found, 78, 14)
