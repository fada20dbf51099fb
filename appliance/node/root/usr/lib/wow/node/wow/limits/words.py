"""Limits in words, and what they wait for: for `wow limit`, `wow status` and both pages."""
from wow.lib import errors, table
from wow.limits import line, month, share, state, tell
from wow.slots import freeze

NONE = "none"


def size(megabytes: int) -> str:
    """As people say it, and as `wow limit set` takes it."""
    return f"{megabytes // 1024}G" if megabytes % 1024 == 0 else f"{megabytes}M"


def value(limits: state.Limits, name: str) -> str:
    """One limit."""
    said = limits.values()[name]
    if said is None:
        return NONE
    if name == "percent":
        return f"{said} % of one processor"
    if name == "speed":
        return f"{said} kB/s sent"
    if name == "month":
        return f"{said} GB a month, of which {table.size(sum(month.read().carried))} are used"
    return size(said) if isinstance(said, int) and name != "processors" else str(said)


def sentence(limits: state.Limits) -> str:
    """All that hold, short; empty where none does."""
    found = []
    if limits.percent is not None:
        found.append(f"{limits.percent} % of a processor")
    if limits.processors is not None:
        found.append(f"{limits.processors} processor{'' if limits.processors == 1 else 's'}")
    if limits.memory is not None:
        found.append(f"{size(limits.memory)} memory")
    if limits.disk is not None:
        found.append(f"{size(limits.disk)} disk")
    found += [value(limits, name) for name in ("speed", "month") if limits.values()[name] is not None]
    if limits.hours:
        found.append(limits.hours)
    return "; ".join(found)


def trouble() -> str | None:
    """What is wrong with the file in which they are kept; None if nothing is."""
    return errors.trouble(state.load)


def waits(limits: state.Limits) -> list[str]:
    """What has not happened yet."""
    found = []
    if limits.percent is not None and (held := share.found(limits.percent)) != share.HOLDS:
        found.append("The share of a processor holds when the next job begins." if held == share.LATER
                     else "The share of a processor does not hold: this kernel counts none by control groups. Start the image's own kernel.")
    if limits.speed is not None and not line.is_told(limits.speed):
        found.append("The speed holds in a moment, or when ipopd runs.")
    if not tell.is_told():
        found.append("HTCondor is told in a moment, or when it runs.")
    if limits.held() != (None, None, None) and (jobs := freeze.running()):
        found.append("The job that runs keeps what it has until it ends." if jobs == 1 else f"The {jobs} jobs that run keep what they have until they end.")
    return found
