"""Makes a pool in one folder: CA, the manager's image, one image for all volunteers, a ticket, a sealed backup, and START.md, which says what to send
to whom. A run that was ended at any moment is gone on with by the same command; there is never a second CA."""

import datetime
import sys

from pool import addresses, conf, here, image, opening, place, programs, settings, stamping, users
from pool.authority import day_in, today
from pool.folder import Folder
from pool.node import WowError, agreed
from pool.pool import REFUSE
from pool.settings import Settings

SUMMARY = "makes a pool: everything that its manager, volunteers and scientists need, in one folder"
OTHERS = ("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
"""What managers beside the first are called that are made with the pool."""


def add(parser):
    """Adds its words to the parser."""
    parser.add_argument("name", metavar="NAME", help="the pool's name, a DNS label like science")
    parser.add_argument("--at", metavar="HOST[:PORT]", action="append", default=[], help="where the manager will run, as everybody reaches it; UDP port "
                        f"{agreed.OVERLAY_PORT} if none is named; again for each further manager")
    parser.add_argument("--private", action="store_true", help="the manager's address is private: all machines of the pool stand in its network")
    parser.add_argument("--subnet", help=f"the pool's addresses, {settings.SUBNET} if none is named; no machine's own network may use them")
    parser.add_argument("--machines", type=int, metavar="N", help=f"how many machines the first ticket admits, {settings.MACHINES} if not named")
    parser.add_argument("--until", metavar="DAY", help=f"the ticket's last day (UTC), like 2027-01-31; {settings.DAYS} days from now if none is named")
    parser.add_argument("--user", action="append", default=[], metavar="NAME=FILE.pub", help="who may log in to the pool's machines, by an ssh key; again for more")
    parser.add_argument("--admin", action="append", default=[], metavar="NAME=FILE.pub", help="who may log in to the manager and ask its CA there, to admit, deny "
                        "and revoke machines; again for more")
    parser.add_argument("--folder", help="where to make it; NAME in this folder if none is named")
    parser.add_argument("--managers", type=int, metavar="N", help=f"how many managers, of which each has an --at, the first one's first; the others are called "
                        f"{OTHERS[0]}, {OTHERS[1]} and so on; where no --at says it, the place of each is asked for")
    parser.add_argument("--keyboard", metavar="LAYOUT", help="which keyboards stand at the machines' screens, like de or fr; an owner may choose another one")
    parser.add_argument("--login", action="store_true", help="also make a machine with a queue and no jobs, for people with a laptop")
    parser.add_argument("--arm64", action="store_true", help="also make files for computers with ARM processors, Apple's among them")


def run(given, context):
    """Makes what is missing."""
    programs.need(*programs.PACKAGES)
    folder = Folder(given.folder or given.name)
    if folder.settings.exists():
        same_pool(given, folder)
    else:
        ask_places(given)
        wanted = checked(given, context)
        folder.make()
    with opening.locked(folder, context) as held:
        if folder.settings.exists():
            same_pool(given, folder)  # another run may have been faster
        else:
            settings.write(folder.settings, wanted)
        pool = opening.begun(folder, context, held)
        context.warn(place.overlaps(pool.settings.subnet))
        make(pool, context)


def make(pool, context):
    """Every step. The recovery key is told last, so that it stands at the end."""
    context.run([pool.build()])
    if not image.is_there(context.clone):
        raise WowError("holds no image after the build", "Look at what it printed above", str(context.clone.out))
    context.run([*pool.identity(), pool.others()])
    context.run([*pool.images(REFUSE), pool.papers(), opening.sealing(pool, context, lambda note: opening.facts(pool, note))])
    context.warn([*missing(pool.settings, pool.folder.typed), *pool.doubts()])
    context.say(f"the pool {pool.settings.name} is in {pool.folder.root}; read START.md there")
    context.tell({**opening.facts(pool), "recovery_key": None})


def missing(told, root):
    """Whom a pool lacks, and how they come: better before the images are sent than after."""
    if not told.users:
        yield f"nobody may log in to the pool's machines, so nobody can send jobs. Before you send the images: {here.typed()} user add {root} NAME=FILE.pub"
    if not told.admins:
        yield (f"nobody may log in to the manager, so nobody can take a machine back, or publish modules. Before you start it: {here.typed()} admin add "
               f"{root} NAME=FILE.pub")


def ask_places(given):
    """Asks whoever sits at a terminal where each manager will run of which that was not said. WowError where there is nobody to ask, or there are more places than
    managers."""
    count = given.managers
    if count is None:
        return
    if not 1 <= count <= agreed.MOST_MANAGERS:
        raise WowError(f"a pool has 1 to {agreed.MOST_MANAGERS} managers", "Say another number", "", f"--managers {count}")
    if len(given.at) > count:
        raise WowError(f"there are {len(given.at)} places", "Say one --at for each manager", "", f"--managers {count}")
    for number in range(len(given.at), count) if sys.stdin.isatty() else ():
        # Standard output may be a file for the result.
        print(f"Where will the {('first', *OTHERS)[number]} manager run, as everybody reaches it (HOST or HOST:PORT)? ", end="", file=sys.stderr, flush=True)
        given.at.append(input().strip())


def checked(given, context):
    """The Settings that were typed. WowError where something is wrong with them; nothing has been made."""
    if not given.at:
        raise WowError("is missing", "Say where the manager will run, as everybody reaches it, like --at manager.example.org", "--at")
    if given.managers is not None and len(given.at) != given.managers:
        raise WowError(f"each manager has a place of its own, and there {'is one' if len(given.at) == 1 else f'are {len(given.at)}'}",
                       "Say --at HOST for each, the first one's first", "", f"--managers {given.managers}")
    subnet = given.subnet or settings.SUBNET
    named, admins = users.read(given.user), users.read(given.admin, "--admin")
    conf.judge_names(named)
    conf.judge_names(admins, "--admin")
    places = [place.read(at) for at in given.at]
    for host, port in places:
        conf.judge(given.name, subnet, f"{host}:{port}", named)
        conf.judge(given.name, subnet, f"{host}:{port}", admins, "--admin")
    machines = settings.MACHINES if given.machines is None else given.machines
    reserved = addresses.block(subnet)
    place.holds(subnet, ticket_of(machines), addresses.beside_first(reserved))
    others = managers(places, reserved, subnet)
    if given.keyboard:
        conf.judge_keyboard(given.keyboard)
    if given.arm64:
        image.find_arm(context.clone)
    until = day(given.until or day_in(settings.DAYS))
    context.warn([doubt for host, _ in places for doubt in place.doubts(host, subnet, given.private)])
    (host, port), *_ = places
    wanted = Settings(given.name, subnet, host, port, machines, until, named, given.login, others, reserved, admins=admins, keyboard=given.keyboard or "",
                      arm64=given.arm64)
    stamping.must_fit(settings.facts(wanted, "0" * 64, conf.CERTIFICATE), conf.TICKET, wanted)
    return wanted


def managers(places, reserved, subnet):
    """Those beside the first, as Settings has them. WowError where two have one place, or the subnet is too small."""
    at = [f"{host}:{port}" for host, port in places]
    for number, one in enumerate(at):
        place.must_be_free(one, at[:number])
    if len(at) > 1 + min(addresses.beside_first(reserved), len(OTHERS)):
        raise WowError(f"keeps addresses for {1 + addresses.beside_first(reserved)} managers, and no pool has more than {agreed.MOST_MANAGERS}",
                       "Give a larger --subnet, like 10.128.0.0/16, or fewer --at", f"--subnet {subnet}")
    free = addresses.each(reserved)[1:]
    return tuple({"host": name, "address": address, "at": one} for name, address, one in zip(OTHERS, free, at[1:]))


def same_pool(given, folder):
    """WowError where the pool in the folder is another than the one that was typed."""
    there, command, root = folder.read(), here.typed(), folder.typed
    at = ["{}:{}".format(*place.read(one)) for one in given.at]
    known = [one["at"] for one in there.managers]
    typed = {"NAME": (given.name, there.name, "Give another name or another --folder"),
             "--subnet": (given.subnet, there.subnet, "A pool keeps its subnet; another one is another pool: give another name"),
             "--at": (at[0] if at else None, there.at, f"To move the manager: {command} stamp {root} --at HOST"),
             "a further --at": (" ".join(one for one in at[1:] if one not in known) or None, " ".join(one for one in known if one) or "none",
                                f"To have another manager: {command} manager add {root} NAME"),
             "--managers": (given.managers if given.managers and given.managers > 1 + len(known) else None, 1 + len(known),
                            f"To have another one: {command} manager add {root} NAME"),
             "--machines": (given.machines, there.machines, f"To admit more machines: {command} ticket {root} --machines N"),
             "--until": (given.until, there.until, f"To admit machines for longer: {command} ticket {root} --machines N --until DAY"),
             "--login": (given.login or None, there.login, f"To make that image, too: {command} stamp {root} --login"),
             "--arm64": (given.arm64 or None, there.arm64, f"To make those files, too: {command} stamp {root} --arm64"),
             "--keyboard": (given.keyboard, there.keyboard or "us", f"To have another one: {command} stamp {root} --keyboard LAYOUT"),
             "--user": (users.read(given.user) or None, there.users, f"To change who may log in: {command} user add {root} NAME=FILE.pub, or remove"),
             "--admin": (users.read(given.admin, "--admin") or None, there.admins,
                         f"To change who administers the pool: {command} admin add {root} NAME=FILE.pub, or remove")}
    for option, (wanted, has, todo) in typed.items():
        if wanted is not None and wanted != has:
            raise WowError(f"the pool there has {_shown(has, option)}, not {_shown(wanted, option)}", todo, str(folder.root), option)


def _shown(value, option):
    if isinstance(value, bool):
        what = "files for arm64" if option == "--arm64" else "image for laptops"
        return ("an " if what.startswith("image") else "") + what if value else f"no {what}"
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
        last = None
    # ISO 8601 has more ways to write a day. The settings keep this one, with which the same command is compared when it is typed again.
    if last is None or last.isoformat() != text:
        raise WowError("is no day", "Write it like 2027-01-31", f"--until {text}")
    if last < today():
        raise WowError("is over already", f"Give {today()} or a later day", f"--until {text}")
    return text
