"""The rooms of the node's programs know each other one way, as the folders of the C# projects do (test/House.Tests/FloorTests.cs): a room may know what this table lets
it know, only rooms before it, and an arrow that nobody needs any more goes. lib is known to all, and main.py knows the programs that it starts."""
import pathlib
import re
import tempfile
import unittest

import arrows

ROOT = pathlib.Path(__file__).resolve().parents[2]
NODE = ROOT / "appliance/node/root/usr/lib/wow/node"
FLOORS = {
    "config": (),
    "agent": ("config",),
    "slots": (),
    "pause": (),
    "computer": ("slots", "pause"),
    "limits": ("config", "slots", "pause"),
    "stops": ("agent", "slots", "pause", "computer", "limits"),
    "place": ("pause",),
    "refuse": ("agent",),
    "screen": ("pause",),
    "seal": ("config",),
    "stack": ("config", "slots", "pause", "computer", "limits", "stops", "seal"),
    "condor": ("config", "slots", "limits", "stops", "place", "refuse", "stack"),
    "setup": ("config", "screen", "seal", "stack", "condor"),
    "join": ("config", "seal", "stack", "condor"),
    "why": ("stops", "condor"),
    "history": ("config", "stops", "place", "condor", "why"),
    "given": ("config", "slots"),
    "page": ("config", "slots", "pause", "computer", "limits", "stops"),
    "acts": ("config", "agent", "pause", "computer", "limits", "stops", "place", "refuse", "screen", "stack", "setup", "join", "page"),
    "doctor": ("config", "slots", "limits", "stops", "refuse", "seal", "stack", "condor", "join", "why"),
    "support": ("config", "history"),
    "jobs": ("config", "computer", "limits", "stops", "refuse", "stack", "condor", "given", "page"),
    "web": ("config", "agent", "slots", "pause", "computer", "limits", "stops", "place", "refuse", "screen", "history", "given", "page", "acts"),
    "module": ("config",),
    "dispatch": (),
    "verbs": ("config", "agent", "pause", "computer", "limits", "stops", "place", "refuse", "screen", "stack",
              "why", "history", "given", "page", "acts", "doctor", "support", "module", "dispatch"),
}
"""Who knows whom, the lowest floor first. A new arrow wants a reason."""
PROGRAMS = "main"
EVERYBODYS = "lib"


def room(module: str) -> str:
    """The room of a module: wow's folder, or itself where it stands in none."""
    parts = module.split(".")
    return parts[1] if parts[0] == "wow" and len(parts) > 1 else parts[0]


def between(found: dict[str, set[str]]) -> set[tuple[str, str]]:
    """The arrows from room to room."""
    return {(room(name), room(to)) for name, known in found.items() for to in known if room(name) != room(to) and to != "wow"}


class Floors(unittest.TestCase):
    found = arrows.find(NODE)

    def test_a_room_knows_what_the_table_says_and_needs_all_of_it(self):
        there = {(name, to) for name, to in between(self.found) if name != PROGRAMS and to != EVERYBODYS}
        self.assertEqual(sorted(there), sorted((name, to) for name, known in FLOORS.items() for to in known))

    def test_a_room_knows_only_those_before_it(self):
        names = list(FLOORS)
        self.assertEqual([(name, to) for name, known in FLOORS.items() for to in known if names.index(to) >= names.index(name)], [])

    def test_each_room_stands_in_the_table(self):
        rooms = {room(name) for name in self.found if name != "wow"} - {PROGRAMS, EVERYBODYS}
        self.assertEqual(sorted(rooms), sorted(FLOORS))

    def test_the_architecture_tells_what_each_room_has(self):
        text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
        rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", text[text.index("| room | what it has |"):], re.M)
        self.assertEqual([name.strip("`") for row in rows for name in row.split(", ")], [EVERYBODYS, *FLOORS])

    def test_what_all_know_knows_nobody(self):
        self.assertEqual([to for name, to in between(self.found) if name == EVERYBODYS], [])

    def test_no_module_leads_back_to_itself(self):
        for folder in (NODE, ROOT / "appliance", *(ROOT / "appliance" / name for name in ("help", "image", "lab", "layers"))):
            self.assertEqual(arrows.circles(arrows.find(folder)), [], folder)


class Found(unittest.TestCase):
    """That the looking sees what it is to see."""

    def look(self, **texts: str) -> list[list[str]]:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in texts.items():
                pathlib.Path(folder, f"{name}.py").write_text(text, encoding="utf-8")
            return arrows.circles(arrows.find(pathlib.Path(folder)))

    def test_a_circle_over_three(self):
        self.assertEqual(self.look(a="import b", b="from c import x", c="import a", d="import a"), [["a", "b", "c"]])

    def test_a_circle_by_an_import_for_types_or_in_a_function(self):
        self.assertEqual(self.look(a="if TYPE_CHECKING:\n    import b", b="def f():\n    from a import x"), [["a", "b"]])

    def test_two_ways_to_one_are_none(self):
        self.assertEqual(self.look(a="import b, c", b="import d", c="import d", d=""), [])


if __name__ == "__main__":
    unittest.main()
