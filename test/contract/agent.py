"""Requests and replies of the agent's socket, where root does things for others (docs/contract/agent.json): what the agent goes by, the reference."""
import pathlib
from typing import NamedTuple

from contract import control, markdown
from contract.source import Broken, load, sentence

SOURCE = "docs/contract/agent.json"
KINDS = {"root": "root", "member": "members", "console": "the console", "web": "the web page", "stranger": "strangers"}
"""Kinds of user, as the kernel tells them apart, and what people call them."""


class Request(NamedTuple):
    """What can be asked, and by which kinds of user."""
    command: str
    who: tuple
    says: str
    fields: tuple


class Limit(NamedTuple):
    """A number that the agent keeps to."""
    name: str
    value: int
    says: str


class Agent(NamedTuple):
    """The whole contract of the socket. `replies` is {name: (sentence, (Field, ...))}."""
    about: str
    requests: tuple
    replies: dict
    codes: dict
    limits: tuple
    parts: dict = {}


def read(root: pathlib.Path) -> Agent:
    """The contract. Broken: it contradicts itself."""
    source = load(root / SOURCE)
    found = Agent(
        sentence(source["about"]),
        tuple(Request(one["command"], tuple(one["who"]), sentence(one["says"]), control.fields_of(SOURCE, one)) for one in source["requests"]),
        {name: (sentence(one["says"]), control.fields_of(SOURCE, one)) for name, one in source["replies"].items()}, source["codes"],
        tuple(Limit(one["name"], one["value"], sentence(one["says"])) for one in source["limits"]))
    for named in (found.requests, found.limits):
        if len({one[0] for one in named}) < len(named):
            raise Broken(f"{SOURCE}: something stands twice in {[one[0] for one in named]}")
    for request in found.requests:
        if not request.who or set(request.who) - set(KINDS):
            raise Broken(f"{SOURCE}: {request.command} is for {list(request.who)}; there are {', '.join(KINDS)}")
        for field in request.fields:
            if field.type != "string?":
                raise Broken(f"{SOURCE}: {request.command}.{field.name} is of the type {field.type}: the agent takes text alone (string?), which may be left out")
    return found


def python(root: pathlib.Path) -> str:
    """allowed.py: what the agent goes by."""
    found = read(root)
    lines = [f'"""Made of {SOURCE} by `test/figures --write`: who may ask the agent for what, why it refuses, its limits."""', ""]
    lines += [f'{name.upper()} = "{name}"' for name in KINDS] + ['"""Kinds of user."""', ""]
    for code, says in found.codes.items():
        lines += [f'{_name(code)} = "{code}"', f'"""{says}"""']
    lines.append("")
    for limit in found.limits:
        lines += [f"{_name(limit.name)} = {limit.value}", f'"""{limit.says}"""']
    lines += ["", "REQUESTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {"]
    for one in found.requests:
        lines.append(f'    "{one.command}": ({_words(kind.upper() for kind in one.who)}, {_words(repr(field.name) for field in one.fields)}),'.replace("'", '"'))
    return "\n".join([*lines, "}", '"""{command: (kinds of user that may ask, fields that may stand beside `command`)}."""']) + "\n"


def _name(name: str) -> str:
    return name.replace("-", "_").upper()


def _words(words) -> str:
    """A tuple of Python."""
    words = list(words)
    return f"({', '.join(words)}{',' if len(words) == 1 else ''})"


def reference(root: pathlib.Path) -> str:
    """The socket in Markdown."""
    found = read(root)
    lines = [*markdown.paragraph(found.about), "", "## Requests", ""]
    for one in found.requests:
        lines += markdown.item(f"**{one.command}** ({', '.join(KINDS[kind] for kind in one.who)}): {one.says}")
        lines += markdown.fields(one.fields)
    lines += ["", "## Replies", ""]
    for name, (says, fields) in found.replies.items():
        lines += markdown.item(f"**{name}**: {says}")
        lines += markdown.fields(fields)
    lines += markdown.codes(found.codes)
    lines += ["", "## Limits", "", *(line for one in found.limits for line in markdown.item(f"{one.value}: {one.says}"))]
    return "\n".join(lines)


def faults(found: Agent, reply) -> list:
    """What of a reply to one request is not as the contract says; empty if it is right."""
    is_done = isinstance(reply, dict) and reply.get("ok") is True
    wrong = control.faults(found, "error" if not is_done else "login" if "login" in reply else "computer" if "token" in reply else "done", reply)
    if not wrong and not is_done:
        wrong += [] if reply.get("ok") is False else [f"ok is {reply.get('ok')!r}"]
        wrong += [] if reply["code"] in found.codes else [f"code is {reply['code']!r}, none of {', '.join(found.codes)}"]
    return wrong
