"""Adds a manager beside the first, or takes one off the list. HTCondor's managers take each other's place within a minute; the CA stays on the first one.
The list is signed here and travels in the new images: as soon as a machine that was started from one of them joins, all machines have it. `sign` signs the same
list once more."""

from pool import addresses, conf, here, opening, place
from pool.folder import Folder
from pool.node import WowError, agreed, kinds
from pool.pool import FIRST

SUMMARY = "adds a manager beside the first (add), takes one off the list (remove), or signs the list anew (sign)"


def add(parser):
    """Adds its words to the parser."""
    parser.add_argument("what", choices=("add", "remove", "sign"), help="what becomes of the manager; sign: of the list")
    parser.add_argument("folder", metavar="FOLDER", help="the pool's folder")
    parser.add_argument("name", metavar="NAME", nargs="?", help="its host name, a DNS label like second; none for sign")
    parser.add_argument("--at", metavar="HOST[:PORT]", help="where it will run, as everybody reaches it; machines find the pool by it, too, while the first is away")
    parser.add_argument("--private", action="store_true", help="that address is private: all machines of the pool stand in its network")
    parser.add_argument("--address", help="its address in the pool; if none is named, the first free one of those that the pool keeps for managers")
    parser.add_argument("--certificates", metavar="FILE", help="what `wow-ca list --json` printed on the manager with the CA: no address in it is taken")
    parser.add_argument("--after", metavar="FILE", help="/var/lib/wow/notice-2 of a machine of the pool: the new list is newer than that one")
    parser.add_argument("--today", metavar="DAY", help="this day (UTC), where wow-ca asks for it: a list that is signed under a clock that is ahead keeps later ones out")


def run(given, context):
    """Changes the list, then everything that it goes into."""
    folder = Folder(given.folder)
    folder.read()
    if (given.name is None) != (given.what == "sign"):
        raise WowError("is no word of sign" if given.name else "is missing", f"Type: {here.typed()} manager sign {folder.typed}, or add or remove with a NAME", "",
                       given.name or "NAME")
    with opening.locked(folder, context) as held:
        pool = opening.pool(folder, context, held)
        pool.find_images()  # before anything is changed: without an image to stamp, nothing is
        pool.list_managers(changed(given, pool, context), given.today, given.after)
        opening.renew(pool, context, lambda note: opening.facts(pool, note), told(given, folder, pool.settings))


def changed(given, pool, context):
    """The managers beside the first from now on."""
    if given.what == "sign":
        return pool.settings.managers
    return with_one(given, pool, context) if given.what == "add" else without_one(given, pool)


def with_one(given, pool, context):
    """The managers beside the first, with the new one. WowError where it cannot be one."""
    there = pool.settings.managers
    if given.name == FIRST or not kinds.is_label(given.name):
        raise WowError("is the first manager's name" if given.name == FIRST else "is not a DNS label", "Give small letters, digits and inner hyphens, like second",
                       "", given.name)
    if given.name in [one["host"] for one in there]:
        raise WowError("is a manager of this pool", f"{here.typed()} show {pool.folder.typed} lists them{opening.ended_before(pool)}", "", given.name)
    if len(there) + 1 == agreed.MOST_MANAGERS:
        raise WowError(f"would be one more than the {agreed.MOST_MANAGERS} managers that a pool may have", "Remove another one first", "", given.name)
    at = None
    if given.at:
        host, port = place.read(given.at)
        at = f"{host}:{port}"
        conf.judge(pool.settings.name, pool.settings.subnet, at, {})
        place.must_be_free(at, (pool.settings.at, *(one["at"] for one in there)))
        context.warn(place.doubts(host, pool.settings.subnet, given.private))
    return (*there, {"host": given.name, "address": chosen(given, pool, context), "at": at})


def without_one(given, pool):
    """The managers beside the first, but for one. WowError where that is none. One whose key is left of a run that was ended goes as a whole."""
    there = pool.settings.managers
    if given.name == FIRST:
        raise WowError("has the CA, and stays", f"If that machine is gone for good: {here.typed()} stamp {pool.folder.typed} --replace-manager", "", given.name)
    if given.name not in [one["host"] for one in there] and not (kinds.is_label(given.name) and pool.folder.other(given.name).exists()):
        raise WowError("is no manager beside the first", f"One of: {', '.join(one['host'] for one in there) or 'none'}{opening.ended_before(pool)}", "", given.name)
    return tuple(one for one in there if one["host"] != given.name)


def chosen(given, pool, context):
    """The new manager's address. WowError where that is another machine's, for all that this folder and the CA's list know."""
    contents = pool.authority.contents()
    known = addresses.read(given.certificates, contents) if given.certificates else None
    rows = [*contents["certificates"], *(known or [])]
    former = [row["not_after"] for row in rows if row["host"] == given.name and row["status"] == "valid"]
    if former and not pool.folder.other(given.name).exists():
        raise WowError(f"was another machine's name here, whose certificate is good until {former[-1][:10]}", "Give another name, like third", "", given.name)
    others = addresses.held(rows, given.name)
    if given.address in others:
        raise WowError(f"is the address of {others[given.address]}", "Give another --address", "", f"--address {given.address}")
    reserved = pool.settings.reserved
    if given.address:
        if known is None and not (reserved and addresses.is_in(reserved, given.address)):
            context.warn([f"{given.address} may be a machine's, which would lose it: this folder does not know who has enrolled. --certificates FILE says so"])
        return given.address
    return addresses.choose(reserved if reserved or known is None else addresses.everybody(pool.settings.subnet), others)


def told(given, folder, settings):
    """What is left to do."""
    if given.what == "sign":
        return "the list is signed anew. The pool hears of it from the first machine that starts with a new image"
    if given.what == "remove":
        revoke = opening.on_manager(settings, f"revoke {given.name} --manager")
        return (f"{given.name} is off the list. The pool hears of it from the first machine that starts with a new image. Its certificate still says manager. On the "
                f"manager with the CA: {revoke}. If that does not know it, {folder.certificate_of(given.name)} revokes it, as docs/operating.md says. When that machine "
                f"is off, remove {folder.for_other(given.name)}")
    return f"start {given.name} from {folder.for_other(given.name)}, once: it brings the pool the list of managers"
