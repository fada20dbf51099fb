"""What a run has measured, and a run before it of the same program on the same machine."""

import json

PARTS = ("peers", "eight", "esp")


def begin(file, origin, machine, seconds):
    """What a run adds to: what the file has, if it is of this program, machine and length; else nothing. No file is none."""
    try:
        found = json.loads(file.read_text(encoding="utf-8")) if file else {}
    except FileNotFoundError:
        found = {}
    sealer = {name: value for name, value in found.get("machine", {}).items() if name == "sealer"}
    mine = {"origin": origin, "machine": {**machine, **sealer}, "seconds": seconds}
    if {name: found.get(name) for name in mine} == mine:
        return found
    return {"origin": origin, "machine": machine, "seconds": seconds, "rounds": [], "eight": [], "esp": None}


def add(found, part, measured):
    """Adds what could be measured."""
    if measured:
        found[part].append(measured)
