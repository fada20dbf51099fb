"""What every verb does with a pool's folder: take it, open it, tell what is in it."""

import contextlib
import os

from pool import backup, here, stamping
from pool.node import WowError
from pool.pool import FIRST, Pool


@contextlib.contextmanager
def locked(folder, context):
    """Holds the folder; gives the descriptors that programs are to keep open."""
    held = folder.lock(context.say)
    try:
        yield (held,)
    finally:
        os.close(held)


def begun(folder, context, held):
    """The Pool in a folder that is held, without what a run that was ended left half made; it may lack what `create` makes."""
    found = Pool(folder, context.clone, held)
    found.tidy()
    return found


def pool(folder, context, held):
    """The same of a pool that has all that makes it one. WowError where `create` was ended before: it alone goes on with that."""
    found = begun(folder, context, held)
    # A pool of before may not know the keys that its CA has by now (`backup --ca`).
    if not all(step.is_done() for step in (*found.identity(), found.others()) if step.name != "keys"):
        raise half_made(folder)
    return found


def half_made(folder):
    """What is said of a pool whose `create` was ended before it had a CA, keys and a ticket."""
    return WowError("is half made", f"Type: {here.typed()} create {folder.read().name} --folder {folder.typed}, which goes on where it ended", str(folder.root))


def renew(found, context, result, left=""):
    """Makes anew what stands in every image: the images, the pages, the backup. The change for which this is done is kept already. result: as `sealing` takes it, for a
    program. left: what people do then, which is told in any case."""
    context.changed, context.left = found.folder.typed, left
    context.run([*found.images(), found.papers(), sealing(found, context, result)])
    context.warn(found.doubts())
    if left:
        context.say(left)
    context.tell(result(None))


def sealing(found, context, result, *how):
    """The step that makes the backup. A new recovery key is told once, before its backup counts: to a program in the one line that it reads, with result(note), where
    the note is the new backup's."""
    def tell(key, note):
        context.tell({**result(note), "recovery_key": key})
        show_key(key, context)
    return found.sealed(tell, *how)


def show_key(key, context):
    """Prints a new recovery key, once."""
    context.plain(f"\nThe recovery key, which opens the backup and stands in no file:\n\n    {key}\n\n"
                  "Write it down now: it is not shown again. A key that was shown before does not open this backup.\n")


def ended_before(found):
    """What else to say to somebody whose change is there already, where the images do not have it: the run that made it may have been ended by the power."""
    try:
        if all(step.is_done() for step in (*found.images(), found.papers(), found.sealed(lambda key, _: None))):
            return ""
    except WowError:
        pass  # of an image that is missing `stamp` tells
    return f". Where a run was ended before it had made the images: {here.typed()} stamp {found.folder.typed}"


def facts(found, note=None):
    """What is in a pool's folder, without a secret. note: of a backup that does not count yet."""
    told, folder, contents = found.settings, found.folder, found.authority.contents()
    places = {FIRST: told.at, **{one["host"]: one["at"] for one in told.managers}}
    last = {row["host"]: row for row in contents["certificates"] if row["role"] == "manager"}  # the oldest comes first
    return {
        "name": told.name, "folder": str(folder.root), "subnet": told.subnet, "at": told.at,
        "ca": {"sha256": found.authority.fingerprint, "not_after": contents["not_after"]},
        "manager": [{"host": host, "address": last[host]["address"], "not_after": last[host]["not_after"], "at": at, "ca": host == FIRST}
                    for host, at in places.items() if host in last],
        "tickets": found.tickets(),
        "users": told.users, "admins": told.admins, "projects": [{"name": name, **project} for name, project in told.projects.items()],
        "images": [{"file": name, **{key: one[key] for key in ("bytes", "release", "source", "sha256")}} for name, one in stamping.Stamped(folder).known.items()],
        "backup": sealed(folder, note or backup.note_of(folder))}


def sealed(folder, note):
    """The backup that a note tells of: its file, when it was made, and whether anything has changed since; None where there is none."""
    return note and {"file": folder.sealed.name, "made": note["made"], "current": note["content"] == backup.content_of(folder)}


def on_manager(told, words):
    """How the CA is told something on the manager: by an administrator where there is one, for nobody else logs in."""
    if told.admins:
        return f"ssh {next(iter(told.admins))}@{told.host} wow-ca {words}"
    return (f"/usr/lib/wow/ca/wow-ca {words} --state /var/lib/wow/ca, in a root shell that the hypervisor gives. An administrator needs none: "
            f"{here.typed()} admin add FOLDER NAME=FILE.pub")
