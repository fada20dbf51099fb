"""What the bench's parts say, as figures with their goals."""

import statistics

from runner import measured
from runner.measured import figure

BEFORE = 146
"""Seconds that the stage `image` took before home had a disk of its own, on the machine of docs/performance.md."""
ADDED = 120
WORDS = {"postmark": "PostMark", "fio": "fio, random reads and writes", "dbench": "dbench"}


def at_most(words, goal, value, rounds=()):
    return figure(words, f"<= {goal:g}", f"{value:.4g}", value <= goal, rounds)


def at_least(words, goal, value, rounds=()):
    return figure(words, f">= {goal:g}", f"{value:.3g}", value >= goal, rounds)


def ratios(above, below):
    """Round by round: what disturbs one disturbs the other."""
    return [round(one / other, 3) for one, other in zip(above, below)]


def _sizes(part):
    return [at_most("base layer, MB", 100, part["base"]), at_most("OVA, MB", 130, part["ova"])]


def _login(part):
    found = []
    for processors, of in part["seconds"].items():
        words = f"power-on to login, {processors} vCPU"
        if "before" in of:
            each = ratios(of["now"], of["before"])
            found.append(at_most(f"{words}, to the commit before, median", 1, statistics.median(each), each))
        found.append(figure(f"{words}, median of " + " and ".join(of), "", " and ".join(f"{statistics.median(times):.4g}" for times in of.values()) + " s"))
    return found


def _home(part):
    each = ratios(part["seconds"]["64"], part["seconds"]["8"])
    return [at_most("first boot with a home of 64 GiB, to 8 GiB, median", 1.1, statistics.median(each), each)]


def _work(part):
    found = []
    for name, words in WORDS.items():
        home, plain = part[name]["home"], part[name]["plain"]
        # dbench says how much it did, the others how long they took.
        each = ratios(home, plain) if name == "dbench" else ratios(plain, home)
        found.append(at_least(f"{words}: home, to a plain ext4 in the same guest, median", 0.95, statistics.median(each), each))
    each = ratios(part["job"]["plain"], part["job"]["home"])
    return [*found, at_least("a job that computes: on the layers, to a plain ext4, median", 0.99, statistics.median(each), each)]


def _stack(part):
    found = []
    for processors, of in part["login"].items():
        each = ratios(of["with"], of["without"])
        found.append(at_most(f"power-on to login with three modules, {processors} vCPU, to none, median", 1.25, statistics.median(each), each))
    found.append(at_most("the initrd with 12 layers, s", 2, part["initrd"]["with"] / 100))
    found.append(figure("the same without a configuration disk, s", "", f"{part['initrd']['without'] / 100:g}"))
    for name, words in (("fio", "fio, a library"), ("postmark", "PostMark")):
        each = ratios(part["reads"][name]["plain"], part["reads"][name]["layers"])
        found.append(at_least(f"{words}: through the layers, to a plain ext4, median", 0.95, statistics.median(each), each))
    each = ratios(part["reads"]["tree"]["plain"], part["reads"]["tree"]["layers"])
    # Not a goal: overlayfs opens each file twice, its own and the layer's.
    found.append(figure("R's 1,900 files opened and read: layers, to a plain ext4, median", "", f"{statistics.median(each):.3g}", None, each))
    return found


def _stamp(part):
    found = [at_most(f"stamp {name}: of a processor, worst, s", 1, max(seconds), seconds) for name, seconds in part["processor"].items()]
    return [*found, figure("the same by the clock, median", "", " ".join(f"{statistics.median(seconds):g}" for seconds in part["clock"].values()) + " s")]


def _tests(part):
    return [at_most(f"the image's stage of `make test` above the {BEFORE} s of before, s", ADDED, part["seconds"] - BEFORE)] if part["seconds"] is not None else []


MAKERS = {"sizes": _sizes, "login": _login, "home": _home, "work": _work, "stack": _stack, "stamp": _stamp, "tests": _tests}


def figures(parts):
    """What was measured, in the order in which people read it."""
    return measured.figures(MAKERS, parts)


def lines(found):
    """The same as text."""
    return measured.lines(found, 72, 18)
