"""Lines for the console and the serial port, by way of the kernel: agetty's vhangup cuts everybody else off the terminal."""
import os
import sys

from wow.lib import files
from wow.lib.errors import WowError

# The kernel shows what is more urgent than its console level; "quiet" on its command line leaves only levels 0 to 3.
LEVEL = 3
KMSG = "/dev/kmsg"
LONGEST = 900
NOTICE = "/run/issue.d/wow.issue"
"""What agetty shows above the login prompt, beside OWN."""
OWN = "/run/issue.d/wow-own.issue"
OF_START, MOST_OF_START = "/run/wow/config.errors", 20
"""What wow-config found wrong at this start, a line each, so many at most."""
STEPS, MOST_STEPS = "/run/wow/steps", 12
"""The last lines, for the page on the console (the node's script `page`), as people read them; so many are kept."""


def value(fact: object) -> str:
    """A value as it stands after key=: quoted when it holds a blank, on one line."""
    text = " ".join(str(fact).replace('"', "'").split())
    return f'"{text}"' if " " in text or not text else text


def line(step: str, now: float, **facts: object) -> str:
    """One line, `WOW: STEP t=SECONDS key=value ...`; what has no value is left out."""
    shown = "".join(f" {key}={value(fact)}" for key, fact in facts.items() if fact not in (None, ""))
    return f"WOW: {step} t={now:.2f}{shown}"[:LONGEST]


def uptime(path: str = "/proc/uptime") -> float:
    """Seconds since the machine started (proc_uptime(5))."""
    with open(path, encoding="ascii") as file:
        return float(file.read().split()[0])


def say(step: str, **facts: object) -> None:
    """Writes one line to the console; on a machine without /dev/kmsg (a container) to standard error."""
    now = uptime()
    text = line(step, now, **facts)
    remember(step, now, facts)
    try:
        with open(KMSG, "wb", buffering=0) as file:
            file.write(f"<{LEVEL}>{text}\n".encode())
    except OSError:
        print(text, file=sys.stderr, flush=True)


def remember(step: str, now: float, facts: "dict[str, object]") -> None:
    """Keeps a step for the page. What is wrong stands there as a sentence of its own, so here only that something was."""
    shown = "see below" if step == "error" else " ".join(f"{key}={value(fact)}" for key, fact in facts.items() if fact not in (None, ""))
    try:
        kept = files.read(STEPS).splitlines()[1 - MOST_STEPS:]
        files.write(STEPS, "\n".join([*kept, f"{now:6.0f} s  {step:<12} {ascii_only(shown)}"]) + "\n")
    except OSError:
        pass


def ascii_only(text: str) -> str:
    """A text without what a terminal obeys, and without letters that the screen's font may not have."""
    return "".join(one if " " <= one <= "~" else "?" for one in " ".join(text.split()))


def say_error(error: WowError) -> None:
    """Tells what is wrong, and leaves it above the login prompt until `clear_error`."""
    say("error", file=error.file, key=error.key, what=error.what, todo=error.todo)
    leave_notice(str(error))


def say_of_start(error: WowError) -> None:
    """Tells what wow-config found wrong. It holds until the next start, whatever becomes of the machine's joining."""
    say_error(error)
    try:
        files.write(OF_START, "".join(f"{one}\n" for one in [*of_start(), " ".join(str(error).split())][:MOST_OF_START]))
    except OSError:
        pass


def of_start() -> list[str]:
    """What wow-config found wrong at this start."""
    return files.read(OF_START).splitlines()


def begin() -> None:
    """Forgets what was wrong before, at a start of wow-config."""
    _remove(OF_START)
    _remove(NOTICE)


def notice() -> str:
    """What stands above the login prompt, without what wow-config found wrong: that is told beside it."""
    text = files.read(NOTICE)
    return "" if text in map(_notice, of_start()) else text.strip()


def say_change(kept: str, error: WowError | None) -> None:
    """What keeps a program that is started again and again, None for nothing: told once, and taken from above the login prompt when it is over. kept: the file that
    remembers it."""
    former, now = files.read(kept), str(error or "")
    if now == former:
        return
    files.write(kept, now)
    if error is not None:
        say_error(error)
    elif files.read(NOTICE) == _notice(former):
        clear_error()


def _notice(text: str) -> str:
    # A backslash starts one of agetty's escapes.
    return f"WOW: {text}\n\n".replace("\\", "/")


def leave_own(address: str) -> None:
    """Says above the login prompt where ssh reaches this machine on its own network; nothing where the address is empty."""
    if address:
        _put(OWN, f"on its own network this machine is {address}. People of pool.conf log in by ssh NAME@{address}; by a forwarded port if the hypervisor has it on NAT")
    else:
        _remove(OWN)


def leave_notice(text: str) -> None:
    """Puts one line above the login prompt."""
    _put(NOTICE, text)


def clear_error() -> None:
    """Takes what is wrong away from above the login prompt again; what wow-config found wrong at this start comes back there."""
    if found := of_start():
        leave_notice(found[-1])
    else:
        _remove(NOTICE)


def _put(place: str, text: str) -> None:
    try:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w", encoding="utf-8") as file:
            file.write(_notice(text))
    except OSError:
        pass


def _remove(place: str) -> None:
    try:
        os.unlink(place)
    except OSError:
        pass
