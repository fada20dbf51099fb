"""Gives charon the CA's list of revoked certificates, which ipopd keeps as a notice, and ends the SAs with their holders.

A list that is loaded does not count before the old one is flushed, and SAs live on until somebody ends them. Whose certificate an SA was made
with charon does not tell; but it keeps the last certificates it saw, those of strangers, too, whom it refused. So OpenSSL says which of them are the CA's and
count. An SA whose address is on none of these is ended, too: it comes back by itself within a second if its peer may."""
import os
import re

from wow.lib import barred, console, der, paths, pem, system
from wow.lib.errors import WowError
from wow.seal import crl

ADDRESSES = bytes((0x55, 0x1D, 0x11))
"""subjectAltName, RFC 5280 section 4.2.1.6."""
CA = f"{paths.STATE}/ca.pem"


def main() -> int:
    """Exit code."""
    try:
        if crl.install() or os.path.exists(crl.PENDING):
            system.must(["swanctl", "--load-creds", "--noprompt"])
            system.must(["swanctl", "--flush-certs", "--type", "x509_crl"])
            with open(crl.LIST, "rb") as file:
                end(serials(file.read()))
            os.unlink(crl.PENDING)
    except WowError as error:
        console.say_change(f"{paths.RUN}/revoked-list.error", error)
        return 1
    console.say_change(f"{paths.RUN}/revoked-list.error", None)
    return 0


def serials(data: bytes) -> set[int]:
    """The serial numbers of a CRL (RFC 5280 section 5.1)."""
    fields = der.elements(der.elements(der.only(data, der.SEQUENCE, "a CRL"))[0][1])
    entries = [content for tag, content in fields[5:6] if tag == der.SEQUENCE]
    return {int.from_bytes(der.elements(entry)[0][1], "big") for _, entry in (der.elements(entries[0]) if entries else ())}


def holder(certificate: bytes) -> tuple[int, list[str]]:
    """(serial number, IPv4 addresses) of a certificate."""
    fields = der.elements(der.elements(der.only(certificate, der.SEQUENCE, "a certificate"))[0][1])
    found = []
    for extension in (content for tag, content in fields[7:] if tag == 0xA3):
        for _, parts in der.elements(der.only(extension, der.SEQUENCE, "extensions")):
            (_, kind), *_, (_, value) = der.elements(parts)
            if kind == ADDRESSES:
                found += [".".join(map(str, name)) for tag, name in der.elements(der.only(value, der.SEQUENCE, "names")) if tag == 0x87]
    return int.from_bytes(fields[1][1], "big"), found


def signed(listed: str) -> list[bytes]:
    """Those of the certificates in what `swanctl --list-certs --pem` printed that the pool's CA signed and that have not ended. WowError if there is none: charon has the
    CA's own at least, so OpenSSL could not tell."""
    places: list[int] = []
    try:
        for one in (found := pem.certificates(listed)):
            # A file in memory, whose name OpenSSL gets.
            places.append(os.memfd_create("certificate", 0))
            os.write(places[-1], pem.encode(one).encode())
        said = system.run(["openssl", "verify", "-no-CApath", "-no-CAstore", "-CAfile", CA, *(f"/dev/fd/{place}" for place in places)])[1]
    finally:
        for place in places:
            os.close(place)
    good = [one for one, place in zip(found, places) if f"/dev/fd/{place}: OK" in said.splitlines()]
    if found and not good:
        raise WowError(f"OpenSSL finds none of charon's certificates to be the CA's: {system.last_line(said)}", "Look at the machine's clock: wow doctor", CA)
    return good


def holders(certificates: list[bytes], revoked: set[int]) -> tuple[set[str], set[str]]:
    """(addresses of certificates that are not revoked, those of which all are)."""
    good: set[str] = set()
    bad: set[str] = set()
    for certificate in certificates:
        try:
            serial, addresses = holder(certificate)
        except (ValueError, IndexError):
            # Its outer bytes, which nobody signed, may be another encoding. Whose it is stays unknown, and so nobody's SA is spared for it.
            continue
        (bad if serial in revoked else good).update(addresses)
    return good - bad, bad


def associations(listed: str) -> list[tuple[str, str]]:
    """[(unique id, the peer's address)] of what `swanctl --list-sas --raw` printed."""
    return re.findall(r"list-sa event \{\S+ \{uniqueid=(\d+) .*?remote-host=([0-9.]+) ", listed)


def end(revoked: set[int]) -> None:
    """Ends the SAs with whoever is not known to be good."""
    good, bad = holders(signed(system.must(["swanctl", "--list-certs", "--type", "x509", "--pem"])), revoked)
    barred.write(bad)
    for number, address in associations(system.must(["swanctl", "--list-sas", "--raw"])):
        if address not in good:
            system.run(["swanctl", "--terminate", "--ike-id", number, "--force", "--timeout", "1"])
            print(f"SA {number} with {address} ended", flush=True)  # for the journal
