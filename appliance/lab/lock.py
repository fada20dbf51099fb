"""Only one lab at a time: its networks' names and addresses are this machine's."""

import fcntl
import os

import cleanup
from shell import LabError

PATH = "/run/wowlab.lock"


def take():
    """Takes the lock, held until its descriptor (returned) is closed, and stops a lab that was left running; LabError while one is being run."""
    held = os.open(PATH, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(held)
        raise LabError("another lab is being run on this machine; wait for it or end it, then try again") from None
    if cleanup.stop():
        print("stopped a lab that had been left running", flush=True)
    return held
