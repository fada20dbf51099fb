"""Sockets inside a network namespace, for a program that stays outside (setns(2); Python has os.setns from 3.12 only)."""

import contextlib
import ctypes
import os
import threading

CLONE_NEWNET = 0x40000000
_libc = ctypes.CDLL(None, use_errno=True)
_lock = threading.Lock()


@contextlib.contextmanager
def namespace(full_name):
    """This thread is in the namespace for the length of the block; sockets made there stay there."""
    with _lock, open("/proc/thread-self/ns/net", "rb") as home, open(f"/run/netns/{full_name}", "rb") as there:
        _set(there)
        try:
            yield
        finally:
            _set(home)


def _set(file):
    if _libc.setns(file.fileno(), CLONE_NEWNET):
        error = ctypes.get_errno()
        raise OSError(error, f"setns: {os.strerror(error)}")
