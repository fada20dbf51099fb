"""Makes a pool in one folder: CA, the manager's image, one image for all volunteers, a ticket, a sealed backup, and START.md, which says what to send
to whom. A run that was ended at any moment is gone on with by the same command; there is never a second CA."""

import datetime

from pool import addresses, conf, image, opening, place, programs, settings, users
from pool.authority import day_in, today
from pool.folder import Folder
from pool.node import WowError, agreed
from pool.pool import REFUSE
from pool.settings import Settings

SUMMARY = "makes a pool: everything that its manager, volunteers and scientists need, in one folder"


def add(parser):
    """Adds its words to the parser."""
    parser.add_argument("name", metavar="NAME", help="the pool's name, a DNS label like science")
    parser.add_argument("--at", metavar="HOST[:PORT]", help=f"where the manager will run, as everybody reaches it; UDP port {agreed.OVERLAY_PORT} if none is named")
    parser.add_argument("--private", action="store_true", help="the manager's address is private: all machines of the pool stand in its network")
    parser.add_argument("--subnet", help=f"the pool's addresses, {settings.SUBNET} if none is named; no machine's own network may use them")
    parser.add_argument("--machines", type=int, metavar="N", help=f"how many machines the first ticket admits, {settings.MACHINES} if not named")
    parser.add_argument("--until", metavar="DAY", help=f"the ticket's last day (UTC), like 2027-01-31; {settings.DAYS} days from now if none is named")
    parser.add_argument("--user", action="append", default=[], metavar="NAME=FILE.pub", help="who may log in to the pool's machines, by an ssh key; again for more")
    parser.add_argument("--folder", help="where to make it; NAME in this folder if none is named")
    parser.add_argument("--managers", type=int, default=1, metavar="N", help="1: others are added by `wow pool manager`, one by one")
    parser.add_argument("--login", action="store_true", help="also make a machine with a queue and no jobs, for people with a laptop")


def run(given, context):
    """Makes what is missing."""
    if given.managers != 1:
        raise WowError("each manager has a place of its own", "Leave it out, then say where the next one will run: wow pool manager add FOLDER NAME --at HOST",
                       f"--managers {given.managers}")
    programs.need(*programs.PACKAGES)
    folder = Folder(given.folder or given.name)
    if folder.settings.exists():
        same_pool(given, folder)
    else:
        wanted = checked(given, context)
        folder.make()
    with opening.locked(folder, context) as held:
        if folder.settings.exists():
            same_pool(given, folder)  # another run may have been faster
        else:
            settings.write(folder.settings, wanted)
        pool = opening.pool(folder, context, held)
        context.warn(place.overlaps(pool.settings.subnet))
        make(pool, context)


def make(pool, context):
    """Every step. The recovery key is told last, so that it stands at the end; with --json in the one line that is printed."""
    def tell(key, note):
        context.tell({**opening.facts(pool), "backup": opening.sealed(pool.folder, note), "recovery_key": key})
        opening.show_key(key, context)
        told.append(key)

    told = []
    context.run([pool.build()])
    if not image.is_there(context.clone):
        raise WowError("holds no image after the build", "Look at what it printed above", str(context.clone.out))
    context.run(pool.identity())
    context.run([*pool.images(REFUSE), pool.papers(), pool.sealed(tell)])
    context.say(f"the pool {pool.settings.name} is in {pool.folder.root}; read START.md there")
    if not told:
        context.tell({**opening.facts(pool), "recovery_key": None})


def checked(given, context):
    """The Settings that were typed. WowError where something is wrong with them; nothing has been made."""
    if not given.at:
        raise WowError("is missing", "Say where the manager will run, as everybody reaches it, like --at manager.example.org", "--at")
    host, port = place.read(given.at)
    subnet = given.subnet or settings.SUBNET
    named = users.read(given.user)
    conf.judge(given.name, subnet, f"{host}:{port}", named)
    machines = settings.MACHINES if given.machines is None else given.machines
    reserved = addresses.block(subnet)
    place.holds(subnet, ticket_of(machines), addresses.beside_first(reserved))
    until = day(given.until or day_in(settings.DAYS))
    context.warn(place.doubts(host, subnet, given.private))
    return Settings(given.name, subnet, host, port, machines, until, named, given.login, reserved=reserved)


def same_pool(given, folder):
    """WowError where the pool in the folder is another than the one that was typed."""
    there = folder.read()
    typed = {"NAME": (given.name, there.name, "Give another name or another --folder"),
             "--subnet": (given.subnet, there.subnet, "A pool keeps its subnet; another one is another pool: give another name"),
             "--at": (given.at and "{}:{}".format(*place.read(given.at)), there.at, "To move the manager: wow pool stamp --at"),
             "--machines": (given.machines, there.machines, "To admit more machines: wow pool ticket"),
             "--until": (given.until, there.until, "To admit machines for longer: wow pool ticket"),
             "--login": (given.login or None, there.login, "To make that image, too: wow pool stamp --login"),
             "--user": (users.read(given.user) or None, there.users, "To change who may log in: wow pool user")}
    for option, (wanted, has, todo) in typed.items():
        if wanted is not None and wanted != has:
            raise WowError(f"the pool there has {_shown(has)}, not {_shown(wanted)}", todo, str(folder.root), option)


def _shown(value):
    if isinstance(value, bool):
        return "an image for laptops" if value else "no image for laptops"
    return " ".join(sorted(value)) or "nobody" if isinstance(value, dict) else value


def ticket_of(machines):
    """The number of machines of a ticket; WowError if it admits none."""
    if machines < 1:
        raise WowError(f"{machines} machines are none", "Give 1 or more", "--machines")
    return machines


def day(text):
    """A day as YYYY-MM-DD, today at the earliest; wow-ca has the last word on it."""
    try:
        last = datetime.date.fromisoformat(text)
    except ValueError:
        raise WowError("is no day", "Write it like 2027-01-31", f"--until {text}") from None
    if last < today():
        raise WowError("is over already", f"Give {today()} or a later day", f"--until {text}")
    return last.isoformat()
