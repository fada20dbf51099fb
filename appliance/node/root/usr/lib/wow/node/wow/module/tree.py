"""What differs between two views of a file system: one with the upper layer, one without. What the upper holds says where to look; content decides.

The kernel joins the layers, so that whiteouts, opaque folders, redirects and metadata without content mean here what they mean at the next start."""
import contextlib
import errno
import filecmp
import os
import stat
import subprocess
import tempfile

from wow.lib.errors import WowError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator

CAPABILITY = "security.capability"
"""The attribute with a program's capabilities (capabilities(7)), the one that layers keep."""
ADDED, CHANGED, DELETED, SAME = "added", "changed", "deleted", "same"
OPTIONS = "redirect_dir=follow,metacopy=on,index=off,xino=off"
KINDS = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link", stat.S_IFCHR: "device", stat.S_IFBLK: "device", stat.S_IFIFO: "pipe",
         stat.S_IFSOCK: "socket"}


class Change:
    """A path without its first slash; what it was and is: results of lstat, None where it was or is not."""

    __slots__ = ("path", "kind", "why", "was", "now")

    def __init__(self, path: str, kind: str, why: str, was: os.stat_result | None, now: os.stat_result | None) -> None:
        self.path, self.kind, self.why, self.was, self.now = path, kind, why, was, now


@contextlib.contextmanager
def joined(folders: list[str]) -> "Iterator[str]":
    """Layers as one folder, which can be read alone. folders: top first. WowError says why the kernel does not join them."""
    if len(folders) == 1:
        yield folders[0]
        return
    with tempfile.TemporaryDirectory(prefix="wow-module-") as scratch:
        # Short names: what mount takes at once ends at a page, in newer util-linux at 256 bytes.
        for number, folder in enumerate(folders):
            os.symlink(os.path.abspath(folder), f"{scratch}/{number}")
        os.mkdir(f"{scratch}/view")
        lower = ":".join(map(str, range(len(folders))))
        done = subprocess.run(["mount", "-t", "overlay", "-o", f"ro,lowerdir={lower},{OPTIONS}", "wow-module", f"{scratch}/view"], cwd=scratch, capture_output=True,
                              text=True, check=False)
        if done.returncode:
            raise WowError(f"the layers do not join: {done.stderr.strip()[-200:]}", "Run this as root; dmesg says more", folders[0])
        try:
            yield f"{scratch}/view"
        finally:
            subprocess.run(["umount", f"{scratch}/view"], check=True)


def changes(uppers: list[str], merged: str, lower: str) -> "Iterator[Change]":
    """Every entry of the uppers, explained: `merged` is the view with them, `lower` the one without. In the order of their paths."""
    yield from _folder(uppers, merged, lower, "", False)


def _folder(uppers: list[str], merged: str, lower: str, folder: str, whole: bool) -> "Iterator[Change]":
    """whole: all of the two views is compared, for the upper's folder hides what is below, or stands for another one."""
    names = _names(f"{merged}/{folder}") | _names(f"{lower}/{folder}") if whole else set().union(*(_names(f"{one}/{folder}") for one in uppers))
    for name in sorted(names):
        path = f"{folder}/{name}" if folder else name
        change = explained(path, merged, lower)
        if change is None:
            continue
        is_folder = change.now is not None and stat.S_ISDIR(change.now.st_mode)
        if change.kind != SAME or not (is_folder or whole):
            yield change
        if is_folder:
            below = change.was is not None and stat.S_ISDIR(change.was.st_mode)
            yield from _folder(uppers, merged, lower, path, whole or not below or any(_hides(f"{one}/{path}") for one in uppers))


def explained(path: str, merged: str, lower: str) -> Change | None:
    """What became of one path; None where neither view has it."""
    was, now = _find(f"{lower}/{path}"), _find(f"{merged}/{path}")
    if now is None:
        return None if was is None else Change(path, DELETED, f"a {kind_of(was)} of the layers below is gone", was, None)
    if was is None:
        return Change(path, ADDED, f"a new {kind_of(now)}", None, now)
    if why := _differs(f"{lower}/{path}", f"{merged}/{path}", was, now):
        return Change(path, CHANGED, why, was, now)
    return Change(path, SAME, "copied up, and equal to the one below", was, now)


def _names(folder: str) -> set[str]:
    """What stands in a folder; nothing where there is none."""
    return set(os.listdir(folder)) if os.path.isdir(folder) and not os.path.islink(folder) else set()


def _find(path: str) -> os.stat_result | None:
    """lstat, None for what is not there. A path through what is no folder is not there either."""
    try:
        return os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _hides(folder: str) -> bool:
    """Whether the upper's folder is opaque, or was another one's before it was renamed (kernel, overlayfs.rst)."""
    return any(_attribute(folder, f"trusted.overlay.{name}") for name in ("opaque", "redirect"))


def _attribute(path: str, name: str) -> bytes:
    try:
        return os.getxattr(path, name, follow_symlinks=False)
    except OSError:
        return b""


def attributes(path: str) -> dict[str, bytes]:
    """The extended attributes of a file; none where its layer keeps none."""
    try:
        names = os.listxattr(path, follow_symlinks=False)
    except OSError as error:
        if error.errno != errno.ENOTSUP:
            raise
        return {}
    return {name: os.getxattr(path, name, follow_symlinks=False) for name in names if not name.startswith("trusted.")}


def kind_of(status: os.stat_result) -> str:
    """In a word."""
    return KINDS.get(stat.S_IFMT(status.st_mode), "thing of no known kind")


def _differs(old: str, new: str, was: os.stat_result, now: os.stat_result) -> str:
    """What is another, in words; "" where nothing is. Times do not count."""
    if stat.S_IFMT(was.st_mode) != stat.S_IFMT(now.st_mode):
        return f"was a {kind_of(was)}, is a {kind_of(now)}"
    found = []
    if stat.S_ISREG(now.st_mode) and (was.st_size != now.st_size or not filecmp.cmp(old, new, shallow=False)):
        found.append("other content")
    if stat.S_ISLNK(now.st_mode) and os.readlink(old) != os.readlink(new):
        found.append("leads elsewhere")
    if stat.S_ISCHR(now.st_mode) or stat.S_ISBLK(now.st_mode):
        found += ["another device"] * (was.st_rdev != now.st_rdev)
    if stat.S_IMODE(was.st_mode) != stat.S_IMODE(now.st_mode):
        found.append(f"mode {stat.S_IMODE(was.st_mode):o} was, {stat.S_IMODE(now.st_mode):o} is")
    if (was.st_uid, was.st_gid) != (now.st_uid, now.st_gid):
        found.append(f"owner {was.st_uid}:{was.st_gid} was, {now.st_uid}:{now.st_gid} is")
    if attributes(old) != attributes(new):
        found.append("other extended attributes")
    return ", ".join(found)
