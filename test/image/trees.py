"""What differs between two folders: names, kinds, modes, owners, links, bytes. Times are the packer's affair."""

import filecmp
import os
import stat


def described(path):
    """All of an entry but its bytes."""
    about = os.lstat(path)
    return (stat.S_IFMT(about.st_mode), stat.S_IMODE(about.st_mode), about.st_uid, about.st_gid, about.st_rdev,
            os.readlink(path) if stat.S_ISLNK(about.st_mode) else "")


def entries(root, without=()):
    """Every path below a folder; of those that are named it has nothing."""
    return {os.path.relpath(os.path.join(folder, name), root) for folder, folders, files in os.walk(root) for name in (*folders, *files)
            if os.path.relpath(os.path.join(folder, name), root).split("/")[0] not in without}


def differences(one, two, without=()):
    """A line for each path that is not the same in both, below folders other than those that are named."""
    ours, theirs = entries(one, without), entries(two, without)
    lines = [f"{path}: only in {one if path in ours else two}" for path in ours ^ theirs]
    for path in ours & theirs:
        first, second = os.path.join(one, path), os.path.join(two, path)
        before, after = described(first), described(second)
        if before != after:
            lines.append(f"{path}: {before} and {after}")
        elif stat.S_ISREG(before[0]) and not filecmp.cmp(first, second, shallow=False):
            lines.append(f"{path}: other bytes")
    return sorted(lines)
