"""Makes a ticket and puts it into the volunteers' image, or ends one. A manager that runs takes a new ticket without being told."""

from pool import addresses, opening, place
from pool.folder import Folder
from pool.node import WowError
from pool.verbs import create

SUMMARY = "admits more machines: a new ticket, in the volunteers' image; or ends one"


def add(parser):
    """Adds its words to the parser."""
    parser.add_argument("folder", metavar="FOLDER", help="the pool's folder")
    parser.add_argument("--machines", type=int, metavar="N", help="how many machines it admits")
    parser.add_argument("--until", metavar="DAY", help="its last day (UTC), like 2027-01-31")
    parser.add_argument("--end", metavar="ID", help="ends this ticket instead; `wow pool show` lists them")


def run(given, context):
    """Makes or ends a ticket, then whatever of the images and the backup is made of it."""
    if bool(given.end) == bool(given.machines is not None and given.until):
        raise WowError("say either --machines N --until DAY, or --end ID", "`wow pool ticket --help` explains them")
    folder = Folder(given.folder)
    told = folder.read()
    with opening.locked(folder, context) as held:
        pool = opening.pool(folder, context, held)
        if given.end:
            pool.authority.end_ticket(given.end)
            context.say(f"ticket {given.end} is ended here. On a manager that has run, end it there, too: /usr/lib/wow/ca/wow-ca ticket --end {given.end} "
                        "--state /var/lib/wow/ca")
            context.run([pool.sealed(lambda key, _: opening.show_key(key, context))])
            context.tell({"ended": given.end})
            return
        place.holds(told.subnet, create.ticket_of(given.machines), addresses.beside_first(told.reserved))
        until = create.day(given.until)
        pool.image  # before the ticket: without an image to put it into, none is made
        ticket = pool.add_ticket(given.machines, until)
        context.say(f"ticket for {given.machines} machines until {until}; by hand: wow enroll --ticket {ticket}")
        opening.renew(pool, context)
        context.tell({"ticket": ticket, "machines": given.machines, "until": until})
