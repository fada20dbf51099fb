"""The programs by which disks are read and written. What one says of a user's file becomes one line."""

import os
import re
import subprocess

# Their words are looked for, so they are English.
ENVIRONMENT = {**os.environ, "LC_ALL": "C", "PATH": f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"}
LOCKED = re.compile(r"Failed to (get|lock)|Is another process using")
FULL = "No space left on device"


class ImageError(Exception):
    """What is wrong with the user's input, and what to do."""


def run(*command, about, cwd=None, good=(0,)):
    """What a program prints. ImageError about the file `about` where it ends with another code than the good ones."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, cwd=cwd, env=ENVIRONMENT, stdin=subprocess.DEVNULL)
    if done.returncode not in good:
        raise refusal(about, command[0], done.stderr or done.stdout)
    return done.stdout


def refusal(about, program, said):
    """The ImageError for what a program said of a file."""
    if LOCKED.search(said):
        return ImageError(f"{about}: is in use: a machine runs from it, or another program writes it; switch the machine off first")
    if FULL in said:
        return ImageError(f"{about}: there is no room left where it lies; make room, and try again")
    words = " ".join(line.strip() for line in said.splitlines()[-2:])
    return ImageError(f"{about}: {program} says: {words or 'nothing'}")
