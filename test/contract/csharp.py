"""Pieces of C#."""
import json
import textwrap
import xml.sax.saxutils

WIDTH = 150
GLUE = "\u00a0"
"""A blank that is no place to end a line."""


def pascal(name: str) -> str:
    """The C# name of a name with hyphens or underscores."""
    return "".join(part[:1].upper() + part[1:] for part in name.replace("_", "-").split("-"))


def text(value: str) -> str:
    """A literal of ASCII."""
    return json.dumps(value)


def summary(says: str, indent: str = "    ") -> str:
    """A comment of documentation."""
    says = xml.sax.saxutils.escape(says)
    one = f"{indent}/// <summary>{says}</summary>"
    if len(one) <= WIDTH:
        return one
    return "\n".join([f"{indent}/// <summary>", *textwrap.wrap(
        says, WIDTH, initial_indent=f"{indent}/// ", subsequent_indent=f"{indent}/// ", break_long_words=False, break_on_hyphens=False), f"{indent}/// </summary>"])


def file(source: str, namespace: str, body: str, usings: tuple = ()) -> str:
    """A whole file."""
    head = [f"// Made of {source} by `test/figures --write`; a test fails where they differ.", "#nullable enable"]
    return "\n".join([*head, *(f"using {one};" for one in usings), *([""] if usings else []), f"namespace {namespace};", "", body]) + "\n"


def parameter(name: str, says: str) -> str:
    """A parameter's comment; beyond the width, on lines of its own."""
    says = xml.sax.saxutils.escape(says)
    one = f'/// <param name="{name}">{says}</param>'
    return one if len(one) <= WIDTH else "\n".join(textwrap.wrap(
        one, WIDTH, subsequent_indent="/// ", break_long_words=False, break_on_hyphens=False))


def wrapped(head: str, parts: list, tail: str) -> list:
    """A list of parts with commas between, on as few lines as it needs."""
    whole = head + ", ".join(parts) + tail
    if len(whole) <= WIDTH:
        return [whole]
    # No line ends inside a part.
    glued = (", ".join(part.replace(" ", GLUE) for part in parts) + tail.replace(" ", GLUE))
    return [head, *(line.replace(GLUE, " ") for line in textwrap.wrap(
        glued, WIDTH, initial_indent="    ", subsequent_indent="    ", break_long_words=False, break_on_hyphens=False))]
