"""wow enroll"""
import sys
import time

import asking
import control
import dispatch
import files
import poolconf
from errors import WowError

USAGE = "wow enroll [--ticket ID:SECRET]"
SUMMARY = "asks the CA for this machine's certificate, with the ticket of pool.conf or with the one given"
PATIENCE = 120.0


def run(arguments):
    """Starts the joining again with the ticket and waits for the certificate."""
    found, words = dispatch.options(arguments, values=("--ticket",))
    dispatch.no_words(words)
    ticket = found.get("--ticket")
    if ticket is not None and not poolconf.is_ticket(ticket):
        raise dispatch.UsageError("a ticket looks like ID:SECRET, without blanks")
    status = control.ask("status")
    if status["open"]:
        raise WowError("this pool is open and has no CA", "Nothing is to be done", "pool.conf", "[pool] open")
    before = (status.get("certificate") or {}).get("serial")
    if before and ticket is None:
        print(f"There is a certificate already, valid until {status['certificate']['not_after']}; wow-renew.timer renews it.")
        return 0
    asking.ask("enroll", ticket or "")
    return wait(before)


def wait(before, patience=PATIENCE):
    """Waits for a certificate that is not the one before."""
    limit = time.monotonic() + patience
    while time.monotonic() < limit:
        certificate = control.ask("status").get("certificate")
        if certificate:
            same = " (the same as before)" if certificate["serial"] == before else ""
            print(f"Certified: {certificate['host']} {certificate['address']}, valid until {certificate['not_after']}{same}.")
            return 0
        time.sleep(0.5)
    told = files.read("/run/issue.d/wow.issue")
    print(told.strip() if told else f"No certificate within {patience:.0f} s; it is tried on. Look with: journalctl -u wow-join", file=sys.stderr)
    return 1
