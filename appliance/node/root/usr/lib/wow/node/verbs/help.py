"""wow help"""
import json

import dispatch

USAGE = "wow help [VERB] [--json]"
SUMMARY = "says what each verb does"


def run(arguments):
    """Prints one verb's usage, or all verbs."""
    found, words = dispatch.options(arguments, ("--json",))
    if len(words) > 1:
        raise dispatch.UsageError("at most one verb")
    if words:
        if words[0] not in dispatch.verbs():
            raise dispatch.UsageError(f'"{words[0]}" is not a verb. One of: {", ".join(dispatch.verbs())}')
    if "--json" in found:
        print(json.dumps([{"verb": name, "usage": dispatch.load(name).USAGE, "summary": dispatch.load(name).SUMMARY} for name in words or dispatch.verbs()]))
        return
    if words:
        verb = dispatch.load(words[0])
        print(f"{verb.USAGE}\n    {verb.SUMMARY}")
        return
    print("usage: wow VERB [OPTIONS]\n")
    for name in dispatch.verbs():
        print(f"  {name:8}  {dispatch.load(name).SUMMARY}")
