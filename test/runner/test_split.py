"""What `make test` leaves to `make test-long`: each check of the image and each part of the virtual machines is run by one of the two, and by no more than one."""

import ast
import datetime
import pathlib
import sys
import unittest

CLONE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CLONE / "test"))

from runner.stages import long_stages, stages  # noqa: E402

IMAGE, VM = CLONE / "test/image", CLONE / "test/vm"
EACH = {"check", "machine_check"}
LATER = {"long_shared_check", "long_check"}
AGAIN = "again"
"""A program of its own, which has checks, too: `long-again`."""


def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def registered(tree):
    """{function: the names of what registers it}; of `START.check` it is `check`."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            names = [ast.unparse(one).rpartition(".")[2] for one in node.decorator_list]
            if names := [name for name in names if name in EACH | LATER]:
                found[node.name] = names
    return found


def imported(path):
    """The modules that a program imports."""
    return {one.name for node in ast.walk(parsed(path)) if isinstance(node, ast.Import) for one in node.names}


def called(function):
    """{module.function} of what a function names."""
    return {f"{node.value.id}.{node.attr}" for node in ast.walk(function) if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)}


def commands(plan, script):
    """The arguments of each stage that runs this script."""
    return [command[1:] for stage in plan for command in stage.commands if command[0] == str(script)]


PLAN, LONG = stages(CLONE, CLONE / "build/out/test"), long_stages(CLONE, datetime.date(2026, 1, 1))


class Image(unittest.TestCase):
    def setUp(self):
        self.modules = {path.stem: registered(parsed(path)) for path in IMAGE.glob("*.py") if not path.stem.startswith("test_") and path.stem != "checks"}
        self.modules = {name: checks for name, checks in self.modules.items() if checks}

    def test_each_check_is_registered_once_and_no_two_have_one_name(self):
        self.assertGreater(len(self.modules), 20)
        names = [name for checks in self.modules.values() for name in checks]
        self.assertEqual(sorted(names), sorted(set(names)))
        self.assertEqual({name: kinds for checks in self.modules.values() for name, kinds in checks.items() if len(kinds) > 1}, {})

    def test_each_module_with_checks_is_run(self):
        self.assertEqual(set(self.modules) - imported(IMAGE / "run"), set())

    def test_both_runs_have_checks_and_are_stages(self):
        kinds = {kind for checks in self.modules.values() for each in checks.values() for kind in each}
        self.assertEqual(kinds, EACH | LATER)
        self.assertEqual((commands(PLAN, IMAGE / "run"), commands(LONG, IMAGE / "run")), ([[]], [["--long"]]))
        self.assertEqual(commands(LONG, IMAGE / AGAIN), [[]])


class Machines(unittest.TestCase):
    def setUp(self):
        body = parsed(VM / "run").body
        self.functions = {node.name: node for node in body if isinstance(node, ast.FunctionDef)}
        tables = {ast.unparse(node.targets[0]): node.value for node in body if isinstance(node, ast.Assign)}
        self.alone, self.own = ({key.value: value for key, value in zip(tables[name].keys, tables[name].values, strict=True)} for name in ("ALONE", "OWN"))

    def parts(self, *nodes):
        """What these call, by way of functions of the same program, too."""
        names = set().union(*map(called, nodes))
        own = {node.id for each in nodes for node in ast.walk(each) if isinstance(node, ast.Name) and node.id in self.functions}
        return names.union(*(self.parts(self.functions[name]) for name in own))

    def test_each_part_is_of_one_of_the_two(self):
        parts = {f"{path.stem}.{node.name}" for path in VM.glob("*.py") for node in parsed(path).body
                 if isinstance(node, ast.FunctionDef) and [one.arg for one in node.args.args][:1] == ["tally"]}
        entries = {part for part in parts if part in self.parts(*self.functions.values(), *self.alone.values(), *self.own.values())}
        # Those that nobody outside of their own file calls are pieces of its others.
        self.assertEqual({part.partition(".")[0] for part in parts}, {part.partition(".")[0] for part in entries})
        words = [word for arguments in commands(LONG, VM / "run") if arguments != ["--long"] for word in arguments]
        by_word = self.parts(*(self.alone[word] for word in words))
        whole = next(node for node in ast.walk(self.functions["main"]) if isinstance(node, ast.Try))
        of_long = [node for node in ast.walk(whole) if isinstance(node, ast.If) and "given.long" in ast.unparse(node.test)]
        self.assertIn("OWN", {node.id for node in ast.walk(whole) if isinstance(node, ast.Name)})
        of_long += self.own.values()
        each, later = self.parts(self.functions["trouble"]) & parts, (self.parts(self.functions["long_trouble"], *of_long) | by_word) & parts
        self.assertEqual(each & later, set())
        # Both begin with the story; a word may have a way of its own into what is run.
        ways = {part for part in entries if part.endswith(".alone") and part.replace(".alone", ".run") in each | later}
        self.assertEqual(entries - each - later - ways, {"story_case.run", "story_case.start"})

    def test_both_runs_are_stages(self):
        self.assertEqual(commands(PLAN, VM / "run"), [[]])
        self.assertIn(["--long"], commands(LONG, VM / "run"))


if __name__ == "__main__":
    unittest.main()
