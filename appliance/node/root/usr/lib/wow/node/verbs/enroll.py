"""wow enroll"""
import json
import sys
import time

import asking
import control
import dispatch
import files
import poolconf
from errors import WowError

USAGE = "wow enroll [--ticket ID:SECRET] [--json]"
SUMMARY = "asks the CA for this machine's certificate, with the ticket of pool.conf or with the one given"
PATIENCE = 120.0


def run(arguments):
    """Starts the joining again with the ticket and waits for the certificate."""
    found, words = dispatch.options(arguments, ("--json",), ("--ticket",))
    dispatch.no_words(words)
    ticket = found.get("--ticket")
    if ticket is not None and not poolconf.is_ticket(ticket):
        raise dispatch.UsageError("a ticket looks like ID:SECRET, without blanks")
    status = control.ask("status")
    if status["open"]:
        raise WowError("this pool is open and has no CA", "Nothing is to be done", "pool.conf", "[pool] open")
    before = (status.get("certificate") or {}).get("serial")
    if before and ticket is None:
        certificate = status["certificate"]
        print(json.dumps({"certificate": certificate, "is_new": False}) if "--json" in found
              else f"There is a certificate already, valid until {certificate['not_after']}; wow-renew.timer renews it.")
        return 0
    asking.ask("enroll", ticket or "")
    return wait(before, as_json="--json" in found)


def wait(before, patience=PATIENCE, as_json=False):
    """Waits for a certificate; says whether it is another than the one before."""
    limit = time.monotonic() + patience
    while time.monotonic() < limit:
        certificate = control.ask("status").get("certificate")
        if certificate:
            is_new = certificate["serial"] != before
            print(json.dumps({"certificate": certificate, "is_new": is_new}) if as_json
                  else f"Certified: {certificate['host']} {certificate['address']}, valid until {certificate['not_after']}"
                  f"{'' if is_new else ' (the same as before)'}.")
            return 0
        time.sleep(0.5)
    told = files.read("/run/issue.d/wow.issue")
    print(told.strip() if told else f"No certificate within {patience:.0f} s; it is tried on. Look with: journalctl -u wow-join", file=sys.stderr)
    return 1
