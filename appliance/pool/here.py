"""How `wow` is typed on the machine that makes pools: `wow` alone is that of a machine of a pool, and nothing here is called so."""

import os
import pathlib
import shlex
import shutil

WOW = pathlib.Path(__file__).resolve().parents[1] / "wow"
ANYWHERE = shlex.quote(str(WOW))
"""As it is typed in any folder."""


def typed():
    """`wow pool` as it is typed in the current folder, as short as it can be."""
    found = shutil.which(WOW.name)
    if found and os.path.realpath(found) == str(WOW):
        return f"{WOW.name} pool"
    return f"{shlex.quote(min(_near(), str(WOW), key=len))} pool"


def _near():
    """The path from the current folder; the whole one where that folder is gone."""
    try:
        near = os.path.relpath(WOW)
    except OSError:
        return str(WOW)
    return near if os.sep in near else os.path.join(os.curdir, near)
