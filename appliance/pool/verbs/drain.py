"""On the manager with the pool's CA: gives machines no more jobs, and lets what runs there go on to its end; without a name shows those that get none. The CA does
it for its administrators, keeps the list and tells all managers and machines (wow-ca drain)."""

from pool.node import WowError

SUMMARY = "on the manager with the CA: gives a machine no more jobs, or shows those that get none"


def add(parser):
    """Adds its words to the parser."""
    parser.add_argument("machines", metavar="MACHINE", nargs="*", help="its name or address")
    parser.add_argument("--end", action="store_true", help="gives them jobs again")
    parser.add_argument("--dry-run", action="store_true", help="only says what it would do")
    parser.add_argument("--today", metavar="YYYY-MM-DD", help="this day (UTC), where the CA was not used for long")


def run(given, context):
    """Says where it is done: in a clone there is no CA that serves."""
    raise WowError("is done on the manager, by an administrator of the pool", f"Type: ssh NAME@MANAGER wow pool drain {' '.join(given.machines)}".rstrip(), "", "wow pool drain")
