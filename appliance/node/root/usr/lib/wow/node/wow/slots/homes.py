"""
A job sees no home of its machine's people. They keep what is theirs by modes alone, and these may be another's doing: HTCondor has a machine that runs a job of
theirs elsewhere change them (NTreceivers.cpp, CONDOR_chmod). By one more job, here, it would be whose home it opened.
"""
from wow.lib import libc
from wow.slots import alone

FOLDER = b"/home"


def hide() -> None:
    """In the namespace of mounts that was entered before (alone.py). OSError where the kernel refuses it."""
    libc.call("mount", b"none", FOLDER, b"tmpfs", alone.MS_RDONLY, b"mode=0")
