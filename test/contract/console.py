"""The lines that a machine writes to its console (docs/contract/console.json)."""
import ast
import pathlib
import re

from contract import markdown
from contract.source import load, sentence

SOURCE = "docs/contract/console.json"
SHELL = re.compile(r"(?:^ *(?:say|line \d) |>WOW: )([a-z]+) (.*)$", re.MULTILINE)
KEY = re.compile(r"(?:^|[ \"}])([a-z_]+)=")
OF_ALL = {"t"}
"""Keys of every line."""


def read(root: pathlib.Path) -> dict:
    """{step: (its keys, its sentence)}."""
    return {one["step"]: (tuple(one["keys"]), sentence(one["says"])) for one in load(root / SOURCE)["steps"]}


def said_in_python(text: str) -> list:
    """(step, {key}) of each `console.say(STEP, key=...)`, and of each `say(STEP, ...)` in console.py itself."""
    found = []
    for call in (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant)):
        if ast.unparse(call.func) in ("console.say", "say") and isinstance(call.args[0].value, str):
            found.append((call.args[0].value, {one.arg for one in call.keywords}))
    return found


def said_in_shell(text: str) -> list:
    """(step, {key}) of each `say STEP key=...` of a shell script, and of each line that it writes itself; what stands in variables is none."""
    return [(step, set(KEY.findall(rest)) - OF_ALL) for step, rest in SHELL.findall(text.replace("\\\n", " "))]


def reference(root: pathlib.Path) -> str:
    """The line and its steps in Markdown."""
    lines = [*markdown.paragraph(sentence(load(root / SOURCE)["about"])), ""]
    for step, (keys, says) in read(root).items():
        lines += markdown.item(f"**{step}** ({', '.join(f'`{key}`' for key in keys)}): {says}")
    return "\n".join(lines)
