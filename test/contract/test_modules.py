"""No two modules have one name in folders that one program of the tests has on its path: which of them is imported would depend on the order of the folders."""

import ast
import collections
import contextlib
import os
import pathlib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
OF_ALL = {"__init__"}
KNOWN = {("figures", "netns", "pages/bench"), ("figures", "netns", "pool/bench"), ("newcomers", "image", "pages"), ("places", "image", "pages"),
         ("power", "image", "vm")}
"""Those that there were when this was first looked at; a program means the one of its own folder. There shall be no more of them."""


def programs():
    """Files of the tests that put folders on their path."""
    found = [path for path in sorted((ROOT / "test").rglob("*")) if path.is_file() and (path.name == "run" or path.suffix == ".py")]
    return [path for path in found if path.name not in ("test_modules.py",) and "sys.path" in path.read_text(encoding="utf-8")]


def folders(program):
    """Where a program's imports come from: its own folder, what it puts on its path at its top level, and what the modules beside it do, which it may import."""
    beside = [path for path in program.parent.glob("*.py") if not path.name.startswith("test_")] if program.name == "run" else []
    path = [place for each in (program, *beside) for place in _said(each)]
    return list(dict.fromkeys(pathlib.Path(each).resolve() for each in (program.parent, *path)))


def _said(program):
    known = {"pathlib": pathlib, "os": os, "str": str, "__file__": str(program), "ROOT": ROOT}
    for statement in ast.parse(program.read_text(encoding="utf-8")).body:
        code = ast.unparse(statement)
        if code.startswith("sys.path"):
            value = statement.value.args[-1] if isinstance(statement, ast.Expr) else statement.value
            said = eval(compile(ast.Expression(value), str(program), "eval"), known)
            yield from [said] if isinstance(said, str) else said
        elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name) and code.split()[0].isupper():
            with contextlib.suppress(NameError, AttributeError, TypeError):  # it is of something else
                exec(compile(ast.Module([statement], []), str(program), "exec"), known)


def clashes(places):
    """{(a module's name, folders of the tests that have it)} of names that more than one of them has. Nobody imports who tests a module."""
    named = collections.defaultdict(set)
    for place in places:
        for module in place.glob("*.py") if place.is_relative_to(ROOT / "test") else ():
            if module.stem not in OF_ALL and not module.stem.startswith("test_"):
                named[module.stem].add(str(place.relative_to(ROOT / "test")))
    return {(name, *sorted(where)) for name, where in named.items() if len(where) > 1}


class Modules(unittest.TestCase):
    maxDiff = None

    def test_no_two_modules_of_one_path_have_one_name(self):
        found = programs()
        self.assertGreater(len(found), 20)
        self.assertEqual(KNOWN, {both for program in found for both in clashes(folders(program))},
                         "give one of the modules another name; or, where it has one by now, take it off KNOWN")

    def test_the_folders_of_a_program_are_read_from_what_it_says(self):
        self.assertEqual([ROOT / "test/image", ROOT / "test/vm"], folders(ROOT / "test/image/run")[:2])
        self.assertEqual([ROOT / "test" / name for name in ("pool", "netns", "vm")], folders(ROOT / "test/pool/run"))


if __name__ == "__main__":
    unittest.main()
