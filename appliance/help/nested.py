"""Verbs of a verb: `wow pool` reads its own command line by argparse, and its verbs are commands of two words here."""

import argparse

import plain


def whole(commands, name, parser):
    """The commands with those of a verb that has verbs, each right behind it; that one takes no options itself."""
    found = []
    for command in commands:
        if command["name"] == name:
            below = verbs(parser)
            found.append({**command, "words": "VERB", "usage": f"wow {name} VERB [OPTIONS]", "options": [], "choices": list(below)})
            found += [table(f"{name} {verb}", one, summary) for verb, (one, summary) in below.items()]
        else:
            found.append(command)
    return found


def verbs(parser):
    """{verb: (its parser, its summary)}."""
    sub = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    summaries = {action.dest: action.help for action in sub._choices_actions}
    return {name: (one, summaries[name]) for name, one in sub.choices.items()}


def table(name, parser, summary):
    """What an argparse parser takes, as our own verbs say it."""
    words, choices, options = plain.facts(parser)
    return {"name": name, "usage": plain.usage(parser), "words": " ".join(words), "choices": choices, "summary": summary, "options": options}
