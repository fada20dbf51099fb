"""Files and folders that are whole or not there, also after a kill or a power cut: made beside, brought to the disk, renamed."""

import contextlib
import os
import pathlib
import shutil
import tempfile

from pool.formats import tools
from pool.node import files

SUFFIX = ".new"
sync, sync_one = tools.sync, tools.sync_one


def write(path, text, mode=0o600):
    """Replaces a small file. OSError: no room; the file is as before."""
    files.write(str(path), text, mode, sync=True)


@contextlib.contextmanager
def beside(path):
    """Gives the path beside `path` where the body makes a file or a folder. If the body ends well, it takes the place of `path`."""
    path = pathlib.Path(path)
    new = path.with_name(path.name + SUFFIX)
    remove(new)
    try:
        yield new
        sync(new)
        os.rename(new, path)
    except BaseException:
        remove(new)
        raise
    sync_one(path.parent)


@contextlib.contextmanager
def scratch(parent):
    """Gives a new folder in `parent`, which is removed unless the body renames it."""
    made = pathlib.Path(tempfile.mkdtemp(prefix=".wow-pool-", dir=parent))
    try:
        yield made
    finally:
        remove(made)


def remove(path):
    """Removes a file or a folder; there may be none."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
