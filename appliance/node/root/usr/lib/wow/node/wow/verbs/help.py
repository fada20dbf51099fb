"""wow help"""
import json

from wow import dispatch
from wow.lib.verb import JSON, Given, UsageError, Verb


def run(given: Given) -> int:
    """Prints one verb's help, or all verbs."""
    if len(given.words) > 1:
        raise UsageError("at most one verb")
    for name in given.words:
        if name not in dispatch.verbs():
            raise UsageError(f'"{name}" is not a verb. One of: {", ".join(dispatch.verbs())}')
    if given.has(JSON):
        print(json.dumps({"commands": [facts(dispatch.load(name)) for name in given.words or dispatch.verbs()]}))
    elif given.words:
        print("\n".join(page(dispatch.load(given.words[0]))))
    else:
        print("\n".join(overview()))
    return 0


def facts(verb: Verb) -> dict[str, object]:
    """All that a verb says about itself."""
    options = [{"name": one.name, "short": one.short, "value": one.value, "text": one.text, "needed": one.is_needed} for one in verb.options]
    return {"name": verb.name, "usage": verb.usage(), "words": verb.words, "choices": verb.choices, "summary": verb.summary, "options": options}


def page(verb: Verb) -> list[str]:
    """A verb's help."""
    width = max((len(one.shown()) for one in verb.options), default=0)
    return [f"usage: {verb.usage()}", "", f"{verb.summary[0].upper()}{verb.summary[1:]}.",
            *([""] if verb.options else []), *(f"  {one.shown():{width}}  {one.text}{f' ({one.short})' if one.short else ''}" for one in verb.options)]


def overview() -> list[str]:
    """All verbs, a line each."""
    known = [dispatch.load(name) for name in dispatch.verbs()]
    width = max(len(verb.name) for verb in known)
    return ["usage: wow VERB [OPTIONS]", "", *(f"  {verb.name:{width}}  {verb.summary}" for verb in known), "",
            "`wow VERB --help` says more of one, `wow --version` which release this is."]


VERB = Verb("help", "[VERB]", "says what each verb does", (JSON,), run,
            choices=tuple(name for name in dispatch.verbs() if name != "help"))
