"""
A job sees no home of its machine's people. They keep what is theirs by modes alone, and these may be another's doing: HTCondor has a machine that runs a job of
theirs elsewhere change them (NTreceivers.cpp, CONDOR_chmod). By one more job, here, it would be whose home it opened.

Nor does it see the layers of the stacked file system: there the same homes lie once more, and what the machine writes above its base, as its /var/tmp, which is not the
job's.
"""
from wow.lib import libc
from wow.slots import alone

FOLDERS = (b"/home", b"/run/layers")


def hide() -> None:
    """In the namespace of mounts that was entered before (alone.py). OSError where the kernel refuses it."""
    for folder in FOLDERS:
        try:
            libc.call("mount", b"none", folder, b"tmpfs", alone.MS_RDONLY, b"mode=0")
        except FileNotFoundError:
            pass  # no stacked file system, no layers
