"""Makes a ticket and puts it into the volunteers' image, or ends one. A manager that runs takes a new ticket without being told."""

from pool import addresses, here, opening, place, settings
from pool.authority import day_in
from pool.folder import Folder
from pool.node import WowError
from pool.verbs import create

SUMMARY = "admits more machines: a new ticket, in the volunteers' image; or ends one"


def add(parser):
    """Adds its words to the parser."""
    parser.add_argument("folder", metavar="FOLDER", help="the pool's folder")
    parser.add_argument("--machines", type=int, metavar="N", help="how many machines it admits")
    parser.add_argument("--until", metavar="DAY", help=f"its last day (UTC), like 2027-01-31; {settings.DAYS} days from now if none is named")
    parser.add_argument("--end", metavar="ID", help="ends this ticket instead; `wow pool show` lists them")


def run(given, context):
    """Makes or ends a ticket, then whatever of the images and the backup is made of it."""
    if bool(given.end) == (given.machines is not None) or given.end and given.until:
        raise WowError("say how many machines a new ticket admits, like --machines 20, or --end ID", f"`{here.typed()} show {Folder(given.folder).typed}` lists tickets")
    folder = Folder(given.folder)
    told = folder.read()
    with opening.locked(folder, context) as held:
        pool = opening.pool(folder, context, held)
        if given.end:
            must_know(given.end, pool)
            pool.authority.end_ticket(given.end)
            context.say(f"ticket {given.end} is ended here. On a manager that has run, end it there, too: {opening.on_manager(told, f'ticket --end {given.end}')}")
            context.run([pool.papers(), opening.sealing(pool, context, lambda _: {"ended": given.end})])
            context.warn(pool.doubts())
            context.tell({"ended": given.end})
            return
        place.holds(told.subnet, create.ticket_of(given.machines), addresses.beside_first(told.reserved))
        until = create.day(given.until or day_in(settings.DAYS))
        pool.find_images()  # before the ticket: without an image to put it into, none is made
        ticket = pool.add_ticket(given.machines, until)
        context.changed = folder.typed
        context.say(f"ticket for {given.machines} machines until {until}; by hand: wow enroll --ticket {ticket}")
        opening.renew(pool, context, lambda _: {"ticket": ticket, "machines": given.machines, "until": until})


def must_know(number, pool):
    """WowError for a ticket that neither the folder nor its CA made: wow-ca ends whatever may be one, so a mistyped one would seem to be ended."""
    known = [one["id"] for one in pool.folder.read_tickets()]
    if number not in known and number not in [row["id"] for row in pool.authority.contents()["tickets"]]:
        raise WowError("there is no such ticket in this folder", f"The newest is {known[-1] if known else 'none'}, "
                       f"`{here.typed()} show {pool.folder.typed}` lists all. One that was made "
                       f"elsewhere is ended on the manager: {opening.on_manager(pool.settings, 'ticket --end ID')}", "", f"--end {number}")
