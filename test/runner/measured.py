"""What the parts of a bench say: figures with their goals, as JSON and as text; and what a run before this one has measured."""

import json

MOST = {True: "yes", False: "NO", None: ""}


def figure(words, goal, reached, met=None, rounds=()):
    """One figure. `met` is None where there is no goal; a single round is the figure itself."""
    return {"figure": words, "goal": goal, "reached": reached, "met": met, "rounds": list(rounds) if len(rounds) > 1 else []}


def figures(makers, parts):
    """[{figure, goal, reached, met, rounds, commit}] of the parts that were measured, in the makers' order. makers: {part: what makes its figures}."""
    return [{**each, "commit": parts[name]["commit"]} for name, make in makers.items() if name in parts for each in make(parts[name])]


def lines(found, width, reached):
    """The same as text; width and reached: columns for a figure's words, and for what it came to."""
    return [f"{'figure':{width}}{'reached':>{reached}}{'goal':>10}  kept", *(
        f"{one['figure']:{width}}{one['reached']:>{reached}}{one['goal']:>10}  {MOST[one['met']]}" + (f"  rounds {one['rounds']}" if one["rounds"] else "")
        for one in found)]


def former(file, machine):
    """The parts that a run before measured, if it was on this machine; else none. No file is none."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    return found["parts"] if found.get("machine") == machine else {}
