"""The owner's computer in words, for the verbs and both pages."""
from wow.computer import report, seen, settings

BY = {"battery": "the owner's computer, which runs on battery", "used": "the owner's computer, which somebody uses", "busy": "the owner's computer, which is busy"}
BY_WHO = {seen.WHO[why]: said for why, said in BY.items()}
"""By whom a pause is."""
ANYWAY = {"battery": ("battery", "no"), "used": ("used", "none"), "busy": ("busy", "no")}
"""What is chosen so that jobs run all the same."""
TYPES = {seen.WHO[why]: f"Type `wow computer set {name} {value}` to let jobs run all the same." for why, (name, value) in ANYWAY.items()}
SHORT = {seen.WHO["battery"]: "Your computer runs on battery", seen.WHO["used"]: "Somebody uses your computer", seen.WHO["busy"]: "Your computer is busy"}
OTHERS = "its owner's computer runs on battery, is used or busy"
"""For others of the pool: which of them, and so whether somebody is there, is not theirs to know."""


def ago(seconds: float) -> str:
    """How long ago."""
    return f"{seconds:.0f} s ago" if seconds < 120 else f"{seconds / 60:.0f} min ago" if seconds < 7200 else f"{seconds / 3600:.0f} h ago"


def heard(told: report.Report | None, now: float) -> str:
    """The newest report. now: seconds since this machine started."""
    if told is None:
        return "nothing heard"
    parts = []
    if told.idle is not None:
        parts.append(f"idle for {told.idle} s")
    if told.battery is not None:
        parts.append(("on battery" if told.battery else "plugged in") + (f" {told.charge} %" if told.charge is not None else ""))
    late = "" if told.age(now) is not None else f"; that is too long ago to count ({report.FRESH // 60} min)"
    return f"heard {ago(max(0.0, now - told.when))}: {', '.join(parts)}{late}"


def load(found: seen.Seen) -> str:
    """How busy it is."""
    if found.share is None:
        return "not measured, for no job runs"
    return f"{'yes' if found.busy else 'no'}: it takes {found.share} % of a processor's time from this machine"


def chosen(one: settings.Settings) -> dict[str, str]:
    """Each choice, as `wow computer set` takes it."""
    return {"battery": "yes" if one.battery else "no", "used": "none" if one.used is None else str(one.used), "busy": "yes" if one.busy else "no",
            "restart": "yes" if one.restart else "no"}
