"""wow-reset and wow-leave: have the machine forget who it was; then it starts again, or is switched off. The agent starts these when somebody asked for it."""
import os
import shutil

from wow.lib import console, paths, system
from wow.stack import bring, kept
from wow.stack.systems import ARMED

# Numbers of accounts stay, because homes belong to them; machine-id is the initrd's; condor is a mount point that is emptied.
STAYS = {"users", "machine-id"}
USES = ("wow-join.service", "wow-stack.service", "wow-system.service", "condor.service", "strongswan.service", "wow-ca.service", "ipopd.service")
"""What holds on to the identity."""


def main() -> int:
    """wow-reset. Exit code."""
    return forget("starting again", "reboot")


def leave() -> int:
    """wow-leave. Exit code. HTCondor's own stop gives jobs their time for a checkpoint and carries to their queues what they wrote."""
    return forget("switching off", "poweroff")


def forget(then: str, verb: str) -> int:
    """Exit code. then: what the console says of what comes; verb: systemctl's word for it."""
    system.systemctl("stop", *USES)
    wipe(paths.STATE)
    if os.path.exists(ARMED) or kept.of_start(kept.SAID).get("trial"):
        # Without a notice it has GRUB try no other system: nobody is there yet for whom a trial could be good.
        system.systemctl("start", bring.REPLACER)
    # Another pool has other modules. The stack before its layers, for the initrd tells of one without.
    for folder in ("stacks", "layers"):
        if os.path.isdir(path := f"{kept.HOME}/{folder}"):
            shutil.rmtree(path)
    os.sync()
    console.say("config", reset="done", next=then)
    system.systemctl(verb, "--no-block")
    return 0


def wipe(folder: str) -> None:
    """Removes what makes up the identity: key, certificate, CA, accepted pool.conf, host keys, last address, queued jobs."""
    for name in os.listdir(folder):
        path = f"{folder}/{name}"
        if name == "condor":
            for inner in os.listdir(path):
                remove(f"{path}/{inner}")
        elif name not in STAYS:
            remove(path)
    os.sync()


def remove(path: str) -> None:
    """A file, link or whole folder."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        os.unlink(path)
