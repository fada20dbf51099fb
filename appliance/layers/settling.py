"""Does in a mounted stack what follows where modules stand over another base than they were made over (moved.py): what is written is part of the glue."""

import os
import pathlib
import shutil
import stat
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "node/root/usr/lib/wow/node"))

import gates  # noqa: E402
import listing  # noqa: E402
import moved  # noqa: E402
from listing import LayerError  # noqa: E402

from wow.module import tree  # noqa: E402


BESIDE = ".dpkg-dist"
"""As dpkg calls a package's file of configuration that it puts beside the one that somebody changed."""


def settle(stacked, layers):
    """{module: paths of its own files that it wrote, as they stand now}. stacked: a roots.Root of the layers. LayerError for what no layer can have."""
    moves, _ = gates.changes(layers)
    _, numbers = moved.numbers(gates.below(layers), gates.parts(layers))
    written = {}
    if not any(one.moves() for one in moves.values()) and not any(numbers.values()):
        return written
    count = len(gates.below(layers))
    with tree.joined(stacked.lowers[-count:]) as below:
        for number, layer in enumerate(layers):
            if move := moves.get(layer.name if layer.kind == "module" else ""):
                own = pathlib.Path(stacked.lowers[len(layers) - 1 - number])
                above = {path for other in layers[number + 1:] for path, kind in other.held.items() if kind != listing.FOLDER}
                if paths := _module(stacked.path, pathlib.Path(below), own, without(move, above), layer.name, above):
                    written[layer.name] = sorted(paths)
        # The base's accounts that made room for a module's. A module's own files have their numbers already.
        held = {path for layer in gates.modules(layers) for path, kind in layer.held.items() if kind != listing.FOLDER or path in moved.meant(layer)}
        for path, (user, group) in _owned(pathlib.Path(below), numbers).items():
            if path not in held and there(stacked.path, path):
                _give(stacked.path / path, user, group)
    return written


def without(move, above):
    """What a module above has is that one's affair."""
    return move._replace(hidden=move.hidden - above, gone=move.gone - above, conffiles=move.conffiles - above)


def _module(root, below, own, move, name, above):
    """Owners first, for what is put elsewhere then keeps them. above: paths that modules above have. Returns the paths of the module's files that it wrote."""
    written = set()
    for path, (user, group) in _owned(own, move.owners).items():
        if path not in above and there(root, path):
            _give(root / path, user, group)
            written.add(path)
    for path in move.folders:
        now = os.lstat(below / path)
        if there(root, path) and (root / path).is_dir():
            _give(root / path, now.st_uid, now.st_gid, now.st_mode)
    for path in sorted(move.hidden):
        if there(below, path):
            put(below / path, checked(root, path, name), name)
        else:
            _remove(root, path, below)
    for path in sorted(move.conffiles):
        if there(below, path):
            put(below / path, checked(root, path + BESIDE, name), name)
    for path in sorted(move.gone):
        _remove(root, path, below)
    for path, target in sorted(move.links.items()):
        written = {one for one in written if not one.startswith(f"{path}/")} | _follow(root, below, path, target, name)
    return written


def _owned(own, owners):
    """{path of the module: (user, group)} where one of them has another number here."""
    found = {}
    if not any(owners.values()):
        return found
    for folder, folders, files in os.walk(own):
        for name in (*folders, *files):
            place = pathlib.Path(folder, name)
            now = os.lstat(place)
            new = owners["passwd"].get(now.st_uid, now.st_uid), owners["group"].get(now.st_gid, now.st_gid)
            if new != (now.st_uid, now.st_gid):
                found[place.relative_to(own).as_posix()] = new
    return found


def there(root, path):
    """Whether something stands at a path of a root, and in real folders: a link in one of them may lead to this machine's own files."""
    return not any((root / folder).is_symlink() for folder in pathlib.PurePosixPath(path).parents) and os.path.lexists(root / path)


def checked(root, path, name):
    """The place of a path of a root, which is no other one's."""
    for folder in pathlib.PurePosixPath(path).parents:
        if (root / folder).is_symlink():
            raise LayerError(f"/{path} of the module {name}: /{folder} is a link in this stack. Publish the module {name} anew over this base, or take out the module "
                             "that has the link")
    return root / path


def _give(place, user, group, mode=None):
    """chown takes set-uid, set-gid and capabilities away, so they are set again; or another mode."""
    now, rights = os.lstat(place), tree.attributes(str(place)).get(tree.CAPABILITY)
    os.chown(place, user, group, follow_symlinks=False)
    if not stat.S_ISLNK(now.st_mode):
        place.chmod(stat.S_IMODE(now.st_mode if mode is None else mode))
    if rights is not None:
        os.setxattr(place, tree.CAPABILITY, rights)


def put(source, place, name):
    """A file or a link stands at a place as it stands at another, in the place of what is there."""
    now, rights = os.lstat(source), tree.attributes(str(source)).get(tree.CAPABILITY)
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        shutil.copyfile(source, place, follow_symlinks=False)
    except OSError as error:
        raise LayerError(f"/{source.name}: {error.strerror}; what the base has moved of the module {name} is too much for a glue. Publish it anew over this "
                         "base") from error
    _give(place, now.st_uid, now.st_gid, now.st_mode)
    if rights is not None:
        os.setxattr(place, tree.CAPABILITY, rights)


def _remove(root, path, below):
    """Takes a file away, and the folders that are empty then and that the base has not."""
    if not there(root, path):
        return
    (root / path).unlink()
    for folder in pathlib.PurePosixPath(path).parents:
        if folder.name == "" or (below / folder).is_dir():
            return
        try:
            (root / folder).rmdir()
        except OSError:
            return


def _follow(root, below, path, target, name):
    """What a module has in a folder comes to where the base's link in that folder's place leads, and the link is seen again: as dpkg unpacks. Returns
    the paths that it has now."""
    folder = checked(root, path, name)
    if not folder.is_dir() or folder.is_symlink():
        return set()
    written = set()
    for one in sorted(folder.rglob("*")):
        place = checked(root, f"{target}/{one.relative_to(folder)}", name)
        if one.is_dir() and not one.is_symlink():
            if not place.is_dir() or place.is_symlink():
                if os.path.lexists(place):
                    raise LayerError(f"/{target}/{one.relative_to(folder)}: is no folder in this stack, and one in the module {name}. Publish {name} anew over this base")
                place.mkdir()
                now = os.lstat(one)
                _give(place, now.st_uid, now.st_gid, now.st_mode)
        else:
            put(one, place, name)
        written.add(f"{target}/{one.relative_to(folder)}")
    shutil.rmtree(folder)
    folder.symlink_to(os.readlink(below / path))
    return written
