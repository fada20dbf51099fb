"""How an ordinary user of this machine asks for what only root may do: a file in /run/wow/asked, which group wow may write to. No program
is set-uid and nobody needs a password. wow-asked.path sees the file and starts asked.py."""
import os

import system
from errors import WowError
from generate import paths

FOLDER = f"{paths.RUN}/asked"
SIZE, INODES = "64k", 64
"""The most that all users together can leave there; a request has 300 bytes at most."""


def ask(what, text="", folder=FOLDER):
    """Leaves a request: `enroll` with a ticket or nothing, or `reset`."""
    path = f"{folder}/{what}"
    try:
        descriptor = os.open(f"{path}.{os.getpid()}", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        os.rename(f"{path}.{os.getpid()}", path)
    except FileNotFoundError:
        raise WowError("is missing: this machine has no configuration yet", "Look at the console for what is wrong with pool.conf", folder) from None
    except PermissionError:
        raise WowError("may not be written to by you", "Ask as root, or as a user named in pool.conf (group wow)", folder) from None


def make(group, folder=FOLDER, mounted=True):
    """Makes the folder: its group may add to it, but neither list it nor touch what others left. Of its own file system there is so little
    that nobody fills /run by it, nor leaves a heap that root would be long in clearing away."""
    os.makedirs(folder, exist_ok=True)
    if mounted and not os.path.ismount(folder):
        options = f"size={SIZE},nr_inodes={INODES},nosuid,nodev,noexec"
        code, said = system.run(["mount", "-t", "tmpfs", "-o", options, "asked", folder])
        if code:
            print(f"{folder} has no bound: {said}", flush=True)  # for the journal
    os.chown(folder, 0, group)
    os.chmod(folder, 0o1730)
