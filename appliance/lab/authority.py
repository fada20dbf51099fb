"""Makes the pool's certificate authority with the published `wow-ca`, as an administrator would."""

import base64
import datetime
import os
from dataclasses import dataclass

import image
from shell import LabError, run

CERTIFICATE = "ca.pem"
"""The CA's certificate in its folder."""


@dataclass(frozen=True)
class Authority:
    """A CA's folder, the manager's folder (node.key, node.pem), its certificate in base64 on one line, and a ticket."""

    folder: str
    manager: str
    certificate: str
    ticket: str


def make(folder, pool, subnet):
    """A new CA in folder, a manager's certificate beside it, a ticket for many machines that ends in a week."""
    manager = folder + "-manager"
    os.makedirs(folder)
    os.makedirs(manager)
    run(image.WOW_CA, "init", "--state", folder, "--pool", pool, "--subnet", subnet)
    run(image.WOW_CA, "manager", "--state", folder, "--out", manager)
    with open(os.path.join(folder, CERTIFICATE), encoding="ascii") as file:
        certificate = one_line(file.read())
    return Authority(folder, manager, certificate, ticket(folder, 100, datetime.timedelta(days=7)))


def ticket(folder, uses, lifetime):
    """A ticket that admits so many machines for so long (a timedelta, whole seconds)."""
    until = datetime.datetime.now(datetime.timezone.utc) + lifetime
    said = run(image.WOW_CA, "ticket", "--state", folder, "--uses", uses, "--until", until.strftime("%Y-%m-%dT%H:%M:%SZ")).stdout.split()
    if not said or ":" not in said[0]:
        raise LabError(f"wow-ca ticket printed no ticket: {' '.join(said)}")
    return said[0]


def one_line(pem):
    """The DER of the first certificate in a PEM text, as base64 on one line."""
    begin, end = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"
    if begin not in pem or end not in pem:
        raise LabError(f"{CERTIFICATE} of the CA holds no certificate")
    body = "".join(pem.split(begin, 1)[1].split(end, 1)[0].split())
    base64.b64decode(body, validate=True)
    return body
