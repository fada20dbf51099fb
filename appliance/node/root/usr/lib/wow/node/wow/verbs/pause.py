"""wow pause"""
from wow.lib.verb import Given, JSON, Verb
from wow.stops import ask


def run(given: Given) -> int:
    """Stops this machine's jobs at once."""
    return ask.pause(given, finish=False)


VERB = Verb("pause", "[3h|8h|tomorrow]", "stops the jobs that run on this machine at once, for so long or until `wow resume`; after half an hour they go elsewhere",
            (JSON,), run, choices=ask.CHOICES)
