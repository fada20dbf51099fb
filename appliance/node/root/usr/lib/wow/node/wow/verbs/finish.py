"""wow finish"""
from wow.lib.verb import Given, JSON, Verb
from wow.stops import ask


def run(given: Given) -> int:
    """Lets this machine's jobs end, and takes no other."""
    return ask.pause(given, finish=True)


VERB = Verb("finish", "[3h|8h|tomorrow]", "lets the jobs end that run on this machine and takes no other, for so long or until `wow resume`", (JSON,), run,
            choices=ask.CHOICES)
