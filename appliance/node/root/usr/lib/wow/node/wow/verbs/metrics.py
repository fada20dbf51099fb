"""wow metrics"""
import json

from wow.lib import control, paths
from wow.lib.verb import JSON, SOCKET, Given, Verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    class Sample(TypedDict):
        """One figure."""
        name: str
        labels: dict[str, str]
        value: float


def run(given: Given) -> int:
    """Prints the figures."""
    text = control.ask("metrics", given.get(SOCKET, paths.SOCKET))["text"]
    if given.has(JSON):
        print(json.dumps(samples(text)))
    else:
        print(text, end="")
    return 0


def samples(text: str) -> "list[Sample]":
    """The figures of the text; ipopd writes no time stamps."""
    found: list[Sample] = []
    for line in text.splitlines():
        if line and not line.startswith("#"):
            series, value = line.rsplit(" ", 1)
            name, brace, rest = series.partition("{")
            found.append({"name": name, "labels": labels(rest[:-1]) if brace else {}, "value": float(value)})
    return found


def labels(text: str) -> dict[str, str]:
    """The labels between the braces."""
    found: dict[str, str] = {}
    at = 0
    while at < len(text):
        name, _, rest = text[at:].partition('="')
        value, end = "", 0
        while rest[end] != '"':
            if rest[end] == "\\":
                end += 1
                value += {"n": "\n"}.get(rest[end], rest[end])
            else:
                value += rest[end]
            end += 1
        found[name] = value
        at += len(name) + 2 + end + 2
    return found


VERB = Verb("metrics", "", "ipopd's figures in Prometheus' text format", (JSON, SOCKET), run)
