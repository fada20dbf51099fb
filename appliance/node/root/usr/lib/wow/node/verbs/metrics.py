"""wow metrics"""
import json

import control
import dispatch
from generate import paths

USAGE = "wow metrics [--json] [--socket PATH]"
SUMMARY = "ipopd's figures in Prometheus' text format"


def run(arguments):
    """Prints the figures."""
    found, words = dispatch.options(arguments, ("--json",), ("--socket",))
    dispatch.no_words(words)
    text = control.ask("metrics", found.get("--socket", paths.SOCKET))["text"]
    if "--json" in found:
        print(json.dumps(samples(text)))
    else:
        print(text, end="")


def samples(text):
    """[{"name", "labels", "value"}] of the text; ipopd writes no time stamps."""
    found = []
    for line in text.splitlines():
        if line and not line.startswith("#"):
            series, value = line.rsplit(" ", 1)
            name, brace, rest = series.partition("{")
            found.append({"name": name, "labels": labels(rest[:-1]) if brace else {}, "value": float(value)})
    return found


def labels(text):
    """The labels between the braces."""
    found, at = {}, 0
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
