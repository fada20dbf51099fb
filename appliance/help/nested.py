"""Verbs of a verb: `wow pool` reads its own command line by argparse, and its verbs are commands of two words here."""

import argparse


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
    options, words, choices = [], [], []
    for action in parser._actions:
        if isinstance(action, argparse._HelpAction):
            continue
        value = "" if action.nargs == 0 else action.metavar or action.dest.upper()
        if action.option_strings:
            short = next((one for one in action.option_strings if not one.startswith("--")), "")
            options.append({"name": action.option_strings[-1], "short": short, "value": value, "text": action.help, "needed": action.required})
        elif action.choices:
            choices += list(action.choices)
            words.append("|".join(action.choices))
        else:
            words.append(f"{value}..." if action.nargs == "+" else value)
    shown = [f"{one['name']} {one['value']}".strip() for one in options]
    usage = " ".join(["wow", name, *words, *(text if one["needed"] else f"[{text}]" for one, text in zip(options, shown))])
    return {"name": name, "usage": usage, "words": " ".join(words), "choices": choices, "summary": summary, "options": options}
