"""wow enroll"""
import json
import sys
import time

from wow.agent import client
from wow.config import ticket as tickets
from wow.lib import console, control, files
from wow.lib.errors import WowError
from wow.lib.verb import JSON, Given, Option, UsageError, Verb

TICKET = Option("--ticket", "ID:SECRET", "a ticket from the pool's administrator, in place of pool.conf's")
PATIENCE = 120.0
"""Seconds."""


def run(given: Given) -> int:
    """Starts the joining again with the ticket and waits for the certificate."""
    ticket = given.find(TICKET)
    if ticket is not None and not tickets.is_ticket(ticket):
        raise UsageError("a ticket looks like ID:SECRET, without blanks")
    status = control.status()
    if status["open"]:
        raise WowError("this pool is open and has no CA", "Nothing is to be done", "pool.conf", "[pool] open")
    certificate = status["certificate"]
    if certificate and ticket is None:
        print(json.dumps({"certificate": certificate, "is_new": False}) if given.has(JSON)
              else f"There is a certificate already, valid until {certificate['not_after']}; wow-renew.timer renews it.")
        return 0
    client.ask("enroll", **({"ticket": ticket} if ticket else {}))
    return wait(certificate["serial"] if certificate else None, as_json=given.has(JSON))


def wait(before: str | None, patience: float = PATIENCE, as_json: bool = False) -> int:
    """Waits, `patience` seconds at most, for a certificate; says whether it is another than the one before."""
    limit = time.monotonic() + patience
    while time.monotonic() < limit:
        certificate = control.status()["certificate"]
        if certificate:
            is_new = certificate["serial"] != before
            print(json.dumps({"certificate": certificate, "is_new": is_new}) if as_json
                  else f"Certified: {certificate['host']} {certificate['address']}, valid until {certificate['not_after']}"
                  f"{'' if is_new else ' (the same as before)'}.")
            return 0
        time.sleep(0.5)
    told = files.read(console.NOTICE).strip()
    print(told or f"No certificate within {patience:.0f} s; it is tried on. Look with: journalctl -u wow-join", file=sys.stderr)
    return 1


VERB = Verb("enroll", "", "asks the CA for this machine's certificate, with the ticket of pool.conf or with the one given", (TICKET, JSON), run)
