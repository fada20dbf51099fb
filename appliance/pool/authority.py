"""The pool's certificate authority in its folder, by the published `wow-ca`."""

import base64
import datetime
import hashlib
import json

from pool import durable, here, programs, signing
from pool.node import WowError, der, pem

CERTIFICATE = "ca.pem"
"""The CA's certificate in its folder: the folder is complete once it is there."""


class Authority:
    """A CA's folder. `held`: descriptors that wow-ca keeps open while it runs."""

    def __init__(self, wow_ca, folder, held=()):
        self.folder = folder
        self._wow_ca = wow_ca
        self._held = held
        self._contents = None

    def _run(self, *words):
        self._contents = None  # whatever it changes, the next who asks is told
        return programs.run(self._wow_ca, *words, held=self._held, place=_there(self.folder))

    def _ask(self, verb, *words):
        """What wow-ca answers for programs; people's words are not read."""
        said = self._run(verb, "--state", self.folder, *words, "--json")
        try:
            return json.loads(said)
        except ValueError:
            raise WowError("answered what is no JSON", "Make the pool's programs anew: make image", f"wow-ca {verb} --json") from None

    @property
    def is_there(self):
        """Whether the CA has been made."""
        return (self.folder / CERTIFICATE).exists()

    def make(self, pool, subnet):
        """Makes the CA, and the first key of its own that signs what is published. So the CA's key alone names none to machines that have that one on their
        configuration disk (decision 0087)."""
        self.folder.parent.mkdir(0o700, exist_ok=True)
        with durable.beside(self.folder) as new:
            self._run("init", "--state", new, "--pool", pool, "--subnet", subnet)
            self._run("rekey", "--state", new)

    def make_manager(self, out, *which):
        """Makes key and certificate of a manager in the folder `out`; after an interrupted run, with the same key. which: words of wow-ca that say which one, none for
        the first."""
        self._run("manager", "--state", self.folder, "--out", out, *which)
        durable.sync(out)

    def make_other(self, out, host, address, said=()):
        """Makes those of another manager, which has no CA. said: words of wow-ca that a person typed, of the day."""
        out.parent.mkdir(0o700, exist_ok=True)
        self.make_manager(out, "--host", host, "--address", address, *said)

    def sign_managers(self, hosts, out, said=()):
        """Signs the list of managers, the first one first, which has the CA. said: the same, and of the newest list."""
        self._run("managers", *hosts, "--state", self.folder, "--out", out, *said)
        durable.sync(out)

    def renew_manager(self, out):
        """Renews that certificate, if it is time."""
        self._run("renew", "--state", self.folder, "--out", out)
        durable.sync(out)

    def ticket(self, machines, until):
        """A ticket ID:SECRET for so many machines until a day or a moment (`moment`), both in UTC."""
        said = self._ask("ticket", "--uses", machines, "--until", until)
        if not isinstance(said, dict) or not isinstance(said.get("ticket"), str):
            raise WowError("answered without a ticket", "Make the pool's programs anew: make image", "wow-ca ticket --json")
        return said["ticket"]

    def end_ticket(self, number):
        """Ends a ticket."""
        self._run("ticket", "--state", self.folder, "--end", number)

    def contents(self):
        """What `wow-ca list --json` tells: certificates and tickets. Asked once until something changes, for this run alone holds the folder."""
        self._contents = self._contents or self._ask("list")
        return self._contents

    @property
    def der(self):
        """The CA's certificate."""
        path = self.folder / CERTIFICATE
        found = pem.certificate(path.read_text(encoding="ascii", errors="replace"))
        if found is None:
            raise WowError("holds no certificate", f"Bring the CA's folder back from its backup: {here.typed()} restore backup.age", str(path))
        return found

    @property
    def certificate(self):
        """The same for pool.conf: base64 on one line."""
        return base64.b64encode(self.der).decode("ascii")

    @property
    def fingerprint(self):
        """SHA-256 of the certificate, as hexadecimal digits."""
        return hashlib.sha256(self.der).hexdigest()

    def follow(self, certificate):
        """From now on has the certificate that the manager's CA renewed its own to; whether that ends later. WowError: it is another CA's. certificate: its DER."""
        try:
            if not der.is_renewal(self.der, certificate):
                raise ValueError
            is_later = der.validity(self.der)[1] < der.validity(certificate)[1]
        except ValueError:
            raise WowError("is no certificate of this pool's CA", "Copy the manager's /var/lib/wow/ca once more, as root", signing.RENEWED) from None
        if is_later:
            self._contents = None
            durable.write(self.folder / CERTIFICATE, pem.encode(certificate).encode("ascii"))
        return is_later

    def admitted(self):
        """How many machines came by the tickets of this CA: none, as long as no manager has served it."""
        return sum(ticket["used"] for ticket in self.contents()["tickets"])


def _there(folder):
    """The folder itself, or the one above that is there."""
    return next(one for one in (folder, *folder.parents) if one.exists())


def day_in(days):
    """The day so many days from now (UTC), as `ticket` takes it."""
    return (today() + datetime.timedelta(days=days)).isoformat()


def today():
    """Today in UTC."""
    return datetime.datetime.now(datetime.timezone.utc).date()


def end_of(until):
    """When a ticket ends that was made with these words (`ticket`), as the CA says it: a day means its last second."""
    return f"{until}T23:59:59+00:00" if "T" not in until else until.replace("Z", "+00:00")


def is_over(not_after):
    """Whether a time that the CA said has come."""
    return datetime.datetime.fromisoformat(not_after) < datetime.datetime.now(datetime.timezone.utc)


def moment(lifetime):
    """The moment so long from now (a timedelta, whole seconds), as `ticket` takes it."""
    return (datetime.datetime.now(datetime.timezone.utc) + lifetime).strftime("%Y-%m-%dT%H:%M:%SZ")
