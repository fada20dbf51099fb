"""wow boot"""
from wow.agent import again
from wow.lib import modes, sure
from wow.lib.verb import JSON, Given, UsageError, Verb


def run(given: Given) -> int:
    """Asks the person, then root."""
    mode, *rest = given.words or [""]
    if mode not in modes.MODES:
        raise UsageError(f"name the mode: {', '.join(modes.MODES)} NAME")
    if len(rest) != (mode == modes.DEVELOP):
        raise UsageError("develop needs the name of one module" if mode == modes.DEVELOP else f"nothing belongs behind {mode}")
    return again.start(given, mode, **({"module": rest[0]} if rest else {}))


VERB = Verb("boot", "release|ephemeral|develop NAME", "starts this machine again, for that one start in another mode: release is the usual one, ephemeral keeps "
            "nothing, develop keeps what is written to the system with module NAME", (sure.YES, JSON), run, modes.MODES)
