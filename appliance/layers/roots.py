"""A stack of layers as a root to run programs in, with a writable layer above it. Needs root (mounts)."""

import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "node/root/usr/lib/wow/node"))

from listing import LayerError  # noqa: E402

from wow.lib import libc  # noqa: E402

MOUNTS = 0x00020000
"""CLONE_NEWNS (unshare(2))."""
NODES = {"null": (1, 3), "zero": (1, 5), "full": (1, 7), "random": (1, 8), "urandom": (1, 9)}
POLICY = "usr/sbin/policy-rc.d"
"""Debian's maintainer scripts ask it whether they may start a service."""
NO_START = "#!/bin/sh\nexit 101\n"


MOST_LINKS = 40
"""That one path may lead through, as the kernel has it (path_resolution(7))."""


def within(root, path):
    """Where a path of a root leads for who has it as / (chroot(2)): links in it are followed, and none leads out. What has no entry there stands as it is named.
    LayerError for links that end nowhere."""
    root, left, found, links = pathlib.Path(root), list(pathlib.PurePosixPath(path).parts[::-1]), [], 0
    while left:
        part = left.pop()
        if part.startswith("/"):
            found = []
        elif part == "..":
            found = found[:-1]
        elif (place := root.joinpath(*found, part)).is_symlink():
            links += 1
            if links > MOST_LINKS:
                raise LayerError(f"/{path}: leads through more than {MOST_LINKS} links; take one of them out")
            left += pathlib.PurePosixPath(os.readlink(place)).parts[::-1]
        else:
            found.append(part)
    return root.joinpath(*found)


def run(*words, **options):
    """A tool of this machine; what it printed. LayerError says what it said."""
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False, **options)
    if done.returncode:
        raise LayerError(f"{' '.join(map(str, words[:6]))}: {(done.stderr or done.stdout).strip()[-300:]}; it needs root, and a kernel with overlayfs")
    return done.stdout


def alone(kinds=MOUNTS):
    """From here on this process has mounts of its own, and whatever else the kinds say (unshare(2)): nobody else sees what is mounted, and it goes with the process.
    What is written in a root is the same, and for everybody, whatever the builder's umask was."""
    os.umask(0o022)
    try:
        libc.call("unshare", kinds)
    except OSError as error:
        raise LayerError(f"no mounts of its own: {error.strerror}; run it as root") from error
    run("mount", "--make-rprivate", "/")


class Root:
    """layers: squashfs files, bottom first. scratch: an empty folder. room: what may be written, as tmpfs takes it. moves: whether folders of the layers may be renamed,
    as dpkg does it where it unpacks. `path` is the root, `upper` what was written, `lowers` the layers' folders, top first."""

    def __init__(self, layers, scratch, room, moves):
        self._layers, self._room, self._moves = layers, room, moves
        self.scratch, self._mounted = pathlib.Path(scratch), []
        self.path, self.upper = self.scratch / "root", self.scratch / "top/upper"
        self.lowers = [str(self.scratch / str(number)) for number in reversed(range(len(layers)))]

    def __enter__(self):
        try:
            self._stack()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        # With all that was mounted below each of them.
        for place in reversed(self._mounted):
            subprocess.run(["umount", "--recursive", place], check=False)
        self._mounted.clear()

    def _mount(self, place, *words, **options):
        run("mount", *words, place, **options)
        self._mounted.append(str(place))

    def _stack(self):
        for place, layer in zip(reversed(self.lowers), self._layers):
            os.mkdir(place)
            self._mount(place, "-t", "squashfs", "-o", "ro,loop", layer)
        (self.scratch / "top").mkdir()
        # In memory: not every file system may be the upper one of an overlay.
        self._mount(self.scratch / "top", "-t", "tmpfs", "-o", f"size={self._room}", "top")
        for place in (self.upper, self.scratch / "top/work", self.path):
            place.mkdir()
        lower = ":".join(map(str, reversed(range(len(self._layers)))))
        moves = "on" if self._moves else "off"
        self._mount(self.path, "-t", "overlay", "-o", f"lowerdir={lower},upperdir=top/upper,workdir=top/work,redirect_dir={moves},index=off,metacopy=off,xino=off",
                    "wow", cwd=self.scratch)
        run("mount", "-t", "tmpfs", "-o", "mode=755", "dev", self.path / "dev")
        for name, (major, minor) in NODES.items():
            os.mknod(self.path / "dev" / name, 0o20666, os.makedev(major, minor))
            os.chmod(self.path / "dev" / name, 0o666)

    def no_start(self):
        """No service starts while packages are configured, until `may_start`."""
        policy = within(self.path, POLICY)
        policy.write_text(NO_START, encoding="ascii")
        policy.chmod(0o755)

    def may_start(self):
        """The root is again as it was before `no_start`. Programs that ran in it may have put a link on the way."""
        within(self.path, POLICY).unlink(missing_ok=True)
