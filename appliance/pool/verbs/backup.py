"""Makes the sealed backup anew, in the pool's folder. It opens with the recovery key that was printed when the first one was made."""

from pool import backup, opening, programs
from pool.folder import Folder

SUMMARY = "makes the sealed backup anew"


def add(parser):
    """Adds its words to the parser."""
    parser.add_argument("folder", metavar="FOLDER", help="the pool's folder")
    parser.add_argument("--new-key", action="store_true", help="for a new recovery key, which is printed; the former one is lost or was seen by others")


def run(given, context):
    """Seals it, if something has changed."""
    programs.need("age", "age-keygen")
    folder = Folder(given.folder)
    folder.read()
    with opening.locked(folder, context) as held:
        pool = opening.pool(folder, context, held)

        def tell(key, _):
            context.tell({"file": str(folder.sealed), "recovery_key": key})
            opening.show_key(key, context)
            told.append(key)

        told = []
        context.run([pool.sealed(tell, given.new_key)])
        if not told:
            context.tell({"file": str(folder.sealed), "recovery_key": None})
        context.say(f"{folder.sealed} of {backup.note_of(folder)['made']}: copy it to another place")
