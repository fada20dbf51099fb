"""wow accept"""
from wow.lib.verb import JSON, Given, Verb
from wow.refuse import ask


def run(given: Given) -> int:
    """Accepts a project again."""
    return ask.ask(given, "accept")


VERB = Verb("accept", "[PROJECT]", "takes jobs of a project again that was refused on this machine; without a name says what is refused", (JSON,), run)
