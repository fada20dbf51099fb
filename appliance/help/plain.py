"""A command line of argparse whose help has the form of wow's own verbs: a line of usage, what it does, then a line for each word and option."""

import argparse


class Parser(argparse.ArgumentParser):
    """Takes what argparse takes. A parser with verbs names them, each with its summary; they are of this class, too."""

    def format_usage(self):
        """What stands before a message of wrong usage."""
        return f"usage: {usage(self)}\n"

    def format_help(self):
        """What --help prints."""
        rows = [row for action in self._actions for row in _rows(action)]
        width = max((len(shown) for shown, _ in rows), default=0)
        return "\n".join([f"usage: {usage(self)}", "", (self.description or "").strip(), "", *(f"  {shown:{width}}  {text}" for shown, text in rows), ""])


def usage(parser):
    """One line: the words in their order, then the options."""
    found, _, options = facts(parser)
    shown = [(f"{one['name']} {one['value']}".strip(), one["needed"]) for one in options]
    return " ".join([parser.prog, *found, *(text if needed else f"[{text}]" for text, needed in shown)])


def facts(parser):
    """(words, choices, options) of a parser, as our own verbs say them: an option has name, short, value, text, and whether it is needed."""
    found, choices, options = [], [], []
    for action in parser._actions:
        if isinstance(action, argparse._HelpAction):
            continue
        if action.option_strings:
            short = next((one for one in action.option_strings if not one.startswith("--")), "")
            options.append({"name": action.option_strings[-1], "short": short, "value": _value(action), "text": action.help, "needed": action.required})
        else:
            choices += list(action.choices or ())
            found.append(_word(action))
    return found, choices, options


def _value(action):
    return "" if action.nargs == 0 else action.metavar or action.dest.upper()


def _word(action):
    if isinstance(action, argparse._SubParsersAction):
        return f"{action.metavar} [OPTIONS]"
    if action.choices:
        return "|".join(action.choices)
    return {"+": "{}...", "*": "[{}...]", "?": "[{}]"}.get(action.nargs, "{}").format(_value(action))


def _rows(action):
    """(what is typed, what it means) for a line of help each."""
    if isinstance(action, argparse._HelpAction):
        return []
    if isinstance(action, argparse._SubParsersAction):
        return [(one.dest, one.help) for one in action._choices_actions]
    if not action.option_strings:
        return [(_word(action).strip("[]"), action.help)]
    short = "".join(f" ({one})" for one in action.option_strings if not one.startswith("--"))
    return [(f"{action.option_strings[-1]} {_value(action)}".strip(), f"{action.help}{short}")]
