"""
Which pairs of sites can be straight: all, but those that not-direct.json names, each with its reason. A pair that can be and is not fails the run. The simulator's
SitePairTests go by the same list.
"""

import json
import pathlib

LIST = pathlib.Path(__file__).resolve().parent / "not-direct.json"


def reasons(text=None):
    """{frozenset of two names: why they cannot be straight}."""
    entries = json.loads(LIST.read_text(encoding="utf-8") if text is None else text)
    return {frozenset((one, two)): entry["why"] for entry in entries for one in entry["sites"] for two in entry["with"]}


def why_not(pair, known=reasons()):
    """Why a measured pair cannot be straight, or None: then it can."""
    return known.get(frozenset((pair["a"], pair["b"])))


def crooked(pairs):
    """
    A line for each pair that can be straight and never was: neither when both started anew nor later in the run, before their NATs forgot. A search for ports is won by
    chance, and a NAT may remember for two minutes whom a machine called before it started anew, so how many are straight at once is a figure with a goal.
    """
    return [
        f"{pair['a']} - {pair['b']} can be direct, and is {pair['path']}{''.join(f'; {word}' for word in pair['why'])}"
        for pair in pairs if why_not(pair) is None and pair["path"] != "direct" and pair["straight_s"] is None]
