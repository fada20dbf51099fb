"""wow-asked: does what a user of this machine asked for (asking.py), and nothing else."""
import grp
import os
import pwd
import shutil
import stat
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import asking
import console
import enrol
import files
import poolconf
import system
from errors import WowError
from generate import paths, users

LARGEST = 300
# Numbers of accounts stay, because homes belong to them; machine-id is the initrd's; condor is a mount point that is emptied.
STAYS = {"users", "machine-id"}


def main():
    """Handles every request that is there."""
    for name, answer in (("enroll", enroll), ("reset", lambda _: reset())):
        path = f"{asking.FOLDER}/{name}"
        if os.path.lexists(path):
            text = take(path)
            try:
                if text is not None:
                    answer(text.strip())
            except WowError as error:
                console.say_error(error)
    return 0


def may_ask(uid):
    """Whether the owner of a request is root or one of the people of pool.conf."""
    if uid == 0:
        return True
    try:
        return pwd.getpwuid(uid).pw_name in grp.getgrgid(users.GROUP_ID).gr_mem
    except KeyError:
        return False


def take(path):
    """The text of a request, None for what is no plain small file of its own, written by somebody who may ask; gone afterwards."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            # A second name would make it somebody else's file: what it says is not for the folder that it was put into.
            plain = stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and may_ask(status.st_uid)
            print(f"{path}: asked by number {status.st_uid}{'' if plain else ', refused'}", flush=True)  # for the journal
            data = file.read(LARGEST + 1) if plain else b""
        text = data.decode("utf-8") if plain and len(data) <= LARGEST else None
    except (OSError, UnicodeDecodeError):
        text = None
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        os.unlink(path)
    return text


def enroll(ticket):
    """Takes up a ticket and joins again."""
    if ticket:
        if not poolconf.is_ticket(ticket):
            raise WowError("is not ID:SECRET", "Copy the line that `wow-ca ticket` printed, without blanks", "wow enroll", "--ticket")
        files.write(enrol.TICKET, ticket + "\n", 0o600)
    system.systemctl("restart", "--no-block", "wow-join.service")


def reset():
    """Forgets the machine's identity and starts it again."""
    system.systemctl("stop", "wow-join.service", "condor.service", "strongswan.service", "wow-ca.service", "ipopd.service")
    wipe(paths.STATE)
    console.say("config", reset="done", next="starting again")
    system.systemctl("reboot", "--no-block")


def wipe(folder):
    """Removes what makes up the identity: key, certificate, CA, accepted pool.conf, host keys, last address, queued jobs."""
    for name in os.listdir(folder):
        path = f"{folder}/{name}"
        if name == "condor":
            for inner in os.listdir(path):
                remove(f"{path}/{inner}")
        elif name not in STAYS:
            remove(path)
    os.sync()


def remove(path):
    """A file, link or whole folder."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        os.unlink(path)


if __name__ == "__main__":
    sys.exit(main())
