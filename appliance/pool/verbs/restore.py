"""Makes a pool's folder from its sealed backup. The recovery key is asked for, or read from standard input. Nothing is written if it is wrong."""

import getpass
import pathlib
import sys

from pool import backup, durable, here, opening, programs, settings, signing
from pool.authority import Authority
from pool.folder import Folder
from pool.node import WowError

SUMMARY = "makes a pool's folder from its backup"


def add(parser):
    """Adds its words to the parser."""
    parser.add_argument("file", metavar="BACKUP", type=pathlib.Path, help="backup.age, or a copy of it")
    parser.add_argument("--folder", help="where to make it; the pool's name in this folder if none is named")


def run(given, context):
    """Opens the backup, looks whether it is a pool's, and only then makes the folder."""
    programs.need("age")
    if not context.clone.wow_ca.exists():
        raise WowError("is not built yet", f"Type: {context.clone.make_image}", str(context.clone.wow_ca))
    backup.read(given.file)  # before anybody types a key for nothing
    named = pathlib.Path(given.folder).absolute() if given.folder else None
    parent = named.parent if named else pathlib.Path.cwd()
    if not parent.is_dir():
        raise WowError("does not exist", "Make it, or give another --folder", str(parent))
    if named:
        must_be_free(named)
    secret = backup.tidy(asked())
    data = backup.opened(given.file, secret)
    with durable.scratch(parent) as made:
        backup.unpack(data, made, given.file)
        told = settings.read(made / "pool.json")
        key = signing_key(made, secret, context)
        contents = Authority(context.clone.wow_ca, made / "manager/ca").contents()
        target = named or parent / told.name
        must_be_free(target)
        # The same key opens the backups that are made from now on. Before the folder has its name: one without a note would ask for another key.
        backup.seal(Folder(made), backup.public_of(secret))
        durable.sync(made)
        made.rename(target)
    folder = Folder(target)
    folder.make()
    with opening.locked(folder, context) as held:
        context.tell(opening.facts(opening.begun(folder, context, held)))
    context.say(f"the pool {told.name} is in {target}, with its CA: {len(contents['certificates'])} certificates, {len(contents['tickets'])} tickets. "
                f"Its images: {here.typed()} stamp {folder.typed}")
    context.say(signing_told(key, folder))
    context.say("The CA of a manager that runs knows who was admitted since the backup was made: this copy does not. Replace that manager only if it is gone")


def must_be_free(target):
    """WowError where something is at the place of the new folder."""
    if target.exists():
        raise WowError("is there already", "Give another --folder", str(target))


def signing_key(made, secret, context):
    """Puts the manager's own key that the backup has back into the CA; its number, 0 where there is none. One that was sealed to another recovery key is left out: it
    must not keep the rest from coming back."""
    sealed = made / "authority.age"
    if not sealed.exists():
        return 0
    try:
        data = backup.opened(sealed, secret)
    except WowError as error:
        context.warn([f"authority.age in the backup, which has the key that signs what is published, is left out: {error.what}. All else is there"])
        durable.remove(sealed)
        return 0
    return signing.put(data, made / "manager/ca", sealed)


def signing_told(key, folder):
    """What becomes of what is published; key: the number of the manager's own key that the backup had, 0 where it had none."""
    if key:
        return f"Key {key} of the manager, which signs what is published, is in {folder.ca} again"
    return ("The backup has no key that `wow-ca rekey` made on the manager. If it was typed there, take that key from the manager's disk: copy its /var/lib/wow/ca, then "
            f"{here.typed()} backup {folder.typed} --ca COPY, and restore that backup. If the disk is lost, type on the next manager: wow-ca rekey. Machines that "
            f"know the lost key take nothing that is published then, until they start with a new configuration disk, which "
            f"{here.typed()} stamp {folder.typed} makes after another backup --ca")


def asked():
    """The recovery key, unseen where a person types it."""
    if sys.stdin.isatty():
        return getpass.getpass("Recovery key: ")
    return sys.stdin.readline()
