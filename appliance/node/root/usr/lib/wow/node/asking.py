"""How an ordinary user of this machine asks for what only root may do: a file in /run/wow/asked, which group wow may write to. No program
is set-uid and nobody needs a password. wow-asked.path sees the file and starts asked.py."""
import os

from errors import WowError
from generate import paths

FOLDER = f"{paths.RUN}/asked"


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


def make(group, folder=FOLDER):
    """Makes the folder: its group may add to it, but neither list it nor touch what others left."""
    os.makedirs(folder, exist_ok=True)
    os.chown(folder, 0, group)
    os.chmod(folder, 0o1730)
