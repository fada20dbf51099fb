"""The programs by which disks are read and written. What one says of a user's file becomes one line."""

import contextlib
import os
import re
import subprocess

# Their words are looked for, so they are English.
ENVIRONMENT = {**os.environ, "LC_ALL": "C", "PATH": f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"}
LOCKED = re.compile(r"Failed to (get|lock)|Is another process using")
KNOWN = {
    "No space left on device": "there is no room left where it lies; make room, and try again",
    "needs to be replayed": "was not closed in order, for its machine was killed; first type: qemu-img check -r all FILE"}
"""What a program says, and what is told of it."""
HELD = []
"""Descriptors that each program keeps open (`held`)."""


class ImageError(Exception):
    """What is wrong with the user's input, and what to do."""


class ToldError(ImageError):
    """The program said what is wrong in words that have a meaning here."""


@contextlib.contextmanager
def held(descriptors):
    """Within it each program keeps these descriptors open, so that a lock outlives us until the program has ended."""
    HELD.extend(descriptors)
    try:
        yield
    finally:
        del HELD[len(HELD) - len(descriptors):]


def run(*command, about, cwd=None, good=(0,), text=None):
    """What a program prints that reads `text`. ImageError about the file `about` where it ends with another code than the good ones."""
    how = {"stdin": subprocess.DEVNULL} if text is None else {"input": text}
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, cwd=cwd, env=ENVIRONMENT, pass_fds=HELD, **how)
    if done.returncode not in good:
        raise refusal(about, command[0], done.stderr or done.stdout)
    return done.stdout


def refusal(about, program, said):
    """The ImageError for what a program said of a file."""
    if LOCKED.search(said):
        return ToldError(f"{about}: is in use: a machine runs from it, or another program writes it; switch the machine off first")
    for words, meaning in KNOWN.items():
        if words in said:
            return ToldError(f"{about}: {meaning}")
    words = " ".join(line.strip() for line in said.splitlines()[-2:])
    return ImageError(f"{about}: {program} says: {words or 'nothing'}")
