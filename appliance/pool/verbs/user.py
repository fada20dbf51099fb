"""Lets people log in to the pool's machines by their ssh key, or no more, and stamps the volunteers' image anew. Machines that are out there keep the
file that they have; who starts the new one follows it."""

from pool import conf, opening, users
from pool.folder import Folder
from pool.node import WowError

SUMMARY = "lets people log in to the pool's machines (add), or no more (remove)"


def add(parser):
    """Adds its words to the parser."""
    parser.add_argument("what", choices=("add", "remove"), help="add: NAME=FILE.pub words; remove: NAME words")
    parser.add_argument("folder", metavar="FOLDER", help="the pool's folder")
    parser.add_argument("who", nargs="+", metavar="WHO", help="alice=alice.pub to add, alice to remove")


def run(given, context):
    """Changes who is in the pool's settings, then the images."""
    change(given, context, "users", "user", lambda after, _: f"may log in: {', '.join(after) or 'nobody'}. Send the new images; machines that run already keep the file "
           "that they have")


def change(given, context, field, called, left):
    """Changes a field of the settings that maps names to keys, and makes the images anew. `called`: what one of them is; left(field, settings): what people do then."""
    folder = Folder(given.folder)
    folder.read()
    with opening.locked(folder, context) as held:
        pool = opening.pool(folder, context, held)
        told = pool.settings
        there = getattr(told, field)
        new = users.read(given.who, given.what) if given.what == "add" else {}
        # Of the new ones alone: somebody of a pool that is there must not keep it from a change.
        conf.judge_names([name for name in new if name not in there], given.what)
        after = {**there, **new} if given.what == "add" else without(there, given.who, called, pool)
        conf.judge(told.name, told.subnet, told.at, after, given.what)
        pool.find_images()  # before anything is changed: without an image to stamp, nothing is
        pool.change(**{field: after})
        opening.renew(pool, context, lambda _: {field: after}, left(after, pool.settings))


def without(there, names, called, pool):
    """The people but for these; WowError for one who is none."""
    for name in names:
        if name not in there:
            raise WowError(f"is no {called} of this pool", f"One of: {', '.join(there) or 'nobody'}{opening.ended_before(pool)}", f"remove {name}")
    return {name: key for name, key in there.items() if name not in names}
