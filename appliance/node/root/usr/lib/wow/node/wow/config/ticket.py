"""Tickets, which admit a machine to the pool once."""

LONGEST = 256


def is_ticket(text: str) -> bool:
    """Whether the text has the form of a ticket: an id, a colon, a secret."""
    head, colon, tail = text.partition(":")
    return bool(head and colon and tail) and text.isascii() and text.isprintable() and " " not in text and len(text) <= LONGEST
