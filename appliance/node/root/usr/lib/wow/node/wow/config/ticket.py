"""Tickets, which admit a machine to the pool once."""
import os

from wow.lib import files, paths

LONGEST = 256
TAKEN = f"{paths.RUN}/ticket"
"""The one that the machine shows in place of pool.conf's."""
KEPT = f"{paths.STATE}/ticket"
"""The same where it came with a pool.conf by the web page, over the start that follows."""
CERTIFICATE = f"{paths.STATE}/node.pem"


def is_ticket(text: str) -> bool:
    """Whether the text has the form of a ticket: an id, a colon, a secret."""
    head, colon, tail = text.partition(":")
    return bool(head and colon and tail) and text.isascii() and text.isprintable() and " " not in text and len(text) <= LONGEST


def bring(is_kept: bool) -> None:
    """At a start: takes up the ticket that was kept, or forgets it where there is a certificate, or where it is none any more. is_kept: whether the pool.conf is the one
    that counted before; another one has a ticket of its own. OSError: it cannot be written."""
    if not os.path.exists(KEPT):
        return
    if not is_kept or os.path.exists(CERTIFICATE) or not is_ticket((text := files.find_readable(KEPT) or "").strip()):
        os.unlink(KEPT)
    else:
        files.write(TAKEN, text, 0o600)
