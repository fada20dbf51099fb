"""What a run before this one has measured."""

import json


def parts(file, machine):
    """The parts of the file, if it is of this machine; else none. No file is none."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    return found["parts"] if found.get("machine") == machine else {}
