"""What wow-ca says to programs (docs/contract/authority.json): the reference, and what of a message is not as it says. test/CaService.Tests holds the program to it."""
import pathlib
from typing import NamedTuple

from contract import control, markdown
from contract.source import Broken, load, sentence

SOURCE = "docs/contract/authority.json"


class Authority(NamedTuple):
    """The whole contract. `commands` is {command: names of its replies}; `messages`, `replies` and `parts` are {name: (sentence, (Field, ...))}."""
    about: str
    commands: dict
    messages: dict
    replies: dict
    parts: dict


def read(root: pathlib.Path) -> Authority:
    """The contract. Broken: it contradicts itself."""
    source = load(root / SOURCE)
    found = Authority(sentence(source["about"]), source["commands"],
                      *({name: (sentence(one["says"]), control.fields_of(SOURCE, one)) for name, one in source[kind].items()} for kind in ("messages", "replies", "parts")))
    named = {name for names in found.commands.values() for name in names}
    if named != set(found.replies):
        raise Broken(f"{SOURCE}: {sorted(named ^ set(found.replies))} is a reply without a command, or the other way about")
    used = set()
    for name, (_, fields) in [*found.messages.items(), *found.replies.items(), *found.parts.items()]:
        for field in fields:
            used.add(field.core)
            if field.core not in control.PLAIN and field.core not in found.parts:
                raise Broken(f"{SOURCE}: {name}.{field.name} is of the type {field.type}; there are {', '.join(control.PLAIN)}, the parts, and lists of them")
    if unused := set(found.parts) - used:
        raise Broken(f"{SOURCE}: nothing is made of {sorted(unused)}")
    return found


def reference(root: pathlib.Path) -> str:
    """The contract in Markdown."""
    found = read(root)
    lines = [*markdown.paragraph(found.about), "", "## The socket", ""]
    lines += _items(found.messages)
    lines += ["", "## Replies", ""]
    for command, names in found.commands.items():
        for name in names:
            says, fields = found.replies[name]
            lines += markdown.item(f"**{command}**: {says}")
            lines += markdown.fields(fields)
    lines += ["", "## Parts", ""]
    lines += _items(found.parts)
    return "\n".join(lines)


def _items(found: dict) -> list:
    lines = []
    for name, (says, fields) in found.items():
        lines += markdown.item(f"**{name}**: {says}")
        lines += markdown.fields(fields)
    return lines


def faults(found: Authority, name: str, value) -> list:
    """What of a reply is not as the contract says; empty if it is right."""
    return control.faults(control.Control("", (), {}, found.replies, found.parts), name, value)
