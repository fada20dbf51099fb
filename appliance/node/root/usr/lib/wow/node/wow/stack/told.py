"""What people are told of the pool's modules: by the initrd of the stack that this start has (kept.STARTED, kept.LIST), by wow-stack of the one that is published."""
import json
import os
import time

from wow.lib import files, paths
from wow.stack import kept, term
from wow.stack import said as wow_stack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    from wow.stack.text import Stack

    class Said(TypedDict, total=False):
        """wow-stack's file."""
        code: str
        what: str
        todo: str
        number: int | None
        modules: list[str]
        restart_by: int | None
        system: bool
        until: int | None

    class Again(TypedDict):
        """What wow-jobs says of a restart by itself for the stack of that number: at which second of the monotonic clock it is due; why it is held at this moment, or
        never comes."""
        number: int
        at: float
        never: bool
        why: str

    class Told(TypedDict):
        """code: what became of the published stack; number, modules and restart_by are its; restart: the one by itself that it waits for; system: whether
        another base comes with it. source: which stack this start has, with number, modules, and those that pool.conf leaves out; left: one that the
        initrd did not take, and why."""
        code: str
        what: str
        todo: str
        number: int | None
        modules: list[str]
        source: str
        started: int | None
        stacked: list[str]
        unchosen: list[str]
        left: int | None
        why: str
        restart_by: int | None
        restart: Again | None
        system: bool

FILE = wow_stack.FILE
AGAIN_FILE = f"{paths.RUN}/restart.json"
QUIET = ("", "image", "taken", "trial", "next", "fetching", "off", "ephemeral", "damaged", "rotten")
"""Codes of what is as it should be, or of what the doctor says more (damage.py)."""
LASTING = ("image", "taken", "trial", "next", "off", "ephemeral")
"""Those of a machine that waits for nothing but news. When the stack's time is over they are told as `stale`."""
AGAIN = "It is tried again by itself"
RESTART = "`wow boot release` starts this machine again at once"


def leave(code: str, stack: "Stack | None", what: str, todo: str, is_system: bool = False) -> None:
    """For `wow status`, the doctor and the pages."""
    said = {"code": code, "what": what, "todo": todo, "number": stack.number if stack else None, "modules": stack.modules if stack else [],
            "restart_by": stack.restart_by if stack else None, "system": is_system, "until": term.end_of(stack, term.read()) if stack else None}
    files.write(FILE, json.dumps(said) + "\n")


def forget() -> None:
    """There is no published stack to tell of. OSError."""
    if os.path.exists(FILE):
        os.unlink(FILE)


def read(path: str = "", started: str = "", listed: str = "") -> "Told | None":
    """What there is to tell; None where the pool never published a stack and pool.conf leaves no module out, and outside of an image."""
    first = kept.of_start(started or kept.STARTED)
    said = _said(path or FILE)
    has = kept.read(listed or kept.LIST)
    stacked = kept.stacked(has)
    unchosen = [name for name in kept.modules(has) if name not in stacked]
    if not first or not (said or unchosen or "number" in first or "left" in first):
        return None
    code, what, todo, until = said.get("code", ""), said.get("what", ""), said.get("todo", ""), said.get("until")
    if code in LASTING and until is not None and term.clock() >= until:
        code, (what, todo) = "stale", term.ran_out(said["number"] or 0, until)
    return {"code": code, "what": what, "todo": todo, "number": said.get("number"),
            "modules": said.get("modules", []), "source": first.get("source", ""), "started": number(first.get("number", "")),
            "stacked": stacked, "unchosen": unchosen, "left": number(first.get("left", "")), "why": first.get("why", ""),
            "restart_by": said.get("restart_by"), "restart": restart(said), "system": said.get("system", False)}


def restart(said: "Said") -> "Again | None":
    """What wow-jobs said last of the restart for this stack; None where it said nothing, or nothing waits."""
    text = files.find(AGAIN_FILE) if said.get("code") in wow_stack.CODES else None
    again: Again | None = json.loads(text) if text else None
    return again if again and again["number"] == said.get("number") else None


def _said(path: str) -> "Said":
    text = files.find(path)
    said: Said = json.loads(text) if text else {}
    return said


def number(word: str) -> int | None:
    """A number of the initrd's."""
    return int(word) if word.isascii() and word.isdigit() and len(word) < 20 else None


def now(told: "Told") -> str:
    """Which modules this start has."""
    names = ", ".join(told["stacked"]) or "none"
    if told["unchosen"]:
        names += f" (pool.conf leaves out {', '.join(told['unchosen'])})"
    if told["source"] == "image":
        return f"{names}, of this machine's image"
    return f"{names}, by the pool's stack {told['started']}" + (", which was found good before" if told["source"] == "good" else "")


def trouble(told: "Told") -> tuple[str, str]:
    """(what is wrong, what to do about it), both empty where nothing is."""
    if told["code"] not in (*QUIET, "failed"):
        return told["what"], told["todo"]
    if told["left"] is not None and told["code"] != "next" and told["left"] == (told["number"] or told["left"]):
        return (f"the pool's stack {told['left']} was not taken at this start: {told['why']}",
                "The pool's administrator publishes it anew, or another one: wow-ca publish" if told["code"] == "failed" else "")
    return "", ""


def coming(told: "Told") -> str:
    """What the next start brings, "" where nothing else."""
    names = ", ".join(told["modules"]) or "no modules"
    if told["code"] == "next":
        names = f"another system, and {names}" if told["system"] else names
        return f"with the next start: {names}, by the pool's stack {told['number']}. {RESTART}{by_itself(told)}"
    if told["code"] == "damaged":
        return f"with the next start this machine's other system, for the disk has lost a part of this one. {RESTART}{by_itself(told)}"
    if told["code"] == "off":
        return f"with the next start those of the image, for the pool took its stack back. {RESTART}{by_itself(told)}"
    return f"{names} of the pool's stack {told['number']} are being fetched" if told["code"] == "fetching" else ""


def by_itself(told: "Told") -> str:
    """When it does so by itself, or why not; "" where that is not known yet."""
    said = told["restart"]
    if said is None:
        return ""
    if said["never"]:
        return f". It does not start again by itself: {said['why']}"
    left, second = said["at"] - time.monotonic(), told["restart_by"]
    held = f" at {time.strftime('%H:%M', time.gmtime(time.time() + left))} UTC" if left > 0 else ""
    latest = "" if second is None else f"; from {time.strftime('%Y-%m-%d %H:%M', time.gmtime(second))} UTC on no job holds it"
    return f". It starts again by itself{held} when idle{latest}" + (f"; now {said['why']}" if said["why"] and left <= 0 else "")


def sentence(told: "Told | None") -> str:
    """A row of `wow status`, "" where there is nothing to tell."""
    if told is None or told["code"] in ("", "image") and told["source"] == "image" and told["left"] is None and not told["unchosen"]:
        return ""
    what, todo = trouble(told)
    return "; ".join(part for part in (now(told), coming(told), f"{what}. {todo}".strip(" .") if what else "") if part)
