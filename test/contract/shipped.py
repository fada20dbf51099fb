"""What the project ships, as text: the contract's tests look in it for what should stand in docs/contract alone."""
import ast
import os
import pathlib
import re

FOLDERS = ("appliance", "ca-service", "ipop", "modules")
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
NUMBER = re.compile(r"(?<![\w.])(?:0x[0-9a-fA-F_]+|[0-9][0-9_]*)(?![\w.])")
COMMENT = re.compile(r"//.*")


def texts(root: pathlib.Path) -> dict:
    """{name in the clone: text} of all files that people wrote; of a symbolic link, where it leads."""
    found = {}
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            name = str(path.relative_to(root))
            if path.is_symlink():
                found[name] = os.readlink(path)
            elif path.is_file() and "__pycache__" not in path.parts and not name.endswith(".g.cs"):
                text = path.read_bytes().decode("utf-8", "replace")
                if not text.startswith('"""Made of '):
                    found[name] = text
    return found


def instances(root: pathlib.Path, name: str) -> list:
    """What the enabled instances of a unit's template have in the place of %i (systemd.unit(5)). name: of its file, like wow-stack@.path."""
    enabled = (root / "appliance/node/units-enabled").read_text(encoding="ascii")
    return re.findall(rf"^{re.escape(name).replace('@', '@(.+)')}$", enabled, re.M)


def is_python(name: str, text: str) -> bool:
    """Whether a file is Python, by its name or its first line."""
    return name.endswith(".py") or text.startswith("#!/usr/bin/python3")


def values(name: str, text: str) -> set:
    """The numbers and whole strings that code of Python or C# has; of other files none."""
    if is_python(name, text):
        return {node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant) and type(node.value) in (int, str)}
    if not name.endswith(".cs"):
        return set()
    code = COMMENT.sub("", text)
    return {one[1:-1] for one in STRING.findall(code)} | {int(one.replace("_", ""), 0) for one in NUMBER.findall(STRING.sub("", code)) if one == "0" or not re.match("0[0-9]", one)}
