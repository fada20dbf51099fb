"""Lines for the console and the serial port, by way of the kernel: agetty's vhangup cuts everybody else off the terminal."""

# The kernel shows what is more urgent than its console level; "quiet" on its command line leaves only levels 0 to 3.
LEVEL = 3
KMSG = "/dev/kmsg"
LONGEST = 900


def value(text):
    """A value as it stands after key=: quoted when it holds a blank, on one line."""
    text = " ".join(str(text).replace('"', "'").split())
    return f'"{text}"' if " " in text or not text else text


def line(step, uptime, **facts):
    """One line, `WOW: STEP t=SECONDS key=value ...`; what has no value is left out."""
    shown = "".join(f" {key}={value(fact)}" for key, fact in facts.items() if fact not in (None, ""))
    return f"WOW: {step} t={uptime:.2f}{shown}"[:LONGEST]


def uptime():
    """Seconds since the machine started."""
    with open("/proc/uptime", encoding="ascii") as file:
        return float(file.read().split()[0])


def say(step, **facts):
    """Writes one line to the console; on a machine without /dev/kmsg (a container) to standard error."""
    text = line(step, uptime(), **facts)
    try:
        with open(KMSG, "wb", buffering=0) as file:
            file.write(f"<{LEVEL}>{text}\n".encode())
    except OSError:
        import sys
        print(text, file=sys.stderr, flush=True)


def say_error(error):
    """Tells a WowError, and leaves it above the login prompt (agetty shows /run/issue.d) until `clear_error`."""
    say("error", file=error.file, key=error.key, what=error.what, todo=error.todo)
    leave_notice(str(error))


def leave_notice(text):
    """Puts one line above the login prompt."""
    import os
    try:
        os.makedirs("/run/issue.d", exist_ok=True)
        with open("/run/issue.d/wow.issue", "w", encoding="utf-8") as file:
            # A backslash starts one of agetty's escapes.
            file.write(f"WOW: {text}\n\n".replace("\\", "/"))
    except OSError:
        pass


def clear_error():
    """Takes the line above the login prompt away again."""
    import os
    try:
        os.unlink("/run/issue.d/wow.issue")
    except OSError:
        pass
