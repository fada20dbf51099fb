"""One pool in its folder: what it consists of, and the steps that make each part. `wow pool create` takes them all, the lab the first ones."""

from pool import authority, backup, conf, durable, here, image, pages, settings, signing, stamping
from pool.authority import Authority
from pool.node import WowError, agreed
from pool.steps import Step

FIRST = agreed.MANAGER_LABEL
"""What the first manager is called; it has the CA."""
LEAVE, REFUSE, REPLACE = "leave", "refuse", "replace"
"""What `Pool.images` does with the manager's files when its CA has admitted machines."""


class Pool:
    """A folder whose settings are known, the clone that makes it, and the lock that this run holds."""

    def __init__(self, folder, clone, held=()):
        self.folder = folder
        self.settings = folder.read()
        self.authority = Authority(clone.wow_ca, folder.ca, held)
        self._clone = clone
        self._held = held
        self._image = self._arm = None

    @property
    def facts(self):
        """What every machine's pool.conf says."""
        return settings.facts(self.settings, self.folder.read_secret(), self.authority.certificate)

    @property
    def ticket(self):
        """The newest ticket, ID:SECRET, which is in the volunteers' image."""
        return self.folder.read_tickets()[-1]["ticket"]

    def tickets(self):
        """[{id, machines, used, not_after}], the newest last. A CA that is a copy of the manager's has no row of a ticket that was made here since, and by which no
        machine came: its terms are those with which it was made."""
        rows = {row["id"]: row for row in self.authority.contents()["tickets"]}
        made = [rows.get(one["id"]) or {"id": one["id"], "uses": one["machines"], "used": 0, "not_after": authority.end_of(one["until"])} for one in self.folder.read_tickets()]
        return [{"id": row["id"], "machines": row["uses"], "used": row["used"], "not_after": row["not_after"]} for row in made]

    def over(self):
        """Since when the newest ticket admits nobody, as a day; None where it does."""
        until = self.tickets()[-1]["not_after"]
        return until[:10] if authority.is_over(until) else None

    def doubts(self):
        """Sentences about what people get that is of no use."""
        if day := self.over():
            yield (f"ticket {self.tickets()[-1]['id']}, which is in the images, ended on {day} and admits nobody. Before you send them: "
                   f"{here.typed()} ticket {self.folder.typed} --machines N")

    @property
    def image(self):
        """The image to stamp."""
        if self._image is None:
            self._image = image.find(self._clone)
        return self._image

    @property
    def arm(self):
        """The image for arm64 to stamp, None where nobody gets it."""
        if self.settings.arm64 and self._arm is None:
            self._arm = image.find_arm(self._clone)
        return self._arm

    def find_images(self):
        """WowError where there is no image to stamp, or none for arm64 and somebody gets that."""
        return self.image, self.arm

    def change(self, **what):
        """Changes settings. WowError, and all is as before, where they do not fit into a pool.conf."""
        self.must_fit(**what)
        self.settings = self.settings._replace(**what)
        settings.write(self.folder.settings, self.settings)

    def must_fit(self, **what):
        """WowError where settings, with these in the place of what they are, have no room in a pool.conf. What makes them smaller is never refused."""
        told = self.settings._replace(**what)
        if self.folder.read_tickets() and settings.size(told) > settings.size(self.settings):
            stamping.must_fit(settings.facts(told, self.folder.read_secret(), self.authority.certificate), self.ticket, told)

    def identity(self):
        """The steps that make what a pool is: secret, CA, the manager's keys, a ticket."""
        folder = self.folder
        return [
            Step("secret", "secret", folder.secret.exists, folder.make_secret),
            Step("ca", f"certificate authority of {self.settings.name}", lambda: self.authority.is_there,
                 lambda: self.authority.make(self.settings.name, self.settings.subnet)),
            Step("keys", "the keys that sign what is published", lambda: folder.keys.exists() or not (folder.ca / signing.KEYS).exists(),
                 lambda: signing.know(folder, folder.ca / signing.KEYS)),
            Step("manager", "the manager's key and certificate", (folder.manager / "node.pem").exists, lambda: self.authority.make_manager(folder.manager)),
            Step("ticket", f"ticket for {self.settings.machines} machines until {self.settings.until}", lambda: bool(folder.read_tickets()),
                 lambda: self.add_ticket(self.settings.machines, self.settings.until))]

    def others(self):
        """The step that makes the keys of the managers that were asked for with the pool, and the signed list of all."""
        keys = [self.folder.other(one["host"]) / "node.pem" for one in self.settings.managers]
        return Step("managers", f"{len(keys)} more managers and the signed list of all" if len(keys) > 1 else "a second manager and the signed list of both",
                    lambda: not keys or all(path.exists() for path in (self.folder.list, *keys)), lambda: self.list_managers(self.settings.managers))

    def add_ticket(self, machines, until):
        """Makes a ticket, which is the newest from now on. The first one that a run made and could not note is ended: nobody knows its secret."""
        kept = self.folder.read_tickets()
        for lost in () if kept else self.authority.contents()["tickets"]:
            self.authority.end_ticket(lost["id"])
        ticket = self.authority.ticket(machines, until)
        self.folder.keep_tickets([*kept, {"id": ticket.partition(":")[0], "ticket": ticket, "machines": machines, "until": until}])
        return ticket

    def list_managers(self, others, today=None, after=None):
        """The CA's list of managers is that of the first and these, {host, address, at} each, from now on. today: the day, where a person said it; after: a
        file with the newest list that the pool has."""
        self.must_fit(managers=tuple(others))  # before anything is signed
        day = ("--today", today) if today else ()
        known = {one["host"] for one in self.settings.managers}
        for one in others:
            if one["host"] not in known or not (self.folder.other(one["host"]) / "node.pem").exists():
                self.authority.make_other(self.folder.other(one["host"]), one["host"], one["address"], day)
        self.authority.sign_managers([FIRST, *(one["host"] for one in others)], self.folder.list, (*day, *(("--after", after) if after else ())))
        self.change(managers=tuple(others))
        for path in self.folder.managers.iterdir() if self.folder.managers.exists() else ():
            if path.name not in [one["host"] for one in others]:
                # Its key is revoked, or will be. Its images stay: that machine may run from one of them.
                stamping.Stamped(self.folder).forget(self.folder.for_other(path.name))
                self._keep_certificate(path)
                durable.remove(path)

    def _keep_certificate(self, keys):
        """Leaves the certificate of a manager that is taken away beside its images: a CA that was never shown it revokes it by this file."""
        if (keys / "node.pem").exists():
            kept = self.folder.certificate_of(keys.name)
            kept.parent.mkdir(0o700, exist_ok=True)
            durable.write(kept, (keys / "node.pem").read_text(encoding="ascii"))

    def build(self):
        """The step that makes the image, if there is none."""
        return Step("image", "the image", lambda: image.is_there(self._clone), self._clone.build)

    def images(self, manager=LEAVE):
        """The steps that make the files for people, those that have changed. `manager` says what becomes of the manager's when a manager has run with
        this CA (`served`)."""
        stamped = stamping.Stamped(self.folder)
        found = stamping.outputs(self.folder, self.facts, self.ticket, self.settings, self.image, self.arm)
        why = None if manager == REPLACE else self.served()
        if why:
            theirs = [output for output in found if output.path.parent == self.folder.for_manager]
            if manager == REFUSE and not all(map(stamped.is_current, theirs)):
                raise WowError(why, f"If that manager is gone for good, type: {here.typed()} stamp {self.folder.typed} --replace-manager", str(self.folder.ca))
            found = [output for output in found if output not in theirs]
        return [Step(output.path.name, str(output.path.relative_to(self.folder.root)), lambda output=output: stamped.is_done(output),
                     lambda output=output: stamped.make(output, self.image.release, self._held)) for output in found]

    def served(self):
        """Why no new manager may be made with this CA, or None: one has served it, so this is a copy. A second one would know nothing of who is
        admitted from now on by the first."""
        admitted = self.authority.admitted()
        return f"has admitted {admitted} machines: a manager runs with it, or has run. Two managers with one CA tear the pool apart" if admitted else None

    def papers(self):
        """The step that writes what people read."""
        texts = pages.texts(self)
        return Step("pages", "START.md", lambda: all(path.exists() and path.read_text(encoding="utf-8") == text for path, text in texts.items()),
                    lambda: pages.write(texts))

    def sealed(self, tell, new_key=False, taken=None):
        """The step that makes the backup, if there is none or it is older than what it holds. `tell` is called with a new recovery key, and
        the note of its backup, before that counts. taken: what the manager's CA has for it (`signing.take`), sealed in a file of its own."""
        def is_done():
            note = backup.note_of(self.folder)
            return not new_key and taken is None and note is not None and note["content"] == backup.content_of(self.folder)

        def make():
            note = None if new_key else backup.note_of(self.folder)
            signs = signing.packed(taken) if taken and signing.KEYS in taken else None
            if note is None and signs is None and self.folder.authority.exists():
                raise WowError("was sealed to another recovery key, with the key that signs the pool's stack in it", f"Type: {here.typed()} backup "
                               f"{self.folder.typed} --new-key --ca DIR, with a copy of the manager's /var/lib/wow/ca", str(self.folder.authority))
            key = backup.new_key() if note is None else None
            if taken is not None:
                if signing.RENEWED in taken:
                    self.authority.follow(signing.body(taken[signing.RENEWED]))
                if signs is not None:
                    durable.write(self.folder.keys, taken[signing.KEYS])
            backup.seal(self.folder, key.public if key else note["public"], signs, (lambda made: tell(key.secret, made)) if key else None)

        return Step("backup", self.folder.sealed.name, is_done, make)

    def tidy(self):
        """Removes what a run that was ended left half made."""
        for path in self.folder.root.rglob(f"*{durable.SUFFIX}"):
            if path.exists():
                durable.remove(path)
