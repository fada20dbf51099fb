"""Which Python modules of a folder know which, by their import statements: also those inside functions and those for types alone, for who reads a module reads them
all."""
import ast
import pathlib


def find(folder: pathlib.Path) -> dict[str, set[str]]:
    """The modules of a folder, by dotted names from there, and for each those of the same folder that it imports."""
    paths = {_name(path.relative_to(folder)): path for path in folder.rglob("*.py")}
    return {name: {to for to in _imported(path) if to in paths} for name, path in paths.items()}


def circles(arrows: dict[str, set[str]]) -> list[list[str]]:
    """The sets of modules of which each leads to each other (Tarjan, Depth-first search and linear graph algorithms, 1972)."""
    number, lowest, stack, found = {}, {}, [], []

    def visit(name):
        number[name] = lowest[name] = len(number)
        stack.append(name)
        for to in arrows[name]:
            if to not in number:
                visit(to)
            if to in stack:
                lowest[name] = min(lowest[name], lowest[to])
        if lowest[name] == number[name]:
            circle = stack[stack.index(name):]
            del stack[stack.index(name):]
            if len(circle) > 1 or name in arrows[name]:
                found.append(sorted(circle))

    for name in arrows:
        if name not in number:
            visit(name)
    return found


def _name(path: pathlib.Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(path: pathlib.Path) -> set[str]:
    """What it imports, and for `from a import b` both a and a.b, as b may be a module."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{name.name}" for name in node.names}
    return found
