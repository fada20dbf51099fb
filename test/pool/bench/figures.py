"""What the bench's parts say, as figures with their goals."""

import statistics

from runner import measured
from runner.measured import figure


def at_most(words, goal, numbers, take=max, unit="s"):
    """One figure of rounds, of which the worst counts, or what `take` makes of them."""
    reached = take(numbers)
    return figure(f"{words}, {unit}" if unit else words, f"<= {goal:g}", f"{reached:.3g}", reached <= goal, numbers)


def told(words, reached):
    """One that has no goal."""
    return figure(words, "", reached, None)


def _first(part):
    return [at_most("machine switched on to the first match of a waiting job, median", 10, part["on"], statistics.median),
            at_most("the same, worst", 15, part["on"]),
            told("of that, from the machine's address on, median", f"{statistics.median(part['address']):.3g} s")]


def _back(part):
    return [at_most("worker dead and back: power on to its job running again, worst", 15, part["on"]),
            told("of that, from the machine's address on, worst", f"{max(part['address']):.3g} s")]


def _deputy(part):
    how = "back at once" if part["managers"] == 1 else f"one of {part['managers']}"
    return [at_most(f"manager killed, {how}: next match, worst", 60, part["next"]), at_most("jobs that ran meanwhile and were lost", 0, [part["lost"]], unit="")]


def _rate(part):
    found = [figure("jobs a second by one schedd, to Debian's HTCondor, median", ">= 0.95", f"{part['median']:.3g}", part["median"] >= 0.95, part["ratio"]),
             told("jobs a second, ours; Debian's", medians(part))]
    # What was kept before it was counted has none.
    return found + ([told("processor time a job, ours; Debian's", f"{medians(part['processor'])} ms")] if "processor" in part else [])


def medians(numbers):
    """Of ours and Debian's."""
    return "; ".join(f"{statistics.median(numbers[name]):.3g}" for name in ("wow", "debian"))


def _pause(part):
    return [at_most("`wow pause` to no processor time of a job, worst", 2, part["stops"]),
            at_most("`wow resume` to some, worst", 2, part["goes_on"])]


def _cut(part):
    return [at_most(f"{part['jobs']} jobs over a cut of {part['seconds']} s: lost", 0, [part["lost"]], unit=""), at_most("of them started anew", 0, [part["anew"]], unit=""),
            told("from its end to the last output", f"{part['slowest']:g} s")]


def _memory(part):
    machines = {name: programs for name, programs in part.items() if name != "commit"}
    return [at_most(f"{program} on {machine}: memory of its own", 8, [size], unit="MB")
            if program in ("wow-agent", "wow-jobs") else told(f"{program} on {machine}: memory of its own", f"{size:g} MB")
            for machine, programs in machines.items() for program, size in programs.items()]


def _idle(part):
    if part["sends"] is None:
        return []
    return [at_most("an idle machine of a thousand sends the manager", 100, [part["sends"]], unit="B/s"),
            told(f"it hears of it; packets both ways; seconds between its ads, over {part['seconds']} s",
                 f"{part['hears']:g} B/s; {part['packets']:g} a min; {part['interval']}")]


def _thousand(part):
    return [at_most(f"manager with {part['machines']:,} machines' ads: of a core", 0.2, [part["core"]], unit=""),
            told("of that: " + ", ".join(part["by"]), " ".join(f"{share:g}" for share in part["by"].values())),
            told("the manager's memory, HTCondor's and ours", f"{part['megabytes']:g} MB")]


def _creating(part):
    return [at_most("`wow pool create`, image there, worst", 60, part["seconds"])]


MAKERS = {"first": _first, "rate": _rate, "back": _back, "pause": _pause, "cut": _cut, "deputy": _deputy, "idle": _idle, "thousand": _thousand, "memory": _memory, "creating": _creating}


def figures(parts):
    """What was measured, in the order in which people read it."""
    return measured.figures(MAKERS, parts)


def lines(found):
    """The same as text."""
    return measured.lines(found, 86, 12)
