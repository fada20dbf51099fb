"""Makes the sealed backup anew, in the pool's folder. It opens with the recovery key that was printed when the first one was made."""

from pool import backup, here, opening, programs, signing
from pool.folder import Folder
from pool.node import WowError

SUMMARY = "makes the sealed backup anew"


def add(parser):
    """Adds its words to the parser."""
    parser.add_argument("folder", metavar="FOLDER", help="the pool's folder")
    parser.add_argument("--new-key", action="store_true", help="for a new recovery key, which is printed; the former one is lost or was seen by others")
    parser.add_argument("--ca", metavar="DIR", help="a copy of /var/lib/wow/ca of the manager with the CA: after `wow-ca rekey` the key that signs what is published "
                        "is there alone. It is sealed, and stands in no other file here")


def run(given, context):
    """Seals it, if something has changed."""
    programs.need("age", "age-keygen")
    folder = Folder(given.folder)
    folder.read()
    taken = signing.take(given.ca, folder.keys.exists()) if given.ca else None
    if given.new_key and taken is None and folder.authority.exists():
        raise WowError("was sealed to the former recovery key, with the key that signs the pool's stack in it",
                       "Say --ca DIR, too: a copy of the manager's /var/lib/wow/ca", str(folder.authority))
    with opening.locked(folder, context) as held:
        pool = opening.pool(folder, context, held)
        if taken and signing.KEYS in taken and signing.is_other(folder, given.ca):
            context.warn([f"the keys in {given.ca} do not go on from those that this folder knows: that CA came back from a backup without its key. "
                          "Machines that know the former keys take nothing that these sign, until they start with a new configuration disk"])
        context.run([opening.sealing(pool, context, lambda _: {"file": str(folder.sealed)}, given.new_key, taken)])
        context.tell({"file": str(folder.sealed), "recovery_key": None})
        if taken:
            key = next((f"{name} of the manager is sealed in it, and opens with the recovery key alone" for name in taken if signing.KEY.fullmatch(name)), "")
            context.say(f"{key or 'the certificate to which the CA renewed its own is in it'}. Have new machines know it: {here.typed()} stamp {folder.typed}")
        context.say(f"{folder.sealed} of {backup.note_of(folder)['made']}: copy it to another place")
