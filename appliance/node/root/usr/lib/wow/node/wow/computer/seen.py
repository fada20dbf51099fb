"""What wow-jobs makes of the owner's computer: a small file for all who show it, and the pause that follows from it. Nobody keeps that pause: it is there while its
reason is."""
from wow.computer import report
from wow.lib import files, paths
from wow.lib.whole import is_whole
from wow.pause.state import LAST, Pause

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from wow.computer.settings import Settings

FILE = f"{paths.RUN}/computer.json"
WHO = {"battery": "wow-battery", "used": "wow-used", "busy": "wow-busy"}
"""Stands where a pause has the name of who asked for it, by the reason; the first one that holds counts."""


class Seen:
    """why: the reason of the pause that follows, None if there is none; since: when that began, seconds since 1970. busy: whether the computer is; share: how much of
    a processor it takes from this machine, percent, None where that is not measured. told: its newest report."""

    __slots__ = ("why", "since", "busy", "share", "told")

    def __init__(self, why: str | None = None, since: int = 0, busy: bool = False, share: int | None = None, told: report.Report | None = None) -> None:
        self.why, self.since, self.busy, self.share, self.told = why, since, busy, share, told

    def facts(self) -> "dict[str, Any]":
        """For the file, and for programs."""
        return {"why": self.why, "since": self.since, "busy": self.busy, "share": self.share, "told": self.told.facts() if self.told else None}

    def pause(self) -> Pause | None:
        """What follows from it."""
        return Pause(self.since, None, False, WHO[self.why]) if self.why else None


def read(path: str | None = None) -> Seen:
    """What the file says; nothing where it is not there or no good."""
    found = report.kept(path or FILE)
    why, since, share = found.get("why"), found.get("since"), found.get("share")
    if why not in (None, *WHO) or not is_whole(since, 0, LAST) or not (share is None or is_whole(share, 0, 100)):
        return Seen()
    return Seen(why, since, found.get("busy") is True, share, report.made(found.get("told")))


def write(found: Seen) -> None:
    """Makes the file, for root and group wow: whether somebody sits at the computer is nothing for jobs."""
    import json
    files.write(FILE, json.dumps(found.facts()) + "\n", 0o640)


def reason(chosen: "Settings", told: report.Report | None, is_busy: bool) -> str | None:
    """Why jobs stand still now; None if they do not."""
    if chosen.battery and told and told.battery:
        return "battery"
    if chosen.used is not None and told and told.idle is not None and told.idle < chosen.used * 60:
        return "used"
    return "busy" if chosen.busy and is_busy else None


def pause() -> Pause | None:
    """The pause that holds; None if there is none."""
    return read().pause()
