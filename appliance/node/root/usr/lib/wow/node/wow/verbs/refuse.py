"""wow refuse"""
from wow.lib.verb import JSON, Given, Verb
from wow.refuse import ask


def run(given: Given) -> int:
    """Refuses a project."""
    return ask.ask(given, "refuse")


VERB = Verb("refuse", "[PROJECT]", "takes no jobs of a project on this machine, and gives back those that run; without a name says what is refused", (JSON,), run)
